/* The body of a pass-through request: the client's bytes with the few members changed that the
 * gateway answers for.
 *
 * `model` becomes the upstream's id; a stream is asked to state its usage; state stays with us
 * (`store` false, no `metadata` that would need it); the output limit is lowered where the
 * wallet cannot pay for more. Nothing else is touched. */
#ifndef MG_WIRE_UPWARD_H
#define MG_WIRE_UPWARD_H

#include "base/str.h"
#include "wire/facts.h"

struct mg_upward {
    enum mg_family family;
    const char *model;      /* the upstream's id for it */
    int64_t max_output;     /* lowered limit in tokens, -1 = leave the client's */
};

/* Writes the upstream's body into out. 0, or -1 when it does not fit. */
int mg_upward_body(const struct mg_upward *up, const struct mg_facts *facts, struct mg_span body,
                   struct mg_str *out) __attribute__((nonnull, warn_unused_result));

#endif
