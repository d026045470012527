/* From the wish to pay to the provider's page, and asking the provider what became of it.
 *
 * No database connection is held while a provider is asked: it may take seconds. */
#ifndef MG_PAYMENT_CHECKOUT_H
#define MG_PAYMENT_CHECKOUT_H

#include "payment/provider.h"

#define MG_CHECKOUT_PATIENCE_MS 2000 /* an order is not asked about more often */

/* Makes an order of `cents` for a wallet and its page: *order is filled, with url and expiry.
 * `client_key` (NULL = none): the same one gives the same order again. 0; -1: 422
 * `body/amount_cents`, 409, 502 to 504. */
int mg_checkout_start(struct mg_payment *payment, const struct mg_provider *provider,
                      uint64_t wallet_id, int64_t cents, const char *client_key,
                      struct mg_pool *pool, struct mg_order *order, struct mg_err *err)
    __attribute__((nonnull(1, 2, 6, 7, 8), warn_unused_result));

/* Asks the provider about an order, takes in what it says, and reads the order again. Without
 * `insist` only while the order is pending and nobody asked just now; a provider that cannot
 * answer is logged and leaves the order as it is. 0; -1 (with `insist` also when the provider
 * did not answer). */
int mg_checkout_check(struct mg_payment *payment, struct mg_order *order, bool insist,
                      struct mg_pool *pool, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
