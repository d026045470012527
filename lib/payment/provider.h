/* Payment providers: one small table, and what is open while the service runs.
 *
 * A provider hosts the page on which a customer pays; card data never comes near this service.
 * Adding one is a row and a file that speaks its language (payment/stripe.c is the model); orders,
 * credit, refunds and disputes (payment/order.h, payment/outcome.h) do not know who it is. */
#ifndef MG_PAYMENT_PROVIDER_H
#define MG_PAYMENT_PROVIDER_H

#include "base/conf.h"
#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"
#include "base/vault.h"
#include "db/db.h"
#include "payment/news.h"
#include "payment/order.h"

/* The settings and secrets of payments. */
struct mg_payment {
    const struct mg_conf *conf;
    struct mg_db_pool *db;
    unsigned enabled;          /* bits by row of the table */
    char *stripe_key;          /* secrets: wiped by mg_payment_close */
    char *stripe_secret;
    char sandbox_secret[65];
};

/* How to talk to a provider. Answers and their texts come from `pool`; errors are the client's:
 * 502, 504 or 503. */
struct mg_provider {
    const char *name;             /* as it stands in paths and in the database */
    const char *signature_header; /* of its events */
    /* Reads its secrets at start-up. */
    int (*open)(struct mg_payment *payment, const struct mg_vault *vault, struct mg_err *err);
    /* Makes the hosted page for an order; doing it again for the same order gives the same one.
     * Fills session_id, url, expires_ms. 0 or -1. */
    int (*create)(struct mg_payment *payment, const struct mg_order *order, struct mg_pool *pool,
                  struct mg_payment_news *news, struct mg_err *err);
    /* What has become of an order with a session. 0 or -1. */
    int (*look)(struct mg_payment *payment, const struct mg_order *order, struct mg_pool *pool,
                struct mg_payment_news *news, struct mg_err *err);
    /* Which order a payment belongs to, when we do not know it: fills `news` as look does. 1, 0 for
     * a payment that is none of ours, -1. */
    int (*find)(struct mg_payment *payment, const char *payment_id, struct mg_pool *pool,
                struct mg_payment_news *news, struct mg_err *err);
    /* Checks the signature over the raw bytes and reads the event. 0; -1 with a 400. */
    int (*read)(const struct mg_payment *payment, const char *signature, struct mg_span body,
                int64_t now_ms, struct mg_pool *pool, struct mg_payment_event *event,
                struct mg_err *err);
};

/* Reads the settings; `conf` and `db` must outlive it. Without providers configured it opens,
 * and sells nothing. *payment is NULL on failure. 0 or -1 with what is wrong in err->detail. */
int mg_payment_open(const struct mg_conf *conf, const struct mg_vault *vault,
                    struct mg_db_pool *db, struct mg_payment **payment, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Wipes the secrets; NULL is allowed. */
void mg_payment_close(struct mg_payment **payment) __attribute__((nonnull));

/* An enabled provider by its name, NULL when there is none. */
const struct mg_provider *mg_provider_find(const struct mg_payment *payment, const char *name)
    __attribute__((nonnull));
/* The enabled providers one after the other: *at starts at 0; NULL ends. */
const struct mg_provider *mg_provider_next(const struct mg_payment *payment, size_t *at)
    __attribute__((nonnull));

#endif
