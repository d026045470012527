/* What a counting endpoint needs to know of its request: the model, the wishes that cannot be
 * counted, and that what will be counted has the types of its format. Nothing that a generation
 * needs is required; what else the body says is left alone. */
#ifndef MG_WIRE_COUNT_REQUEST_H
#define MG_WIRE_COUNT_REQUEST_H

#include "base/err.h"
#include "wire/facts.h"

/* Fills model, thread, previous and conversation of *facts from a Messages or Responses body
 * (Responses: also an empty one). 0; -1 with err 422, every problem named. */
int mg_count_request_read(enum mg_family family, struct json_object *tree,
                          struct mg_facts *facts, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
