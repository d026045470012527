/* Top-ups as JSON: what can be bought, what it brings, what was ordered. One spelling for every
 * route. Cash is whole cents with its currency, credit an amount object (account_json.h). */
#ifndef MG_SERVICE_ORDER_JSON_H
#define MG_SERVICE_ORDER_JSON_H

#include "json/writer.h"
#include "payment/order.h"
#include "payment/provider.h"

#include <stdbool.h>
#include <stddef.h>

/* GET /api/wallet/options. */
void mg_json_topup_options(const struct mg_payment *payment, struct mg_str *out)
    __attribute__((nonnull));
/* The table of rates as an array under `key`. */
void mg_json_rates(struct mg_jw *w, const char *key) __attribute__((nonnull));
/* POST /api/wallet/quote: of an amount that can be paid. */
void mg_json_topup_quote(const struct mg_payment *payment, int64_t cents, struct mg_str *out)
    __attribute__((nonnull));
/* The reply to a checkout. */
void mg_json_checkout(const struct mg_order *order, struct mg_str *out) __attribute__((nonnull));
/* One order, and a page of them. */
void mg_json_order(const struct mg_order *order, struct mg_str *out) __attribute__((nonnull));
void mg_json_orders(const struct mg_order *orders, size_t count, bool more, struct mg_str *out)
    __attribute__((nonnull(4)));

#endif
