#include "payment/provider.h"

#include "base/alloc.h"
#include "payment/sandbox.h"
#include "payment/stripe.h"

#include <stdlib.h>
#include <string.h>

static const struct mg_provider *const providers[] = {&mg_stripe, &mg_sandbox};
#define PROVIDERS (sizeof(providers) / sizeof(providers[0]))

static int
enable(struct mg_payment *p, const struct mg_vault *vault, struct mg_span name,
       struct mg_err *err)
{
    for (size_t i = 0; i < PROVIDERS; i++)
        if (mg_span_is(name, providers[i]->name)) {
            p->enabled |= 1u << i;
            return providers[i]->open(p, vault, err);
        }
    return mg_err_internal(err, "payment_providers: there is no provider '%.*s'", (int)name.n,
                           name.p);
}

/* Names with commas or spaces between. */
static int
enable_all(struct mg_payment *p, const struct mg_vault *vault, struct mg_err *err)
{
    const char *at = p->conf->payment_providers;
    while (*(at += strspn(at, ", ")) != '\0') {
        struct mg_span name = {at, strcspn(at, ", ")};
        if (enable(p, vault, name, err) != 0)
            return -1;
        at += name.n;
    }
    return 0;
}

/* What is fixed by the arithmetic: hundredths, so no currency without them. */
static int
check_currency(const char *currency, struct mg_err *err)
{
    static const char odd[] = "bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf "
                              "bhd jod kwd omr tnd";
    bool good = strlen(currency) == 3 && strspn(currency, "abcdefghijklmnopqrstuvwxyz") == 3;
    if (good && strstr(odd, currency) == NULL)
        return 0;
    return mg_err_internal(err, "topup_currency: '%s' is no currency of hundredths such as usd",
                           currency);
}

int
mg_payment_open(const struct mg_conf *conf, const struct mg_vault *vault, struct mg_db_pool *db,
                struct mg_payment **payment, struct mg_err *err)
{
    *payment = mg_calloc(1, sizeof(**payment));
    (*payment)->conf = conf;
    (*payment)->db = db;
    if (check_currency(conf->topup_currency, err) == 0 && enable_all(*payment, vault, err) == 0)
        return 0;
    mg_payment_close(payment);
    return -1;
}

static void
wipe(char *secret)
{
    if (secret != NULL)
        mg_wipe(secret, strlen(secret));
    free(secret);
}

void
mg_payment_close(struct mg_payment **payment)
{
    struct mg_payment *p = *payment;
    if (p == NULL)
        return;
    wipe(p->stripe_key);
    wipe(p->stripe_secret);
    mg_wipe(p->sandbox_secret, sizeof(p->sandbox_secret));
    free(p);
    *payment = NULL;
}

const struct mg_provider *
mg_provider_next(const struct mg_payment *payment, size_t *at)
{
    while (*at < PROVIDERS) {
        size_t i = (*at)++;
        if (payment->enabled & 1u << i)
            return providers[i];
    }
    return NULL;
}

const struct mg_provider *
mg_provider_find(const struct mg_payment *payment, const char *name)
{
    const struct mg_provider *p;
    for (size_t at = 0; (p = mg_provider_next(payment, &at)) != NULL;)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}
