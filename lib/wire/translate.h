/* Translation of an exchange between two formats: the request on its way up, and what the
 * reply must remember of it on its way down.
 *
 * mg_translate_request turns the client's body into the upstream's and leaves a struct
 * mg_translation: everything the reply encoders need to answer in the client's own words (tool
 * names and namespaces, custom tools, echoed settings, the method of structured output). The
 * relay takes that object over. Nothing here does I/O or asks a clock. lib/wire/README.md has
 * the tables of what is refused, dropped and adapted. */
#ifndef MG_WIRE_TRANSLATE_H
#define MG_WIRE_TRANSLATE_H

#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"
#include "wire/family.h"
#include "wire/levels.h"
#include "wire/pack.h"

#include <json-c/json_object.h>
#include <stdbool.h>
#include <stdint.h>

/* What is known of the model the request goes to. */
struct mg_destination {
    const char *model;          /* the id the upstream is asked for */
    const char *origin;         /* name of the upstream: reasoning proofs only go back there;
                                 * NULL or "" = they fit anywhere in the family */
    bool image, pdf, tools, structured, reasoning; /* what it can take */
    bool sampling;              /* takes temperature, top_p, top_k */
    bool system_midway;         /* Messages: takes role:system inside `messages` */
    enum mg_thinking_style thinking; /* Messages */
    unsigned efforts;           /* bits 1 << enum mg_effort that it takes; 0 = not known: low,
                                 * medium and high, and between Chat and Responses any word */
    int64_t max_output;         /* tokens, 0 = not known */
    int64_t default_max_output; /* sent to Messages when the client named no limit */
};

struct mg_translate_in {
    enum mg_family client, upstream;
    struct mg_span body;            /* the client's body, valid JSON */
    struct json_object *tree;       /* the same, parsed */
    bool stream;                    /* ask the upstream for a stream */
    struct mg_destination to;
    const uint8_t *key;             /* MG_PACK_KEY bytes; seals packed reasoning */
    uint64_t owner;                 /* account whose compactions can be read */
    int64_t output_cap;             /* tokens the answer may have at most (what the wallet
                                     * covers): stated whatever the client said; 0 = none */
};

/* One tool of the request as both sides know it. */
struct mg_translated_tool {
    const char *upstream;  /* the name the upstream was told */
    const char *client;    /* the name the client gave */
    const char *space;     /* Responses: the namespace it was declared in, NULL = none */
    bool custom;           /* the client declared it custom (freeform): its calls carry text */
    bool wrapped;          /* custom, but the upstream was given a function with the one string
                            * argument MG_CUSTOM_ARGUMENT: see mg_custom_unwrap */
};

/* The argument of a function that stands for a custom tool: {"input": "…"}. */
#define MG_CUSTOM_ARGUMENT "input"

/* How JSON output was asked of the upstream. */
enum mg_json_method {
    MG_JSON_FREE,   /* no JSON output, or the upstream knows how: the text is the answer */
    MG_JSON_TOOL    /* a forced call of the tool `json_tool`: its arguments are the answer's
                     * text, the call is not shown and the end reason is a plain end */
};

/* What the reply must know. All texts live in `pool`. Fields are read-only for the reply. */
struct mg_translation {
    struct mg_pool *pool;
    enum mg_family client, upstream;
    uint8_t key[MG_PACK_KEY];
    const char *origin;             /* for mg_pack.origin; "" = none */

    const struct mg_translated_tool *tools;
    size_t tool_count;
    enum mg_json_method json;
    const char *json_tool;          /* MG_JSON_TOOL: name of the tool, else NULL */

    uint64_t owner;          /* account that a compaction is sealed for */
    bool compaction;         /* Responses client sent a compaction_trigger: the answer is
                              * exactly one `compaction` item (wire/compaction.h) holding the
                              * model's text */
    bool show_reasoning;     /* reasoning text may be shown; proofs are delivered in any case */
    bool encrypted_reasoning;/* Responses client: include has reasoning.encrypted_content */
    bool logprobs;           /* client wants log probabilities of the output text */
    int64_t limit_raised_from; /* the client's token limit when the upstream's minimum forced a
                              * higher one, else 0: the answer then ends as cut by the limit */
    const char *const *stops;/* the client's stop sequences, NULL-terminated, never NULL */

    struct mg_span echo;     /* Responses client: object of all members of its request but
                              * `input`, as sent; empty for the others. Read it with
                              * mg_translation_echo */

    const char *prompt;      /* Completions client: its prompt when `echo` was asked, else NULL:
                              * goes before each choice's text, in the first chunk as well */
    int64_t n;               /* choices asked for, at least 1 */

    const char *const *dropped; /* request fields left out on the way, NULL-terminated */
};

/* Translates in->body. `body_out` gets the upstream's body; *left is the caller's (normally it
 * goes into mg_relay_setup.translation) and freed with mg_translation_free. 0; -1 with err:
 * 422 with fields for a value of a wrong type, 400 for what the upstream's format cannot say,
 * with the parameter named; body_out then stays as it was. */
int mg_translate_request(const struct mg_translate_in *in, struct mg_str *body_out,
                         struct mg_translation **left, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
void mg_translation_free(struct mg_translation **left) __attribute__((nonnull));

/* An empty translation for a pair, without a request: for tests of replies. The caller fills
 * fields; texts come from left->pool. */
struct mg_translation *mg_translation_new(enum mg_family client, enum mg_family upstream)
    __attribute__((warn_unused_result));

/* Appends the names of `dropped` as a list for a header, ", " between them, at most 1,024 bytes:
 * then "..." ends it. They are the client's words: what is no letter, digit or one of _ . - is
 * written as "?". */
void mg_translation_dropped(const struct mg_translation *left, struct mg_str *out)
    __attribute__((nonnull));

/* The tool that the upstream calls by this name, or NULL for a name it was never told (then
 * the name is passed on as it is). */
const struct mg_translated_tool *mg_translation_tool(const struct mg_translation *left,
                                                     struct mg_span upstream_name)
    __attribute__((nonnull));
/* The id of a tool call in the client's format: the upstream's own when it is valid there, else
 * a deterministic one that the next request turns back (or keeps on call and result alike).
 * Allocated in `pool`. An empty id stays empty: making ids is the reply's business. */
const char *mg_translation_call_id(const struct mg_translation *left, struct mg_span upstream_id,
                                   struct mg_pool *pool) __attribute__((nonnull));
/* Raw JSON of a member of a Responses request ("tools", …, "null" too); empty when not sent. */
struct mg_span mg_translation_echo(const struct mg_translation *left, const char *member)
    __attribute__((nonnull));
/* The text of a wrapped custom tool's call from the arguments the model made: the value of
 * `input`; arguments that are no such object are returned as they are. Appends to out. */
void mg_custom_unwrap(struct mg_span arguments, struct mg_str *out) __attribute__((nonnull));

#endif
