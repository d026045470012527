#include "payment/webhook.h"

#include "base/clock.h"
#include "base/log.h"

/* Whether an event can be laid at an order: it names it, or it names a payment that we know. 1, 0,
 * -1. */
static int
is_placed(struct mg_payment *p, const struct mg_provider *provider,
          const struct mg_payment_news *news, struct mg_err *err)
{
    uint8_t id[MG_ID_BYTES];
    if (news->has_order || news->payment_id == NULL)
        return 1;
    struct mg_db *db = mg_db_pool_get(p->db, err);
    if (db == NULL)
        return -1;
    int found = mg_order_of_payment(db, provider->name, news->payment_id, id, err);
    mg_db_pool_put(p->db, db);
    return found;
}

/* A refund or dispute that overtook its payment: the provider knows whose it is, and tells of the
 * payment at the same time. */
static int
place(struct mg_payment *p, const struct mg_provider *provider, const char *payment_id,
      struct mg_pool *pool, struct mg_err *err)
{
    struct mg_payment_news found = {.has_order = false};
    int known = provider->find(p, payment_id, pool, &found, err);
    if (known <= 0)
        return known;
    struct mg_db *db = mg_db_pool_get(p->db, err);
    if (db == NULL)
        return -1;
    int rc = mg_outcome_of_answer(db, provider, &found, err);
    mg_db_pool_put(p->db, db);
    return rc;
}

static int
take(struct mg_payment *p, const struct mg_provider *provider,
     const struct mg_payment_event *event, struct mg_pool *pool, enum mg_outcome *outcome,
     struct mg_err *err)
{
    int placed = is_placed(p, provider, &event->news, err);
    if (placed < 0 ||
        (placed == 0 && place(p, provider, event->news.payment_id, pool, err) < 0))
        return -1;
    struct mg_db *db = mg_db_pool_get(p->db, err);
    if (db == NULL)
        return -1;
    int rc = mg_outcome_of_event(db, provider, event, outcome, err);
    mg_db_pool_put(p->db, db);
    return rc;
}

int
mg_webhook_take(struct mg_payment *p, const struct mg_provider *provider, const char *signature,
                struct mg_span body, struct mg_pool *pool, enum mg_outcome *outcome,
                struct mg_err *err)
{
    struct mg_payment_event event;
    *outcome = MG_OUTCOME_FOREIGN;
    if (provider->read(p, signature, body, mg_now_ms(), pool, &event, err) != 0)
        return -1;
    if (!event.ours)
        return 0;
    int rc = take(p, provider, &event, pool, outcome, err);
    if (rc == 0)
        mg_info("payment event %s %s: %s", event.id, event.type,
                *outcome == MG_OUTCOME_APPLIED    ? "taken in"
                : *outcome == MG_OUTCOME_REPEATED ? "known already"
                                                  : "not of ours");
    return rc;
}
