/* What admission needs to know of a request, in any of the four formats.
 *
 * Reads the few members that decide routing, holding and metering, checks their types (422 with
 * every problem named), and measures how many tokens the input can be at most. What else the
 * body says is none of its business. */
#ifndef MG_WIRE_FACTS_H
#define MG_WIRE_FACTS_H

#include "base/err.h"
#include "base/str.h"
#include "wire/family.h"

#include <json-c/json_object.h>
#include <stdbool.h>
#include <stdint.h>

struct mg_facts {
    const char *model;         /* borrowed from the tree; NULL = omitted */
    bool stream;
    bool show_usage;           /* stream_options.include_usage was asked for */
    bool store;                /* the client's wish; Responses true, others false by default */
    bool store_stated;         /* … and whether it said so */
    bool background;           /* Responses */
    const char *previous;      /* Responses: previous_response_id, NULL = none */
    const char *conversation;  /* Responses: a state object of the provider, NULL = none */
    bool thread;               /* Messages: a server-side thread was asked for */
    bool metadata;             /* Chat: a metadata member is there */
    int64_t max_output;        /* tokens, -1 = not limited by the client */
    const char *max_member;    /* the member that limits (or should): "max_tokens", … */
    int64_t choices;           /* answers asked for: n or best_of, at least 1 */
    int64_t input_bound;       /* no tokenizer makes more input tokens than this */
    int64_t input_estimate;    /* what it will be, about: wire/count */
    int64_t factor;            /* thousandths by which the upstream's tokens differ from ours;
                                * 0 = they do not. Not read from the request */
};

/* Fills *facts from the body. 0; -1 with err 422 (types, missing required members) or 400. */
int mg_facts_read(enum mg_family family, struct mg_span body, struct json_object *tree,
                  struct mg_facts *facts, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Tokens that were counted with our tokenizer, as the upstream counts. */
int64_t mg_facts_scaled(const struct mg_facts *facts, int64_t tokens) __attribute__((nonnull));
/* Notes the factor and scales the estimates of the input by it. Once. */
void mg_facts_scale(struct mg_facts *facts, int64_t factor) __attribute__((nonnull));
/* Tokens that `bytes` of generated output are, about: for answers whose upstream does not state
 * its usage. At least 1 when there is any byte. */
int64_t mg_facts_output_tokens(size_t bytes);

#endif
