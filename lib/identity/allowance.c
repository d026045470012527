#include "identity/allowance.h"

#include "base/clock.h"
#include "base/money.h"

#include <string.h>

struct mg_span
mg_allowance_next(const char *models, struct mg_span after)
{
    const char *at = after.p != NULL ? after.p + after.n : models;
    at += strspn(at, " ");
    return (struct mg_span){at, strcspn(at, " ")};
}

static bool
holds(const char *models, const char *id)
{
    struct mg_span one = {NULL, 0};
    while ((one = mg_allowance_next(models, one)).n > 0)
        if (mg_span_is(one, id))
            return true;
    return false;
}

bool
mg_allowance_has(const char *models, const char *id)
{
    return *models == '\0' || holds(models, id);
}

int
mg_allowance_add(char *models, size_t size, const char *id)
{
    size_t used = strlen(models), n = strlen(id);
    bool good = n > 0;
    for (const char *c = id; *c != '\0'; c++)
        good = good && *c > 0x20 && *c < 0x7f;
    if (!good)
        return -1;
    if (holds(models, id))
        return 0;
    if (used + n + 2 > size)
        return -1;
    if (used > 0)
        models[used++] = ' ';
    memcpy(models + used, id, n + 1);
    return 0;
}

static int
refuse_model(const struct mg_principal *who, const char *asked, struct mg_err *err)
{
    mg_err_param(err, 403, "model_not_allowed", "model",
                 "This API key is not allowed to use the model `%.100s`. It may use: %.300s.",
                 asked, who->models);
    err->no_retry = true;
    return -1;
}

static int
refuse_spending(const struct mg_principal *who, int64_t now_ms, struct mg_err *err)
{
    char limit[MG_MONEY_SIZE], spent[MG_MONEY_SIZE], until[MG_RFC3339_SIZE];
    mg_err_set(err, 402, "key_limit_reached",
               "This API key has reached its monthly limit: %s of %s credits are spent. It works "
               "again from %s; the account's owner can raise the limit in the dashboard.",
               mg_money_text(who->spent_month, spent), mg_money_text(who->monthly_limit, limit),
               mg_rfc3339(mg_utc_next_month(now_ms), until));
    err->no_retry = true;
    return -1;
}

int
mg_allowance_check(const struct mg_principal *who, const char *asked, int64_t now_ms,
                   struct mg_err *err)
{
    if (!mg_allowance_has(who->models, asked))
        return refuse_model(who, asked, err);
    if (who->monthly_limit > 0 && who->spent_month >= who->monthly_limit)
        return refuse_spending(who, now_ms, err);
    return 0;
}
