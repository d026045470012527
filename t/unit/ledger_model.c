/* Random histories of a wallet against a model that is simple enough to be believed: grants that
 * come twice, requests that hold, grow and settle for less or more than they held, lots whose time
 * comes while requests run, refunds. After every step the wallet must be what the model says, and
 * in the end the books must be right. MG_HISTORIES says how many, MG_SEED with which numbers. */
#include "base/clock.h"
#include "books.h"
#include "scratch.h"

#include <inttypes.h>
#include <pthread.h>

#define THREADS 8
#define STEPS 24
#define LOTS 64
#define OPEN 6
#define CREDIT 1000000000LL
#define FAR (INT64_C(4102444800000)) /* the year 2100 */

static const uint8_t nobody[MG_ID_BYTES]; /* no lot's ref */
static struct scratch s;
static struct mg_ledger *ledger;
static int histories, failures;
static uint64_t seed;

/* --- the model: credit as a list of lots in the order in which it is used --- */

struct model_lot {
    uint8_t ref[MG_ID_BYTES];
    uint64_t nth;     /* age */
    int64_t left, expires;
};

struct model {
    struct model_lot lot[LOTS];
    int lots;
    int64_t debt;     /* what was used and could not be paid */
    struct { uint8_t id[MG_ID_BYTES]; int64_t amount; } open[OPEN];
    int opens;
};

static int64_t
model_balance(const struct model *m)
{
    int64_t sum = -m->debt;
    for (int i = 0; i < m->lots; i++)
        sum += m->lot[i].left;
    return sum;
}

static int64_t
model_held(const struct model *m)
{
    int64_t sum = 0;
    for (int i = 0; i < m->opens; i++)
        sum += m->open[i].amount;
    return sum;
}

static bool
used_before(const struct model_lot *a, const struct model_lot *b)
{
    return a->expires != b->expires ? a->expires < b->expires : a->nth < b->nth;
}

static void
model_grant(struct model *m, const uint8_t *ref, uint64_t nth, int64_t amount, int64_t expires)
{
    int64_t repaid = amount < m->debt ? amount : m->debt;
    m->debt -= repaid;
    struct model_lot lot = {.nth = nth, .left = amount - repaid, .expires = expires};
    memcpy(lot.ref, ref, MG_ID_BYTES);
    int at = m->lots++;
    for (; at > 0 && used_before(&lot, &m->lot[at - 1]); at--)
        m->lot[at] = m->lot[at - 1];
    m->lot[at] = lot;
}

static void
model_take(struct model *m, int64_t amount, const uint8_t *first)
{
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < m->lots; i++) {
            if (round == 0 && memcmp(m->lot[i].ref, first, MG_ID_BYTES) != 0)
                continue;
            int64_t part = m->lot[i].left < amount ? m->lot[i].left : amount;
            m->lot[i].left -= part;
            amount -= part;
        }
    m->debt += amount;
}

/* Lots whose time is over lose what no running request was promised. */
static void
model_expire(struct model *m)
{
    int64_t promised = model_held(m), now = mg_now_ms();
    for (int i = 0; i < m->lots && m->lot[i].expires <= now; i++) {
        if (m->lot[i].left > promised)
            m->lot[i].left = promised;
        promised -= m->lot[i].left;
    }
}

/* --- a history --- */

struct history {
    struct model model;
    struct mg_db *db, *owner;
    uint64_t wallet, random, grants;
    int64_t charged; /* of the last settle */
    char trace[STEPS * 48];
};

static uint64_t
roll(struct history *h, uint64_t sides)
{
    h->random ^= h->random << 13; /* xorshift: the same numbers on every machine */
    h->random ^= h->random >> 7;
    h->random ^= h->random << 17;
    return h->random % sides;
}

static int64_t
some(struct history *h, int64_t most)
{
    return 1 + (int64_t)roll(h, (uint64_t)most);
}

static void
note(struct history *h, const char *what, int64_t amount)
{
    size_t n = strlen(h->trace);
    snprintf(h->trace + n, sizeof(h->trace) - n, " %s(%lld)", what, (long long)amount);
}

static bool
do_grant(struct history *h)
{
    static const enum mg_grant_kind kinds[] = {MG_GRANT_TRIAL, MG_GRANT_TOPUP, MG_GRANT_REWARD};
    struct mg_err e = MG_ERR_INIT;
    struct mg_granted first, second;
    struct mg_grant g = {.wallet_id = h->wallet, .kind = kinds[roll(h, 3)],
                         .amount = some(h, 5 * CREDIT)};
    g.expires_ms = g.kind == MG_GRANT_TOPUP ? 0 : FAR + (int64_t)roll(h, 3);
    mg_id_new(g.ref);
    note(h, "grant", g.amount);
    model_expire(&h->model);
    model_grant(&h->model, g.ref, ++h->grants, g.amount,
                g.expires_ms > 0 ? g.expires_ms : INT64_MAX);
    bool good = mg_grant_apply(h->db, &g, &first, &e) == 0 &&
                mg_grant_apply(h->db, &g, &second, &e) == 0 && first.applied && !second.applied &&
                first.balance == second.balance;
    mg_err_free(&e);
    return good && first.balance == model_balance(&h->model);
}

static bool
do_reserve(struct history *h)
{
    struct model *m = &h->model;
    int64_t want = some(h, 4 * CREDIT);
    if (m->opens == OPEN)
        return true;
    note(h, "reserve", want);
    model_expire(m);
    bool covered = model_balance(m) - model_held(m) >= want;
    mg_id_new(m->open[m->opens].id);
    struct mg_reserved r = books_reserve(ledger, m->open[m->opens].id, h->wallet, want, want);
    if (covered)
        m->open[m->opens++].amount = want;
    return r.outcome == (covered ? MG_RESERVE_GRANTED : MG_RESERVE_REFUSED);
}

static bool
do_extend(struct history *h)
{
    struct model *m = &h->model;
    if (m->opens == 0)
        return true;
    int i = (int)roll(h, (uint64_t)m->opens);
    int64_t want = some(h, 2 * CREDIT);
    note(h, "extend", want);
    model_expire(m);
    bool covered = model_balance(m) - model_held(m) >= want;
    struct mg_reserved r = books_extend(ledger, m->open[i].id, h->wallet, want);
    if (covered)
        m->open[i].amount += want;
    return r.outcome == (covered ? MG_RESERVE_GRANTED : MG_RESERVE_REFUSED);
}

static bool
do_settle(struct history *h)
{
    struct model *m = &h->model;
    if (m->opens == 0)
        return true;
    int i = (int)roll(h, (uint64_t)m->opens);
    int64_t held = m->open[i].amount;
    int64_t charge = roll(h, 4) == 0 ? held + some(h, CREDIT)
                                     : (int64_t)roll(h, (uint64_t)held + 1);
    uint8_t id[MG_ID_BYTES];
    memcpy(id, m->open[i].id, MG_ID_BYTES);
    model_expire(m); /* before the hold goes, and after */
    m->open[i] = m->open[--m->opens];
    if (roll(h, 5) == 0) {
        note(h, "release", held);
        model_expire(m);
        books_release(ledger, id, h->wallet);
        return true;
    }
    note(h, "settle", charge);
    model_take(m, charge, nobody);
    int64_t after = model_balance(m);
    model_expire(m);
    struct mg_settled first = books_settle(ledger, id, h->wallet, charge, 0);
    struct mg_settled again = books_settle(ledger, id, h->wallet, charge / 2, 0);
    return first.landed && first.balance == after && again.charge == charge;
}

/* The time of a lot comes: instead of waiting, the lot is made older. */
static bool
do_pass_time(struct history *h)
{
    struct model *m = &h->model;
    struct mg_err e = MG_ERR_INIT;
    const struct mg_db_value wallet = mg_db_u64(h->wallet);
    static const char lots[] = "UPDATE credit_lot SET expires_ms = expires_ms - 4102444800000"
                               " WHERE wallet_id = ? AND expires_ms >= 4102444800000";
    static const char next[] =
        "UPDATE wallet w SET w.next_expiry_ms = (SELECT MIN(c.expires_ms) FROM credit_lot c"
        " WHERE c.wallet_id = w.id AND c.remaining > 0) WHERE w.id = ?";
    note(h, "time", 0);
    for (int i = 0; i < m->lots; i++)
        if (m->lot[i].expires >= FAR && m->lot[i].expires < INT64_MAX)
            m->lot[i].expires -= FAR;
    bool good = mg_db_exec(h->owner, lots, &wallet, 1, &e) == 0 &&
                mg_db_exec(h->owner, next, &wallet, 1, &e) == 0;
    mg_err_free(&e);
    return good;
}

static bool
do_refund(struct history *h)
{
    struct model *m = &h->model;
    struct mg_err e = MG_ERR_INIT;
    struct mg_granted result;
    if (m->lots == 0)
        return true;
    uint8_t of[MG_ID_BYTES];
    memcpy(of, m->lot[roll(h, (uint64_t)m->lots)].ref, MG_ID_BYTES);
    struct mg_grant g = {.wallet_id = h->wallet, .kind = MG_GRANT_CLAWBACK,
                         .amount = -some(h, 3 * CREDIT), .of = of};
    mg_id_new(g.ref);
    note(h, "refund", -g.amount);
    bool topup = false;
    for (int i = 0; i < m->lots; i++)
        topup |= memcmp(m->lot[i].ref, of, MG_ID_BYTES) == 0 && m->lot[i].expires == INT64_MAX;
    model_expire(m);
    model_take(m, -g.amount, topup ? of : nobody); /* only a top-up's own lot pays first */
    int64_t after = model_balance(m);
    model_expire(m);
    bool good = mg_grant_apply(h->db, &g, &result, &e) == 0 && result.balance == after;
    mg_err_free(&e);
    return good;
}

static bool
step(struct history *h)
{
    static bool (*const doings[])(struct history *) = {
        do_grant, do_grant, do_reserve, do_reserve, do_reserve, do_extend,
        do_settle, do_settle, do_settle, do_pass_time, do_refund};
    if (!doings[roll(h, sizeof(doings) / sizeof(doings[0]))](h))
        return false;
    struct mg_wallet w = books_read(h->db, h->wallet);
    struct model seen = h->model; /* what is over is left out of what is shown */
    model_expire(&seen);
    return w.balance == model_balance(&seen) && w.held == model_held(&seen);
}

static void
play(struct mg_db *db, struct mg_db *owner, uint64_t number)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct history *h = calloc(1, sizeof(*h));
    struct mg_audit_result audit = {0};
    struct mg_err e = MG_ERR_INIT;
    h->db = db;
    h->owner = owner;
    h->wallet = number;
    h->random = (seed + number) * UINT64_C(0x9E3779B97F4A7C15) | 1;
    bool good = mg_wallet_create(db, number, &e) == 0;
    for (int i = 0; i < STEPS && good; i++)
        good = step(h);
    while (good && h->model.opens > 0)
        good = do_settle(h);
    good = good && mg_audit_run(db, number, books_report, NULL, &audit, &e) == 0 &&
           audit.findings == 0;
    pthread_mutex_lock(&lock);
    if (!good) {
        struct mg_wallet w = books_read(db, number);
        printf("# history %" PRIu64 " of seed %" PRIu64 ":%s\n# the model has %lld, held %lld; the "
               "wallet %lld, held %lld\n", number, seed, h->trace,
               (long long)model_balance(&h->model), (long long)model_held(&h->model),
               (long long)w.balance, (long long)w.held);
        failures++;
    }
    pthread_mutex_unlock(&lock);
    mg_err_free(&e);
    free(h);
}

static void *
play_some(void *arg)
{
    struct mg_err e = MG_ERR_INIT;
    struct mg_db *db = mg_db_open(&s.conf, MG_DB_SERVICE, &e);
    struct mg_db *owner = mg_db_open(&s.conf, MG_DB_ADMIN, &e);
    for (int i = (int)(intptr_t)arg; i < histories && db != NULL && owner != NULL; i += THREADS)
        play(db, owner, (uint64_t)i + 1);
    mg_db_close(&db);
    mg_db_close(&owner);
    mg_err_free(&e);
    return NULL;
}

static long
setting(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? strtol(text, NULL, 10) : otherwise;
}

int
main(void)
{
    struct mg_err e = MG_ERR_INIT;
    pthread_t thread[THREADS];
    plan(0);
    histories = (int)setting("MG_HISTORIES", 200);
    seed = (uint64_t)setting("MG_SEED", 1);
    scratch_start(&s);
    scratch_ledger_tables(&s);
    ledger = mg_ledger_start(&s.conf, "test", &e);
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, play_some, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    is_int(scratch_number(&s, "SELECT COUNT(*) FROM wallet"), histories,
           "every history was played");
    is_int(failures, 0, "and went as the model says, step by step");
    ok(scratch_number(&s, "SELECT COUNT(*) FROM ledger WHERE kind = 'expire'") > histories / 2,
       "with lots that expired");
    ok(scratch_number(&s, "SELECT COUNT(*) FROM ledger WHERE balance_after < 0") > histories / 20,
       "and wallets in debt");
    mg_ledger_stop(&ledger);
    struct mg_db *db = mg_db_open(&s.conf, MG_DB_SERVICE, &e);
    books_audit(db, "after all of them");
    mg_db_close(&db);
    scratch_stop(&s);
    return done();
}
