/* Sums over the usage history as JSON. A charge is positive here, as in the list of rows. */
#ifndef MG_SERVICE_TOTALS_JSON_H
#define MG_SERVICE_TOTALS_JSON_H

#include "base/str.h"
#include "ledger/usage.h"

/* GET /api/summary: today, the last 7 and the last 30 UTC days, today among them. `days` are sums
 * by day of at least the last 30, so that the three figures always agree. Active days are those
 * that cost something. */
void mg_json_summary(const struct mg_usage_sum *days, size_t count, int64_t now_ms,
                     struct mg_str *out) __attribute__((nonnull(4)));
/* GET /api/usage/totals: one entry a day, model or key, and their sum. */
void mg_json_totals(enum mg_usage_by by, const struct mg_usage_sum *sums, size_t count,
                    struct mg_str *out) __attribute__((nonnull(4)));

#endif
