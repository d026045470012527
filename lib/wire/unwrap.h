/* The bare text of a wrapped custom tool's call, while its arguments still arrive.
 *
 * A custom tool takes text; an upstream without such tools was given a function with one string
 * argument instead (MG_CUSTOM_ARGUMENT). The model then writes {"input":"…"} and the client
 * wants what is between the quotes, as it comes. Arguments of any other shape are handed over
 * at the end by mg_custom_unwrap, the one that knows every shape. */
#ifndef MG_WIRE_UNWRAP_H
#define MG_WIRE_UNWRAP_H

#include "base/str.h"

#include <stdbool.h>

struct mg_unwrap {
    struct mg_str raw;  /* all arguments so far */
    size_t at;          /* bytes of raw that have been read */
    int state;
};

void mg_unwrap_init(struct mg_unwrap *unwrap) __attribute__((nonnull));
void mg_unwrap_free(struct mg_unwrap *unwrap) __attribute__((nonnull));
/* Takes a piece of the arguments; appends what is new of the text to out. */
void mg_unwrap_feed(struct mg_unwrap *unwrap, struct mg_span piece, struct mg_str *out)
    __attribute__((nonnull));
/* The arguments are over: appends what is still missing, and gets ready for the next call.
 * False when the text broke off before its closing quote. */
bool mg_unwrap_end(struct mg_unwrap *unwrap, struct mg_str *out) __attribute__((nonnull));

#endif
