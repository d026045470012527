/* The upstream's own word on how many tokens a request is.
 *
 * Asked of upstreams that speak the client's format and have an endpoint for it. A count is only
 * a convenience, so everything here gives up early: few questions are under way at once, each for
 * a short time; answers are remembered by the hash of what was asked; an upstream without the
 * endpoint is left alone for a while. Who gets no answer estimates. */
#ifndef MG_INFER_TALLY_H
#define MG_INFER_TALLY_H

#include "base/str.h"
#include "infer/ability.h"
#include "wire/family.h"

#include <stdint.h>

struct mg_tally;

struct mg_tally *mg_tally_new(void) __attribute__((returns_nonnull, warn_unused_result));
void mg_tally_free(struct mg_tally **tally) __attribute__((nonnull));

struct mg_tally_question {
    const struct mg_upstream *upstream;
    enum mg_family family;      /* Messages or Responses */
    struct mg_span body;        /* as the upstream shall see it */
    const char *version, *beta; /* headers of the Messages family; NULL = none */
    int64_t timeout_ms;         /* 0: only what is remembered */
};

/* 1 and *tokens; 0 when there is no answer. May block for timeout_ms. Thread-safe. */
int mg_tally_ask(struct mg_tally *tally, struct mg_abilities *abilities,
                 const struct mg_tally_question *question, int64_t *tokens)
    __attribute__((nonnull));

#endif
