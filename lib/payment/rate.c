#include "payment/rate.h"

#include "base/money.h"

#define CENTS 100 /* of one unit of the currency */

static const struct mg_rate rates[] = {
    {500, 10},   /* standard: one unit loads ten credits */
    {25000, 15}, /* VIP tier */
};
#define RATES (sizeof(rates) / sizeof(rates[0]))

const struct mg_rate *
mg_rate_table(size_t *count)
{
    *count = RATES;
    return rates;
}

int64_t
mg_rate_of(int64_t cents)
{
    int64_t rate = 0;
    for (size_t i = 0; i < RATES && cents >= rates[i].from_cents; i++)
        rate = rates[i].rate;
    return rate;
}

int64_t
mg_rate_credit(int64_t cents, int64_t rate)
{
    return cents * rate * (MG_NANO_PER_CREDIT / CENTS);
}

int
mg_rate_check(const struct mg_conf *conf, int64_t cents, struct mg_err *err)
{
    char msg[120];
    int64_t least = rates[0].from_cents, most = conf->topup_max_cents;
    if (cents >= least && cents <= most)
        return 0;
    snprintf(msg, sizeof(msg), "Input should be %s than or equal to %lld (cents)",
             cents < least ? "greater" : "less", (long long)(cents < least ? least : most));
    return mg_err_field(err, cents < least ? "greater_than_equal" : "less_than_equal", msg,
                        "body/amount_cents");
}
