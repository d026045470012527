#include "payment/outcome.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/money.h"
#include "ledger/grant.h"
#include "ledger/vip.h"
#include "mail/mail.h"
#include "payment/rate.h"

#include <stdio.h>
#include <string.h>

enum query { EVENT, DISPUTE, DISPUTED };
static const char *const sql[] = {
    [EVENT] = "INSERT IGNORE INTO payment_event (provider, event_id, type, topup_id, received_ms)"
              " VALUES (?, ?, ?, ?, ?)",
    [DISPUTE] = "INSERT INTO topup_dispute (provider, dispute_id, topup_id, cents, state,"
                " opened_ms) VALUES (?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE"
                " cents = GREATEST(cents, VALUES(cents)),"
                " state = IF(VALUES(state) + 0 > state + 0, VALUES(state), state)",
    [DISPUTED] = "SELECT COALESCE(SUM(cents), 0) FROM topup_dispute"
                 " WHERE topup_id = ? AND state IN ('open', 'lost')",
};

struct telling {
    const struct mg_provider *provider;
    const struct mg_payment_event *event; /* NULL: an answer */
    const struct mg_payment_news *news;
    enum mg_outcome outcome;
    struct mg_order order;
    bool credited;                        /* by this telling */
};

/* Which order it is about: 1 with `id`, 0 none, -1. */
static int
find_order(struct mg_db *db, const struct telling *t, uint8_t id[MG_ID_BYTES],
           struct mg_err *err)
{
    if (t->news->has_order) {
        memcpy(id, t->news->order, MG_ID_BYTES);
        return 1;
    }
    if (t->news->payment_id == NULL)
        return 0;
    return mg_order_of_payment(db, t->provider->name, t->news->payment_id, id, err);
}

/* 1 when the event is new, 0 when it was committed before, -1. */
static int
note_event(struct mg_db *db, const struct telling *t, const uint8_t *order, struct mg_err *err)
{
    const struct mg_db_value values[] = {
        mg_db_text(t->provider->name), mg_db_text(t->event->id), mg_db_text(t->event->type),
        order != NULL ? mg_db_bytes(order, MG_ID_BYTES) : mg_db_null(), mg_db_i64(mg_now_ms())};
    if (mg_db_exec(db, sql[EVENT], values, 5, err) != 0)
        return -1;
    return mg_db_affected(db) > 0;
}

static void
adopt(char *to, size_t size, const char *text)
{
    if (*to == '\0' && text != NULL && strlen(text) < size)
        snprintf(to, size, "%s", text);
}

static void
flag(struct mg_order *o, const char *what, int64_t cents, const char *currency)
{
    char id[MG_ORDER_ID_SIZE];
    snprintf(o->problem, sizeof(o->problem), "%s: %lld cents %.3s", what, (long long)cents,
             currency != NULL ? currency : "?");
    mg_warn("order %s needs a look: %s", mg_order_id(o->id, id), o->problem);
}

/* Tells the customer. The mail goes out if and only if the credit is committed. */
static int
mail_receipt(struct mg_db *db, const struct mg_order *o, struct mg_err *err)
{
    char id[MG_ORDER_ID_SIZE], credit[MG_MONEY_SIZE], text[1024];
    mg_order_id(o->id, id);
    mg_money_text(mg_rate_credit(o->cents, o->rate), credit);
    snprintf(text, sizeof(text),
             "Thank you. Your payment has arrived and the credit is in your wallet.\n\n"
             "You paid:      %lld.%02lld %s\n"
             "You received:  %s API Coding Credits (x%lld)\n"
             "Order:         %s\n\n"
             "Credit is for API use with this service; it cannot be cashed out. The dashboard's\n"
             "Credit page lists your orders and their receipts.\n",
             (long long)(o->cents / 100), (long long)(o->cents % 100), o->currency, credit,
             (long long)o->rate, id);
    const struct mg_mail mail = {.account_id = o->wallet_id, .subject = "Your credit has arrived",
                                 .text = text, .ref = o->id};
    return mg_mail_post(db, &mail, err);
}

/* The credit itself: its ref is the order's id, so it cannot be given twice. */
static int
credit(struct mg_db *db, struct telling *t, int64_t now, struct mg_err *err)
{
    struct mg_order *o = &t->order;
    char note[MG_GRANT_NOTE];
    snprintf(note, sizeof(note), "Top-up of %lld.%02lld %s at x%lld", (long long)(o->cents / 100),
             (long long)(o->cents % 100), o->currency, (long long)o->rate);
    struct mg_grant grant = {.wallet_id = o->wallet_id, .kind = MG_GRANT_TOPUP,
                             .amount = mg_rate_credit(o->cents, o->rate), .note = note};
    memcpy(grant.ref, o->id, MG_ID_BYTES);
    if (t->news->payment_id != NULL && strlen(t->news->payment_id) < sizeof(o->payment_id))
        snprintf(o->payment_id, sizeof(o->payment_id), "%s", t->news->payment_id);
    o->state = MG_PAYMENT_PAID;
    o->paid_ms = now;
    o->problem[0] = '\0';
    t->credited = true;
    if (mg_grant_post(db, &grant, NULL, err) != 0)
        return -1;
    if (mg_vip_on_topup(db, o->wallet_id, o->id, o->cents, now, err) != 0)
        return -1;
    return mail_receipt(db, o, err);
}

/* Whether the news are of another payment than the one that the order was credited for: what
 * becomes of that one's money does not concern the credit. */
static bool
is_stray(const struct mg_order *o, const struct mg_payment_news *n)
{
    return o->state == MG_PAYMENT_PAID && n->payment_id != NULL &&
           strcmp(o->payment_id, n->payment_id) != 0;
}

/* A complete payment. */
static int
take_payment(struct mg_db *db, struct telling *t, int64_t now, struct mg_err *err)
{
    struct mg_order *o = &t->order;
    const struct mg_payment_news *n = t->news;
    bool other = n->session_id != NULL && strcmp(o->session_id, n->session_id) != 0;
    if (o->state == MG_PAYMENT_PAID) {
        if (other)
            flag(o, "paid a second time", n->cents, n->currency);
        return 0;
    }
    if (n->cents != o->cents || n->currency == NULL || strcmp(n->currency, o->currency) != 0) {
        flag(o, "paid otherwise than ordered", n->cents, n->currency);
        return 0;
    }
    return credit(db, t, now, err);
}

static int
take_dispute(struct mg_db *db, struct telling *t, int64_t now, struct mg_err *err)
{
    const struct mg_payment_news *n = t->news;
    struct mg_db_value id = mg_db_bytes(t->order.id, MG_ID_BYTES);
    const struct mg_db_value values[] = {mg_db_text(t->provider->name), mg_db_text(n->dispute_id),
                                         id, mg_db_i64(n->dispute_cents), mg_db_i64(n->dispute),
                                         mg_db_i64(now)};
    if (mg_db_exec(db, sql[DISPUTE], values, 6, err) != 0 ||
        mg_db_query(db, sql[DISPUTED], &id, 1, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1)
        t->order.disputed_cents = mg_db_get_i64(db, 0);
    mg_db_done(db);
    return found == 1 ? 0 : -1;
}

/* Brings the ledger to what refunds and disputes together mean now. */
static int
balance_out(struct mg_db *db, struct mg_order *o, int64_t now, struct mg_err *err)
{
    int64_t back = o->refunded_cents + o->disputed_cents;
    int64_t target = mg_rate_credit(back < o->cents ? back : o->cents, o->rate);
    uint8_t text[MG_ID_BYTES + 8], sum[MG_SHA256_BYTES];
    if (o->state != MG_PAYMENT_PAID || target == o->clawed)
        return 0;
    char id[MG_ORDER_ID_SIZE], note[MG_GRANT_NOTE];
    bool takes = target > o->clawed;
    snprintf(note, sizeof(note), takes ? "Refund or dispute of %s" : "Dispute of %s was won",
             mg_order_id(o->id, id));
    struct mg_grant grant = {.wallet_id = o->wallet_id,
                             .kind = takes ? MG_GRANT_CLAWBACK : MG_GRANT_ADJUST,
                             .amount = o->clawed - target,
                             .note = note,
                             .of = takes ? o->id : NULL};
    memcpy(text, o->id, MG_ID_BYTES);
    for (int i = 0; i < 8; i++)
        text[MG_ID_BYTES + i] = (uint8_t)(o->claws >> (8 * i));
    mg_sha256(text, sizeof(text), sum);
    memcpy(grant.ref, sum, MG_ID_BYTES);
    o->claws++;
    o->clawed = target;
    if (mg_grant_post(db, &grant, NULL, err) != 0)
        return -1;
    return mg_vip_on_refund(db, o->wallet_id, o->id, back < o->cents ? o->cents - back : 0, now,
                            err);
}

static int
apply(struct mg_db *db, struct telling *t, struct mg_err *err)
{
    struct mg_order *o = &t->order;
    const struct mg_payment_news *n = t->news;
    int64_t now = mg_now_ms();
    adopt(o->session_id, sizeof(o->session_id), n->session_id);
    adopt(o->payment_id, sizeof(o->payment_id), n->payment_id);
    adopt(o->receipt_url, sizeof(o->receipt_url), n->receipt_url);
    if (n->state == MG_PAYMENT_PAID && take_payment(db, t, now, err) != 0)
        return -1;
    if ((n->state == MG_PAYMENT_FAILED || n->state == MG_PAYMENT_EXPIRED) &&
        o->state == MG_PAYMENT_UNSAID)
        o->state = n->state;
    if (n->refunded_cents > o->refunded_cents && !is_stray(o, n))
        o->refunded_cents = n->refunded_cents;
    if (n->dispute_id != NULL && !is_stray(o, n) && take_dispute(db, t, now, err) != 0)
        return -1;
    if (balance_out(db, o, now, err) != 0)
        return -1;
    return mg_order_save(db, o, err);
}

static int
tell(struct mg_db *db, void *arg, struct mg_err *err)
{
    struct telling *t = arg;
    uint8_t id[MG_ID_BYTES];
    t->credited = false;
    t->outcome = MG_OUTCOME_FOREIGN;
    int found = find_order(db, t, id, err);
    if (found < 0)
        return -1;
    if (t->event != NULL) {
        int fresh = note_event(db, t, found == 1 ? id : NULL, err);
        if (fresh < 0)
            return -1;
        if (fresh == 0) {
            t->outcome = MG_OUTCOME_REPEATED;
            return 0;
        }
    }
    if (found == 1)
        found = mg_order_lock(db, id, &t->order, err);
    if (found < 0)
        return -1;
    if (found == 0 || strcmp(t->order.provider, t->provider->name) != 0)
        return 0; /* another deployment shares the provider's account */
    t->outcome = MG_OUTCOME_APPLIED;
    return apply(db, t, err);
}

static int
run(struct mg_db *db, struct telling *t, struct mg_err *err)
{
    char id[MG_ORDER_ID_SIZE];
    int rc = mg_db_txn(db, "payment", tell, t, err);
    if (rc == 0 && t->outcome == MG_OUTCOME_APPLIED)
        mg_info("order %s account=%llu: %s%s", mg_order_id(t->order.id, id),
                (unsigned long long)t->order.wallet_id, mg_order_status(&t->order),
                t->credited ? ", credited" : "");
    return rc;
}

int
mg_outcome_of_event(struct mg_db *db, const struct mg_provider *provider,
                    const struct mg_payment_event *event, enum mg_outcome *outcome,
                    struct mg_err *err)
{
    struct telling t = {.provider = provider, .event = event, .news = &event->news};
    int rc = run(db, &t, err);
    *outcome = t.outcome;
    return rc;
}

int
mg_outcome_of_answer(struct mg_db *db, const struct mg_provider *provider,
                     const struct mg_payment_news *news, struct mg_err *err)
{
    struct telling t = {.provider = provider, .news = news};
    return run(db, &t, err);
}
