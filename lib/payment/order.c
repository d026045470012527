#include "payment/order.h"

#include "base/clock.h"
#include "base/digest.h"

#include <stdio.h>
#include <string.h>

#define PREFIX "ord_"
#define HOUR_MS 3600000LL
#define LIFE_MS 86400000LL /* until the provider says for how long its page is good */

#define COLUMNS \
    "id, wallet_id, provider, cents, currency, rate, CAST(state AS UNSIGNED), session_id," \
    " payment_id, url, receipt_url, created_ms, expires_ms, paid_ms, checked_ms," \
    " refunded_cents, clawed, claws, problem, (SELECT COALESCE(SUM(d.cents), 0)" \
    " FROM topup_dispute d WHERE d.topup_id = topup.id AND d.state IN ('open', 'lost'))"

enum query { WAITING, INSERT, READ, LOCK, OF_KEY, OF_PAYMENT, SESSION, SAVE, CLEAR, CLAIM, LIST };
static const char *const sql[] = {
    [WAITING] = "SELECT COUNT(*) FROM topup WHERE wallet_id = ? AND created_ms > ?"
                " AND state = 'pending'",
    [INSERT] = "INSERT IGNORE INTO topup (id, wallet_id, provider, client_key, cents, currency,"
               " rate, created_ms, expires_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [READ] = "SELECT " COLUMNS " FROM topup WHERE id = ? AND (? = 0 OR wallet_id = ?)",
    [LOCK] = "SELECT " COLUMNS " FROM topup WHERE id = ? FOR UPDATE",
    [OF_KEY] = "SELECT " COLUMNS " FROM topup WHERE wallet_id = ? AND client_key = ?",
    [OF_PAYMENT] = "SELECT id FROM topup WHERE provider = ? AND payment_id = ? LIMIT 1",
    [SESSION] = "UPDATE topup SET session_id = ?, url = ?, expires_ms = ? WHERE id = ?",
    [SAVE] = "UPDATE topup SET state = ?, session_id = ?, payment_id = ?, receipt_url = ?,"
             " paid_ms = ?, refunded_cents = ?, clawed = ?, claws = ?, problem = ? WHERE id = ?",
    [CLEAR] = "UPDATE topup SET state = IF(state = 'pending', 'failed', state), problem = ''"
              " WHERE id = ? AND problem <> ''",
    [CLAIM] = "UPDATE topup SET checked_ms = ? WHERE id = ? AND checked_ms <= ?",
    [LIST] = "SELECT " COLUMNS " FROM topup WHERE (? = 0 OR wallet_id = ?)"
             " AND (? = 0 OR problem <> '')"
             " AND (? = 0 OR (created_ms, id) < (SELECT c.created_ms, c.id FROM topup c"
             " WHERE c.id = ?)) ORDER BY created_ms DESC, id DESC LIMIT ?",
};

char *
mg_order_id(const uint8_t id[MG_ID_BYTES], char text[MG_ORDER_ID_SIZE])
{
    memcpy(text, PREFIX, sizeof(PREFIX));
    mg_hex(id, MG_ID_BYTES, text + sizeof(PREFIX) - 1);
    return text;
}

int
mg_order_id_parse(const char *text, uint8_t id[MG_ID_BYTES])
{
    size_t n = sizeof(PREFIX) - 1;
    if (strncmp(text, PREFIX, n) != 0)
        return -1;
    return mg_unhex(text + n, strlen(text + n), id, MG_ID_BYTES);
}

const char *
mg_order_status(const struct mg_order *o)
{
    switch (o->state) {
    case MG_PAYMENT_UNSAID:
        return "pending";
    case MG_PAYMENT_FAILED:
        return "failed";
    case MG_PAYMENT_EXPIRED:
        return "expired";
    case MG_PAYMENT_PAID:
        break;
    }
    if (o->disputed_cents > 0)
        return "disputed";
    if (o->refunded_cents >= o->cents)
        return "refunded";
    return o->refunded_cents > 0 ? "partly_refunded" : "paid";
}

static void
get_text(struct mg_db *db, unsigned column, char *to, size_t size)
{
    snprintf(to, size, "%s", mg_db_get_bytes(db, column, NULL));
}

static void
read_row(struct mg_db *db, struct mg_order *o)
{
    size_t n;
    memset(o, 0, sizeof(*o));
    const char *id = mg_db_get_bytes(db, 0, &n);
    memcpy(o->id, id, n < MG_ID_BYTES ? n : MG_ID_BYTES);
    o->wallet_id = mg_db_get_u64(db, 1);
    get_text(db, 2, o->provider, sizeof(o->provider));
    o->cents = mg_db_get_i64(db, 3);
    get_text(db, 4, o->currency, sizeof(o->currency));
    o->rate = mg_db_get_i64(db, 5);
    o->state = (enum mg_payment_state)(mg_db_get_i64(db, 6) - 1); /* an ENUM counts from 1 */
    get_text(db, 7, o->session_id, sizeof(o->session_id));
    get_text(db, 8, o->payment_id, sizeof(o->payment_id));
    get_text(db, 9, o->url, sizeof(o->url));
    get_text(db, 10, o->receipt_url, sizeof(o->receipt_url));
    o->created_ms = mg_db_get_i64(db, 11);
    o->expires_ms = mg_db_get_i64(db, 12);
    o->paid_ms = mg_db_get_i64(db, 13);
    o->checked_ms = mg_db_get_i64(db, 14);
    o->refunded_cents = mg_db_get_i64(db, 15);
    o->clawed = mg_db_get_i64(db, 16);
    o->claws = mg_db_get_i64(db, 17);
    get_text(db, 18, o->problem, sizeof(o->problem));
    o->disputed_cents = mg_db_get_i64(db, 19);
}

static int
read_one(struct mg_db *db, enum query query, const struct mg_db_value *values, size_t count,
         struct mg_order *order, struct mg_err *err)
{
    if (mg_db_query(db, sql[query], values, count, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1)
        read_row(db, order);
    mg_db_done(db);
    return found;
}

int
mg_order_read(struct mg_db *db, const uint8_t id[MG_ID_BYTES], uint64_t wallet_id,
              struct mg_order *order, struct mg_err *err)
{
    const struct mg_db_value values[] = {mg_db_bytes(id, MG_ID_BYTES), mg_db_u64(wallet_id),
                                         mg_db_u64(wallet_id)};
    return read_one(db, READ, values, 3, order, err);
}

int
mg_order_lock(struct mg_db *db, const uint8_t id[MG_ID_BYTES], struct mg_order *order,
              struct mg_err *err)
{
    const struct mg_db_value value = mg_db_bytes(id, MG_ID_BYTES);
    return read_one(db, LOCK, &value, 1, order, err);
}

int
mg_order_of_payment(struct mg_db *db, const char *provider, const char *payment_id,
                    uint8_t id[MG_ID_BYTES], struct mg_err *err)
{
    const struct mg_db_value values[] = {mg_db_text(provider), mg_db_text(payment_id)};
    size_t n;
    if (mg_db_query(db, sql[OF_PAYMENT], values, 2, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1)
        memcpy(id, mg_db_get_bytes(db, 0, &n), MG_ID_BYTES);
    mg_db_done(db);
    return found;
}

/* The order that the wallet made under this key before: 0 when it is for the same. */
static int
take_earlier(struct mg_db *db, struct mg_order *order, struct mg_db_value key,
             struct mg_err *err)
{
    struct mg_order earlier;
    const struct mg_db_value values[] = {mg_db_u64(order->wallet_id), key};
    int found = read_one(db, OF_KEY, values, 2, &earlier, err);
    if (found == 0)
        return mg_err_internal(err, "an order was neither made nor found");
    if (found < 0)
        return -1;
    if (earlier.cents != order->cents || strcmp(earlier.provider, order->provider) != 0 ||
        strcmp(earlier.currency, order->currency) != 0)
        return mg_err_set(err, 409, "idempotency_conflict",
                          "This Idempotency-Key was used for another amount or provider.");
    *order = earlier;
    return 0;
}

/* Every order makes the provider work: nobody needs many pages that he does not pay on. */
static int
check_waiting(struct mg_db *db, const struct mg_order *order, struct mg_err *err)
{
    const struct mg_db_value values[] = {mg_db_u64(order->wallet_id),
                                         mg_db_i64(mg_now_ms() - HOUR_MS)};
    uint64_t waiting = 0;
    int found = mg_db_number(db, sql[WAITING], values, 2, &waiting, err);
    if (found < 0 || waiting < MG_ORDERS_WAITING)
        return found < 0 ? -1 : 0;
    mg_err_set(err, 429, "too_many_orders",
               "There are %d unpaid orders of the last hour. Pay one of them, or wait.",
               MG_ORDERS_WAITING);
    err->retry_after_s = 600;
    return -1;
}

int
mg_order_create(struct mg_db *db, struct mg_order *order, const char *client_key,
                struct mg_err *err)
{
    uint8_t sum[MG_SHA256_BYTES];
    struct mg_db_value key = mg_db_null();
    if (client_key != NULL) {
        mg_sha256(client_key, strlen(client_key), sum);
        key = mg_db_bytes(sum, sizeof(sum));
    }
    if (check_waiting(db, order, err) != 0)
        return -1;
    mg_random(order->id, sizeof(order->id));
    order->state = MG_PAYMENT_UNSAID;
    order->created_ms = mg_now_ms();
    order->expires_ms = order->created_ms + LIFE_MS;
    const struct mg_db_value values[] = {
        mg_db_bytes(order->id, MG_ID_BYTES), mg_db_u64(order->wallet_id),
        mg_db_text(order->provider), key, mg_db_i64(order->cents), mg_db_text(order->currency),
        mg_db_i64(order->rate), mg_db_i64(order->created_ms), mg_db_i64(order->expires_ms)};
    if (mg_db_exec(db, sql[INSERT], values, 9, err) != 0)
        return -1;
    return mg_db_affected(db) > 0 ? 1 : take_earlier(db, order, key, err);
}

int
mg_order_set_session(struct mg_db *db, const struct mg_order *order,
                     const struct mg_payment_news *news, struct mg_err *err)
{
    const struct mg_db_value values[] = {
        mg_db_text(news->session_id), mg_db_text(news->url),
        mg_db_i64(news->expires_ms > 0 ? news->expires_ms : order->expires_ms),
        mg_db_bytes(order->id, MG_ID_BYTES)};
    return mg_db_exec(db, sql[SESSION], values, 4, err);
}

/* "" is NULL in columns that have to be unique. */
static struct mg_db_value
text_or_null(const char *text)
{
    return mg_db_text(*text != '\0' ? text : NULL);
}

int
mg_order_save(struct mg_db *db, const struct mg_order *o, struct mg_err *err)
{
    const struct mg_db_value values[] = {
        mg_db_i64(o->state + 1), text_or_null(o->session_id), text_or_null(o->payment_id),
        mg_db_text(o->receipt_url), o->paid_ms > 0 ? mg_db_i64(o->paid_ms) : mg_db_null(),
        mg_db_i64(o->refunded_cents), mg_db_i64(o->clawed), mg_db_i64(o->claws),
        mg_db_text(o->problem), mg_db_bytes(o->id, MG_ID_BYTES)};
    return mg_db_exec(db, sql[SAVE], values, 10, err);
}

int
mg_order_clear(struct mg_db *db, const uint8_t id[MG_ID_BYTES], struct mg_err *err)
{
    const struct mg_db_value value = mg_db_bytes(id, MG_ID_BYTES);
    if (mg_db_exec(db, sql[CLEAR], &value, 1, err) != 0)
        return -1;
    return mg_db_affected(db) > 0;
}

int
mg_order_claim_check(struct mg_db *db, const struct mg_order *order, int64_t now_ms,
                     int64_t least_ms, struct mg_err *err)
{
    const struct mg_db_value values[] = {mg_db_i64(now_ms), mg_db_bytes(order->id, MG_ID_BYTES),
                                         mg_db_i64(now_ms - least_ms)};
    if (mg_db_exec(db, sql[CLAIM], values, 3, err) != 0)
        return -1;
    return mg_db_affected(db) > 0;
}

int
mg_order_list(struct mg_db *db, const struct mg_order_filter *f, size_t limit,
              struct mg_pool *pool, struct mg_order **orders, size_t *count, bool *more,
              struct mg_err *err)
{
    static const uint8_t none[MG_ID_BYTES];
    const struct mg_db_value values[] = {
        mg_db_u64(f->wallet_id), mg_db_u64(f->wallet_id), mg_db_i64(f->flagged),
        mg_db_i64(f->before != NULL),
        mg_db_bytes(f->before != NULL ? f->before : none, MG_ID_BYTES), mg_db_u64(limit + 1)};
    int next;
    *orders = NULL;
    *count = 0;
    *more = false;
    if (mg_db_query(db, sql[LIST], values, 6, err) != 0)
        return -1;
    while ((next = mg_db_next(db, err)) == 1) {
        if (*count == limit) {
            *more = true;
            continue;
        }
        *orders = mg_pool_grow(pool, *orders, *count, sizeof(**orders));
        read_row(db, &(*orders)[(*count)++]);
    }
    return next;
}
