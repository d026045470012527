/* What a request refers to, put in its place: the chain of responses that it continues, and
 * single items of earlier ones.
 *
 * No upstream keeps state for us, so `previous_response_id` is answered here: the input of every
 * response of the chain and what came of it, from the first one on, go before the new input. A
 * response stores only what its own request brought, so nothing occurs twice however long the
 * chain is. Instructions are not inherited. Left out are items that an upstream would refuse:
 * reasoning that is not sealed, or was sealed by another upstream than the one that is asked
 * now, and tool calls that were cut in the middle. A response whose output holds a `compaction`
 * begins the chain: that item stands for what was before. */
#ifndef MG_STORE_CHAIN_H
#define MG_STORE_CHAIN_H

#include "base/str.h"
#include "db/db.h"

#include <stdbool.h>
#include <stdint.h>

struct mg_chain_in {
    uint64_t account_id;
    const char *previous;   /* id of the response that is continued, NULL = none */
    struct mg_span input;   /* JSON of the request's own `input`; empty = absent */
    const char *upstream;   /* name of the upstream that will be asked */
};

/* True when an input (JSON) holds an item that only refers to another. */
bool mg_chain_refers(struct mg_span input);

/* Writes into `own` the request's own input with its references resolved, and into `whole` the
 * array of items that the upstream is to be given; both are appended to, up to their maximum.
 * 0; -1 with err: 400 `previous_response_not_found` for an unknown, foreign or deleted response
 * anywhere in the chain, 400 for one that still runs, for an item that is not there, and for a
 * chain larger than `whole` may be. */
int mg_chain_expand(struct mg_db *db, const struct mg_chain_in *in, struct mg_str *own,
                    struct mg_str *whole, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
