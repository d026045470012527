/* Is this JSON object whole yet?
 *
 * Arguments of a tool call arrive in pieces of text. Whether they are complete decides when the
 * next call may begin and whether a call that was cut off may be executed. This follows
 * brackets and strings only; it does not judge the grammar. */
#ifndef MG_WIRE_BALANCE_H
#define MG_WIRE_BALANCE_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct mg_balance {
    size_t depth;
    bool in_string, escaped;
    bool begun; /* something other than white space was seen */
    bool whole; /* an object opened and closed */
    bool odd;   /* not an object, or something behind its end */
};

/* Starts as all zero. Follows the next piece. */
void mg_balance_feed(struct mg_balance *balance, struct mg_span piece) __attribute__((nonnull));
/* True when exactly one object was seen from its first to its last brace. */
bool mg_balance_whole(const struct mg_balance *balance) __attribute__((nonnull));
/* True when an object was begun and not finished. */
bool mg_balance_torn(const struct mg_balance *balance) __attribute__((nonnull));

#endif
