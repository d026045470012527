/* The neutral form of a request.
 *
 * Every format's decoder fills one struct mg_turn, every encoder reads one; nothing in it is
 * particular to a pair of formats. Texts are spans: into the client's body where they stand
 * there without escapes, else into the pool. What must stay exact (schemas, tool arguments,
 * cache marks, numbers) is kept as the JSON text that was sent.
 *
 * Decoders keep the order that the client sent. mg_turn_settle (wire/history.h) then puts the
 * conversation into the order that every format accepts. */
#ifndef MG_WIRE_TURN_H
#define MG_WIRE_TURN_H

#include "base/pool.h"
#include "base/str.h"
#include "wire/map.h"
#include "wire/translate.h"
#include "wire/wishes.h"

#include <stdbool.h>
#include <stdint.h>

enum mg_role {
    MG_ROLE_SYSTEM,    /* system and developer messages, instructions */
    MG_ROLE_USER,
    MG_ROLE_ASSISTANT,
    MG_ROLE_TOOL       /* results of tool calls only */
};

enum mg_block_type {
    MG_BLOCK_TEXT,
    MG_BLOCK_REFUSAL,   /* text the model refused with */
    MG_BLOCK_IMAGE,
    MG_BLOCK_FILE,      /* a document */
    MG_BLOCK_CALL,      /* the model calls a tool */
    MG_BLOCK_RESULT,    /* what the tool said */
    MG_BLOCK_REASONING,
    MG_BLOCK_TOOL_NAME  /* Messages: a deferred tool has become available (tool_reference) */
};

/* An image or a document. Exactly one of data, url, file_id, text is set. */
struct mg_media {
    struct mg_span type;    /* media type, "image/png"; empty = not stated */
    struct mg_span data;    /* base64 */
    struct mg_span url;
    struct mg_span file_id; /* a file kept by the client's provider */
    struct mg_span text;    /* a document that is plain text */
    struct mg_span name;    /* file name or title */
    struct mg_span context; /* Messages: what is said about a document */
    struct mg_span detail;  /* Chat, Responses: low, high, auto, original */
};

struct mg_call {
    struct mg_span id;        /* in RESULT blocks too */
    struct mg_span name, space;
    struct mg_span arguments; /* a function's: JSON text as the model made it; a custom tool's:
                               * the bare text */
    bool custom;
    const char *up_id;        /* what the upstream is told; set by mg_turn_settle */
    bool answered;            /* CALL: its result is there */
    struct mg_block *content; /* RESULT: texts, images, documents; NULL = nothing */
    bool error;               /* RESULT: the tool failed */
};

struct mg_block {
    enum mg_block_type type;
    bool opens;              /* first of what the client sent as one message or item */
    struct mg_block *next;
    const char *at;          /* where it stood: "messages[3].content[0]" */
    struct mg_span text;     /* TEXT, REFUSAL, TOOL_NAME */
    struct mg_span cache;    /* cache_control object as sent; empty = no mark */
    struct mg_span breakpoint; /* the same wish in Chat and Responses words */
    union {
        struct mg_media media;
        struct mg_call call;       /* CALL, RESULT */
        struct mg_pack reasoning;  /* REASONING: kind says whose it is */
    };
};

struct mg_message {
    enum mg_role role;
    const char *at;
    struct mg_block *first, *last;
    struct mg_message *results; /* of an assistant's calls, while the turn is being settled */
    struct mg_message *next;
};

struct mg_turn {
    struct mg_pool *pool;
    struct mg_message *first, *last;
    struct mg_tool *tools, *last_tool;
    struct mg_map tool_keys, tool_names; /* by namespace and name, by name alone */
    const char *optional_tool; /* a hosted tool of the drop-list was there: its `type` */
    const char *optional_at;
    struct mg_choice choice;
    struct mg_format format;
    struct mg_thought thought;
    int64_t limit;             /* output tokens, -1 = not said */
    const char *limit_at;
    struct mg_span temperature, top_p, top_k; /* numbers as sent */
    struct mg_span *stops;
    size_t stop_count;
    struct mg_span verbosity, user, safety, tier;
    bool logprobs;
    int64_t top_logprobs;      /* -1 = not said */
    int64_t n;
    bool compaction;           /* a compaction_trigger was there */
    bool encrypted;            /* include: reasoning.encrypted_content */
    struct mg_span prompt;     /* Completions with echo */
    bool echo;
    struct mg_carried *carried, *last_carried;
};

/* Appends an empty message; `at` is kept. */
struct mg_message *mg_turn_message(struct mg_turn *turn, enum mg_role role, const char *at)
    __attribute__((nonnull));
/* Appends a block to a message, or makes one that stands alone (message NULL). */
struct mg_block *mg_turn_block(struct mg_turn *turn, struct mg_message *message,
                               enum mg_block_type type, const char *at)
    __attribute__((nonnull(1, 4)));
/* Appends a text block. */
struct mg_block *mg_turn_text(struct mg_turn *turn, struct mg_message *message,
                              struct mg_span text, const char *at) __attribute__((nonnull));
/* A turn with nothing in it; `secret` seeds its maps (8 bytes). */
struct mg_turn *mg_turn_new(struct mg_pool *pool, const uint8_t *secret)
    __attribute__((nonnull, warn_unused_result));
/* Declares a tool; NULL when the same namespace and name were declared before. */
struct mg_tool *mg_turn_tool(struct mg_turn *turn, struct mg_span name, struct mg_span space,
                             const char *at) __attribute__((nonnull));
void mg_turn_carry(struct mg_turn *turn, struct mg_span name, struct mg_span value)
    __attribute__((nonnull));
/* The declared tool of that name; NULL when there is none. An empty namespace finds the first
 * tool of any namespace when no other has the name. */
struct mg_tool *mg_turn_find_tool(const struct mg_turn *turn, struct mg_span name,
                                  struct mg_span space) __attribute__((nonnull));

/* Namespace and name as one key for maps: the byte between them stands in no name. In `pool`
 * when there is a namespace. */
struct mg_span mg_tool_key(struct mg_pool *pool, struct mg_span name, struct mg_span space)
    __attribute__((nonnull));
/* True for a block that is told in words: text, a refusal, a plain text document, the name of a
 * tool. */
bool mg_block_has_words(const struct mg_block *block) __attribute__((nonnull));
/* These words; a document's with its title before them. In `pool` where they are made. */
struct mg_span mg_block_words(struct mg_pool *pool, const struct mg_block *block)
    __attribute__((nonnull));
bool mg_span_blank(struct mg_span text); /* empty or only white space */

#endif
