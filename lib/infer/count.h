/* Counting without generating: the flow of the counting endpoints (specification part 4,
 * `/v1/messages/count_tokens` and `/v1/responses/input_tokens`).
 *
 * The upstream's own count where it has one for the client's format (infer/tally.h), else an
 * estimate. Nothing is held, charged, stored or generated; no ledger is touched. */
#ifndef MG_INFER_COUNT_H
#define MG_INFER_COUNT_H

#include "http/request.h"
#include "identity/principal.h"
#include "infer/app.h"
#include "wire/family.h"

/* Input tokens of a request of `family` whose body has been read, counted as the upstream of
 * its model does. 0 and *tokens, or -1 with err: 400, 404 (unknown model), 422, 503. */
int mg_count_tokens(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
                    enum mg_family family, int64_t *tokens, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
