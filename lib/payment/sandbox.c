#include "payment/sandbox.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/log.h"
#include "json/writer.h"
#include "payment/signature.h"
#include "payment/stripe.h"
#include "payment/webhook.h"

#include <stdio.h>
#include <string.h>

#define EVENT_MOST ((size_t)16 * 1024)
#define PAYMENT_PREFIX "pi_"

enum query { INSERT, READ, OF_ORDER, PAY, DECLINE, EXPIRE, REFUND };
#define COLUMNS \
    "SELECT id, topup_id, cents, currency, status, refunded_cents, events, success_url," \
    " cancel_url FROM sandbox_session"
static const char *const sql[] = {
    [INSERT] = "INSERT IGNORE INTO sandbox_session (id, topup_id, cents, currency, success_url,"
               " cancel_url, created_ms) VALUES (?, ?, ?, ?, ?, ?, ?)",
    [READ] = COLUMNS " WHERE id = ?",
    [OF_ORDER] = COLUMNS " WHERE topup_id = ?",
    [PAY] = "UPDATE sandbox_session SET status = 'paid', events = events + 1"
            " WHERE id = ? AND status = 'open'",
    [DECLINE] = "UPDATE sandbox_session SET status = 'failed', events = events + 1"
                " WHERE id = ? AND status = 'open'",
    [EXPIRE] = "UPDATE sandbox_session SET status = 'expired', events = events + 1"
               " WHERE id = ? AND status = 'open'",
    [REFUND] = "UPDATE sandbox_session SET refunded_cents = refunded_cents + ?,"
               " events = events + 1 WHERE id = ? AND status = 'paid'"
               " AND ? > 0 AND refunded_cents + ? <= cents",
};

static int
open_sandbox(struct mg_payment *p, const struct mg_vault *vault, struct mg_err *err)
{
    static const char purpose[] = "model-gateway sandbox events";
    uint8_t sum[MG_SHA256_BYTES];
    (void)err;
    mg_warn("the sandbox takes payments: whoever reaches its page gets credit for a click");
    mg_hmac_sha256(vault->key, sizeof(vault->key), purpose, sizeof(purpose) - 1, sum);
    mg_hex(sum, sizeof(sum), p->sandbox_secret);
    return 0;
}

static void
get_text(struct mg_db *db, unsigned column, char *to, size_t size)
{
    snprintf(to, size, "%s", mg_db_get_bytes(db, column, NULL));
}

static int
read_session(struct mg_db *db, enum query query, struct mg_db_value value,
             struct mg_sandbox_session *s, struct mg_err *err)
{
    size_t n;
    if (mg_db_query(db, sql[query], &value, 1, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1) {
        memset(s, 0, sizeof(*s));
        get_text(db, 0, s->id, sizeof(s->id));
        memcpy(s->order, mg_db_get_bytes(db, 1, &n), MG_ID_BYTES);
        s->cents = mg_db_get_i64(db, 2);
        get_text(db, 3, s->currency, sizeof(s->currency));
        get_text(db, 4, s->status, sizeof(s->status));
        s->refunded_cents = mg_db_get_i64(db, 5);
        s->events = mg_db_get_i64(db, 6);
        get_text(db, 7, s->success_url, sizeof(s->success_url));
        get_text(db, 8, s->cancel_url, sizeof(s->cancel_url));
    }
    mg_db_done(db);
    return found;
}

static void
write_object(struct mg_jw *w, const struct mg_sandbox_session *s, bool charge, const char *url)
{
    char order[MG_ORDER_ID_SIZE], text[80];
    bool paid = strcmp(s->status, "paid") == 0;
    mg_order_id(s->order, order);
    snprintf(text, sizeof(text), PAYMENT_PREFIX "%s", s->id);
    mg_jw_string(w, "object", charge ? "charge" : "checkout.session");
    mg_jw_string(w, "id", charge ? text : s->id);
    mg_jw_string(w, "payment_intent", text);
    mg_jw_string(w, "currency", s->currency);
    mg_jw_object(w, "metadata");
    mg_jw_string(w, "order_id", order);
    mg_jw_end(w);
    if (charge) {
        mg_jw_int(w, "amount", s->cents);
        mg_jw_int(w, "amount_refunded", s->refunded_cents);
        mg_jw_string(w, "receipt_url", url);
        return;
    }
    mg_jw_string(w, "client_reference_id", order);
    mg_jw_string(w, "status", strcmp(s->status, "expired") == 0 ? "expired"
                              : paid                            ? "complete"
                                                                : "open");
    mg_jw_string(w, "payment_status", paid ? "paid" : "unpaid");
    mg_jw_int(w, "amount_subtotal", s->cents);
    mg_jw_int(w, "amount_total", s->cents);
    mg_jw_string(w, "url", url);
}

/* What the sandbox would answer, in Stripe's words, read by Stripe's reader. */
static int
answer(struct mg_payment *p, const struct mg_sandbox_session *s, struct mg_pool *pool,
       struct mg_payment_news *news)
{
    *news = (struct mg_payment_news){.has_order = true, .cents = s->cents,
                                     .refunded_cents = s->refunded_cents};
    memcpy(news->order, s->order, MG_ID_BYTES);
    news->session_id = mg_pool_strdup(pool, s->id);
    news->payment_id = mg_pool_printf(pool, PAYMENT_PREFIX "%s", s->id);
    news->url = mg_pool_printf(pool, "%s/api/sandbox/%s", p->conf->base_url, s->id);
    news->currency = mg_pool_strdup(pool, s->currency);
    news->state = strcmp(s->status, "paid") == 0      ? MG_PAYMENT_PAID
                  : strcmp(s->status, "failed") == 0  ? MG_PAYMENT_FAILED
                  : strcmp(s->status, "expired") == 0 ? MG_PAYMENT_EXPIRED
                                                      : MG_PAYMENT_UNSAID;
    if (news->state == MG_PAYMENT_PAID)
        news->receipt_url = news->url;
    return 0;
}

static int
create(struct mg_payment *p, const struct mg_order *order, struct mg_pool *pool,
       struct mg_payment_news *news, struct mg_err *err)
{
    uint8_t random[MG_ID_BYTES];
    char hex[MG_ID_HEX], name[MG_ORDER_ID_SIZE];
    struct mg_sandbox_session s;
    struct mg_db *db = mg_db_pool_get(p->db, err);
    if (db == NULL)
        return -1;
    mg_random(random, sizeof(random));
    const char *id = mg_pool_printf(pool, "sbx_%s", mg_hex(random, sizeof(random), hex));
    const char *success = mg_pool_printf(pool, "%s/app/credit/return/?order=%s", p->conf->base_url,
                                         mg_order_id(order->id, name));
    const char *cancel = mg_pool_printf(pool, "%s/app/credit/", p->conf->base_url);
    const struct mg_db_value values[] = {
        mg_db_text(id), mg_db_bytes(order->id, MG_ID_BYTES), mg_db_i64(order->cents),
        mg_db_text(order->currency), mg_db_text(success), mg_db_text(cancel),
        mg_db_i64(mg_now_ms())};
    int rc = mg_db_exec(db, sql[INSERT], values, 7, err);
    if (rc == 0)
        rc = read_session(db, OF_ORDER, values[1], &s, err) == 1 ? answer(p, &s, pool, news) : -1;
    mg_db_pool_put(p->db, db);
    return rc;
}

static int
find_session(struct mg_payment *p, const char *id, struct mg_sandbox_session *s,
             struct mg_err *err)
{
    struct mg_db *db = mg_db_pool_get(p->db, err);
    if (db == NULL)
        return -1;
    int found = read_session(db, READ, mg_db_text(id), s, err);
    mg_db_pool_put(p->db, db);
    return found;
}

static int
look(struct mg_payment *p, const struct mg_order *order, struct mg_pool *pool,
     struct mg_payment_news *news, struct mg_err *err)
{
    struct mg_sandbox_session s;
    int found = find_session(p, order->session_id, &s, err);
    if (found == 0)
        return mg_err_set(err, 502, "payment_provider_error", "The sandbox has no such page.");
    return found < 0 ? -1 : answer(p, &s, pool, news);
}

static int
find(struct mg_payment *p, const char *payment_id, struct mg_pool *pool,
     struct mg_payment_news *news, struct mg_err *err)
{
    struct mg_sandbox_session s;
    size_t n = sizeof(PAYMENT_PREFIX) - 1;
    if (strncmp(payment_id, PAYMENT_PREFIX, n) != 0)
        return 0;
    int found = find_session(p, payment_id + n, &s, err);
    return found == 1 ? answer(p, &s, pool, news), 1 : found;
}

static int
read_event(const struct mg_payment *p, const char *signature, struct mg_span body, int64_t now_ms,
           struct mg_pool *pool, struct mg_payment_event *event, struct mg_err *err)
{
    return mg_stripe_read_event(p->sandbox_secret, signature, body, now_ms, pool, event, err);
}

const struct mg_provider mg_sandbox = {
    .name = "sandbox",
    .signature_header = "sandbox-signature",
    .open = open_sandbox,
    .create = create,
    .look = look,
    .find = find,
    .read = read_event,
};

int
mg_sandbox_read(struct mg_payment *p, const char *id, struct mg_sandbox_session *s,
                struct mg_err *err)
{
    return mg_provider_find(p, mg_sandbox.name) != NULL ? find_session(p, id, s, err) : 0;
}

/* Sends the event of a click, signed, through the door of all events. */
static int
send_event(struct mg_payment *p, const char *type, const struct mg_sandbox_session *s,
           struct mg_pool *pool, struct mg_err *err)
{
    char header[MG_SIGNATURE_SIZE];
    struct mg_str body;
    struct mg_jw w;
    enum mg_outcome outcome;
    mg_str_init(&body, EVENT_MOST);
    mg_jw_init(&w, &body);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "event");
    mg_jw_string(&w, "id", mg_pool_printf(pool, "evt_%s_%lld", s->id, (long long)s->events));
    mg_jw_string(&w, "type", type);
    mg_jw_object(&w, "data");
    mg_jw_object(&w, "object");
    write_object(&w, s, strncmp(type, "charge.", 7) == 0,
                 mg_pool_printf(pool, "%s/api/sandbox/%s", p->conf->base_url, s->id));
    for (int i = 0; i < 3; i++)
        mg_jw_end(&w);
    mg_signature_make(p->sandbox_secret, mg_str_span(&body), mg_now_ms(), header);
    int rc = mg_webhook_take(p, &mg_sandbox, header, mg_str_span(&body), pool, &outcome, err);
    mg_str_free(&body);
    return rc;
}

static const struct action {
    const char *word;
    enum query query;
    const char *event; /* NULL: it is lost */
} actions[] = {
    {"pay", PAY, "checkout.session.completed"},
    {"pay_silently", PAY, NULL},
    {"decline", DECLINE, "checkout.session.async_payment_failed"},
    {"expire", EXPIRE, "checkout.session.expired"},
    {"refund", REFUND, "charge.refunded"},
};

static int
change(struct mg_payment *p, const struct action *a, const char *id, int64_t cents,
       struct mg_sandbox_session *s, struct mg_err *err)
{
    const struct mg_db_value amount = mg_db_i64(cents);
    const struct mg_db_value refund[] = {amount, mg_db_text(id), amount, amount};
    const struct mg_db_value *values = a->query == REFUND ? refund : &refund[1];
    struct mg_db *db = mg_db_pool_get(p->db, err);
    if (db == NULL)
        return -1;
    int rc = mg_db_exec(db, sql[a->query], values, a->query == REFUND ? 4 : 1, err);
    bool changed = rc == 0 && mg_db_affected(db) > 0;
    int found = rc == 0 ? read_session(db, READ, refund[1], s, err) : -1;
    mg_db_pool_put(p->db, db);
    if (found == 0)
        return mg_err_set(err, 404, "not_found", "There is no such page.");
    if (found == 1 && !changed)
        return mg_err_set(err, 409, "conflict", "The page is not in the state for this.");
    return found == 1 ? 0 : -1;
}

int
mg_sandbox_act(struct mg_payment *p, const char *id, const char *word, int64_t cents,
               struct mg_pool *pool, struct mg_sandbox_session *s, struct mg_err *err)
{
    const struct action *a = NULL;
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
        if (strcmp(word, actions[i].word) == 0)
            a = &actions[i];
    if (mg_provider_find(p, mg_sandbox.name) == NULL)
        return mg_err_set(err, 404, "not_found", "There is no such page.");
    if (a == NULL)
        return mg_err_field(err, "value_error", "Not a button of this page", "body/action");
    if (change(p, a, id, cents, s, err) != 0)
        return -1;
    return a->event != NULL ? send_event(p, a->event, s, pool, err) : 0;
}
