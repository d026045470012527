#include "payment/checkout.h"

#include "base/clock.h"
#include "base/log.h"
#include "payment/outcome.h"
#include "payment/rate.h"

#include <stdio.h>
#include <string.h>

static int
make_order(struct mg_payment *p, struct mg_order *order, const char *client_key,
           struct mg_err *err)
{
    struct mg_db *db = mg_db_pool_get(p->db, err);
    if (db == NULL)
        return -1;
    int rc = mg_order_create(db, order, client_key, err);
    mg_db_pool_put(p->db, db);
    return rc < 0 ? -1 : 0;
}

static int
make_page(struct mg_payment *p, const struct mg_provider *provider, struct mg_order *order,
          struct mg_pool *pool, struct mg_err *err)
{
    struct mg_payment_news news = {.has_order = false};
    if (provider->create(p, order, pool, &news, err) != 0)
        return -1;
    struct mg_db *db = mg_db_pool_get(p->db, err);
    if (db == NULL)
        return -1;
    int rc = mg_order_set_session(db, order, &news, err);
    if (rc == 0 && mg_order_read(db, order->id, 0, order, err) != 1)
        rc = -1;
    mg_db_pool_put(p->db, db);
    return rc;
}

int
mg_checkout_start(struct mg_payment *p, const struct mg_provider *provider, uint64_t wallet_id,
                  int64_t cents, const char *client_key, struct mg_pool *pool,
                  struct mg_order *order, struct mg_err *err)
{
    if (mg_rate_check(p->conf, cents, err) != 0)
        return -1;
    *order = (struct mg_order){.wallet_id = wallet_id, .cents = cents,
                               .rate = mg_rate_of(cents)};
    snprintf(order->provider, sizeof(order->provider), "%s", provider->name);
    snprintf(order->currency, sizeof(order->currency), "%s", p->conf->topup_currency);
    if (make_order(p, order, client_key, err) != 0)
        return -1;
    /* Repeated by the customer: the page is there, or its maker has not come to it. */
    return *order->url != '\0' ? 0 : make_page(p, provider, order, pool, err);
}

/* Takes in an answer and reads the order again. */
static int
take_answer(struct mg_payment *p, const struct mg_provider *provider, struct mg_order *order,
            struct mg_payment_news *news, struct mg_err *err)
{
    struct mg_db *db = mg_db_pool_get(p->db, err);
    if (db == NULL)
        return -1;
    news->has_order = true; /* the one that was asked about, whatever the answer calls it */
    memcpy(news->order, order->id, MG_ID_BYTES);
    int rc = mg_outcome_of_answer(db, provider, news, err);
    if (rc == 0 && mg_order_read(db, order->id, 0, order, err) != 1)
        rc = -1;
    mg_db_pool_put(p->db, db);
    return rc;
}

/* 1 when it is our turn to ask, 0, -1. */
static int
claim(struct mg_payment *p, const struct mg_order *order, struct mg_err *err)
{
    struct mg_db *db = mg_db_pool_get(p->db, err);
    if (db == NULL)
        return -1;
    int turn = mg_order_claim_check(db, order, mg_now_ms(), MG_CHECKOUT_PATIENCE_MS, err);
    mg_db_pool_put(p->db, db);
    return turn;
}

static int
ask(struct mg_payment *p, struct mg_order *order, struct mg_pool *pool, struct mg_err *err)
{
    struct mg_payment_news news = {.has_order = false};
    const struct mg_provider *provider = mg_provider_find(p, order->provider);
    if (provider == NULL)
        return mg_err_set(err, 503, "unavailable", "The payment provider %.31s is not configured.",
                          order->provider);
    if (*order->session_id == '\0') { /* its page was never made */
        if (order->expires_ms <= mg_now_ms())
            news.state = MG_PAYMENT_EXPIRED;
    } else if (provider->look(p, order, pool, &news, err) != 0) {
        return -1;
    }
    return take_answer(p, provider, order, &news, err);
}

int
mg_checkout_check(struct mg_payment *p, struct mg_order *order, bool insist,
                  struct mg_pool *pool, struct mg_err *err)
{
    struct mg_err quiet = MG_ERR_INIT;
    if (insist)
        return ask(p, order, pool, err);
    if (order->state != MG_PAYMENT_UNSAID)
        return 0;
    int turn = claim(p, order, err);
    if (turn <= 0)
        return turn;
    if (ask(p, order, pool, &quiet) != 0)
        mg_warn("asking %s about an order: %s: %s", order->provider, quiet.message, quiet.detail);
    mg_err_free(&quiet);
    return 0;
}
