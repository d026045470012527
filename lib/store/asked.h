/* What a stored completion says of the request that made it: `temperature`, `tools`,
 * `response_format` and the like, under the names of the official object. The reply that a client
 * gets at once has none of them. Pure.
 *
 * Values are the request's own bytes; what it left out has the value that the format's
 * documentation gives it. */
#ifndef MG_STORE_ASKED_H
#define MG_STORE_ASKED_H

#include "base/str.h"

#define MG_ASKED_MAX ((size_t)4 << 20) /* bytes; a request with more of it is not told of */

/* Appends these members as a JSON object. `request` is the body, `request_id` its x-request-id. */
void mg_asked_read(struct mg_span request, const char *request_id, struct mg_str *out)
    __attribute__((nonnull));
/* Appends the completion `reply` with those members of `asked` (from mg_asked_read, or empty) that
 * it has not. 0; -1 when `reply` is no object or `out` is full. */
int mg_asked_add(struct mg_span asked, struct mg_span reply, struct mg_str *out)
    __attribute__((nonnull, warn_unused_result));

#endif
