/* What a payment buys: the table of rates and the amounts that can be paid.
 *
 * A rate is how many credits one unit of the currency loads; it depends on the amount of that one
 * payment, never on a sum of several. Money is counted in cents (hundredths of the currency),
 * credit in nano-credits; integers only. Pure. Source: specification part 1, billing and credit
 * rules. */
#ifndef MG_PAYMENT_RATE_H
#define MG_PAYMENT_RATE_H

#include "base/conf.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* A rate and the amount from which it holds. */
struct mg_rate {
    int64_t from_cents;
    int64_t rate;
};

/* The table, in the order of amounts; the first row is the minimum of a payment. */
const struct mg_rate *mg_rate_table(size_t *count)
    __attribute__((nonnull, returns_nonnull));
/* The rate of an amount; 0 below the minimum. */
int64_t mg_rate_of(int64_t cents);
/* Nano-credits that `cents` load at `rate`. Exact. */
int64_t mg_rate_credit(int64_t cents, int64_t rate);
/* 0 when so much can be paid; -1 with a 422 field `body/amount_cents` that says why not. */
int mg_rate_check(const struct mg_conf *conf, int64_t cents, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
