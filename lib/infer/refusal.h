/* What an upstream's failure becomes for the client. Pure.
 *
 * 400, 413 and 422 pass as they are: clients adapt to the text. A refusal of our own credential
 * or of the destination becomes 502 and never shows; 429 keeps its Retry-After; everything
 * else is 502 or 503 with the request id. */
#ifndef MG_INFER_REFUSAL_H
#define MG_INFER_REFUSAL_H

#include "base/err.h"
#include "base/str.h"
#include "upstream/transfer.h"

#include <stdbool.h>

/* An HTTP status of 300 or more with its body. `same_family`: the body has the client's format
 * and may pass verbatim (with `content_type`, NULL = JSON); else only its text is kept.
 * `retry_after` is the header's value or NULL. */
void mg_refusal_of_status(int status, const char *content_type, const char *retry_after,
                          struct mg_span body, bool same_family, struct mg_err *err)
    __attribute__((nonnull(6)));
/* A transfer that did not end well before or inside its answer. */
void mg_refusal_of_end(const struct mg_transfer_result *result, struct mg_err *err)
    __attribute__((nonnull));

#endif
