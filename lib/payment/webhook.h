/* Events that providers send by themselves: check, take in, and only then say yes. */
#ifndef MG_PAYMENT_WEBHOOK_H
#define MG_PAYMENT_WEBHOOK_H

#include "payment/outcome.h"

/* Takes an event in: `signature` is the header as it came (NULL = none), `body` the raw bytes.
 * 0 when everything it means is committed (or it means nothing here): answer 200. -1: 400 for
 * what is not from the provider; 502 to 504 when it could not be taken in now, so that the
 * provider sends it again. */
int mg_webhook_take(struct mg_payment *payment, const struct mg_provider *provider,
                    const char *signature, struct mg_span body, struct mg_pool *pool,
                    enum mg_outcome *outcome, struct mg_err *err)
    __attribute__((nonnull(1, 2, 5, 6, 7), warn_unused_result));

#endif
