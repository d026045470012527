/* Stripe: hosted checkout sessions, its API by libcurl, its signed events.
 *
 * Source: Stripe API reference (Checkout Sessions, Events, Disputes) at the version below; wire
 * forms compared with the official npm library. The key and the secret come from files and never
 * appear in a log. */
#ifndef MG_PAYMENT_STRIPE_H
#define MG_PAYMENT_STRIPE_H

#include "payment/provider.h"

#define MG_STRIPE_VERSION "2026-10-28.endive" /* the API as this code knows it */

extern const struct mg_provider mg_stripe;

/* Reads the object of an event, or of an answer ("checkout.session", "charge", "dispute"), into
 * `news`. True when it means something here. Texts are copied to the pool. */
struct json_object;
bool mg_stripe_read_object(struct json_object *object, struct mg_pool *pool,
                           struct mg_payment_news *news) __attribute__((nonnull(2, 3)));
/* Checks the signature under `secret` and reads an event. 0 or -1 with a 400. */
int mg_stripe_read_event(const char *secret, const char *signature, struct mg_span body,
                         int64_t now_ms, struct mg_pool *pool, struct mg_payment_event *event,
                         struct mg_err *err)
    __attribute__((nonnull(1, 5, 6, 7), warn_unused_result));

#endif
