/* Reserve, extend, settle, grant, expire: exact to the last nano-credit. */
#include "base/clock.h"
#include "base/id.h"
#include "books.h"
#include "ledger/grant.h"
#include "ledger/ledger.h"
#include "ledger/usage.h"
#include "ledger/wallet.h"
#include "scratch.h"

#include <pthread.h>

static struct scratch s;
static struct mg_ledger *ledger;
static struct mg_db *db;
static struct mg_err err = MG_ERR_INIT;

static void
test_exactness(void)
{
    uint8_t id[MG_ID_BYTES];
    struct mg_reserved r;
    struct mg_settled t;
    books_wallet(db, 1, 1000);
    mg_id_new(id);
    r = books_reserve(ledger, id, 1, 300, 300);
    is_int(r.outcome, MG_RESERVE_GRANTED, "a covered reserve is granted");
    is_int(r.granted, 300, "in full");
    is_int(r.available, 700, "and lowers what is available");
    struct mg_wallet w = books_read(db, 1);
    is_int(w.balance, 1000, "a hold leaves the balance alone");
    is_int(w.held, 300, "it is held");
    t = books_settle(ledger, id, 1, 123, 0);
    ok(t.landed && t.durable, "the settle lands");
    is_int(t.charge, 123, "with its charge");
    is_int(t.balance, 877, "and the balance after it");
    w = books_read(db, 1);
    is_int(w.balance, 877, "the balance went down by the charge");
    is_int(w.held, 0, "nothing is held any more");
    t = books_settle(ledger, id, 1, 999, 0);
    is_int(t.charge, 123, "a second settle of the request changes nothing and tells the first");
    is_int(t.balance, 877, "with the balance of that row");
    is_int(books_read(db, 1).balance, 877, "the balance stays");
    r = books_reserve(ledger, id, 2, 1, 1);
    is_int(r.outcome, MG_RESERVE_REFUSED, "a wallet that does not exist has no credit");
    books_audit(db, "after reserve and settle");
}

static void
test_partial_grants(void)
{
    uint8_t id[3][MG_ID_BYTES];
    struct mg_reserved r;
    books_wallet(db, 3, 1000);
    for (int i = 0; i < 3; i++)
        mg_id_new(id[i]);
    struct mg_reserve wish = {.wallet_id = 3, .want = 5000, .least = 100, .all = true};
    memcpy(wish.request_id, id[0], MG_ID_BYTES);
    mg_ledger_reserve(ledger, &wish, &r);
    is_int(r.granted, 1000, "with `all`, everything there is is granted");
    is_int(r.available, 0, "and nothing is left");
    is_int(books_reserve(ledger, id[1], 3, 1, 1).outcome, MG_RESERVE_REFUSED, "for anybody else");
    books_release(ledger, id[0], 3);
    r = books_reserve(ledger, id[1], 3, 5000, 100);
    is_int(r.granted, 100, "without it, only the least is");
    r = books_reserve(ledger, id[2], 3, 5000, 901);
    is_int(r.outcome, MG_RESERVE_REFUSED, "the least must be covered");
    is_int(r.available, 900, "and the answer says what there is");
    books_release(ledger, id[1], 3);
    is_int(scratch_number(&s, "SELECT COUNT(*) FROM ledger WHERE wallet_id = 3 AND kind = 1"), 0,
           "a release leaves no row");
    is_int(books_read(db, 3).held, 0, "and no hold");
    r = books_reserve(ledger, id[2], 3, 0, 0);
    is_int(r.outcome, MG_RESERVE_GRANTED, "a free request needs no credit");
    is_int(books_settle(ledger, id[2], 3, 0, 0).charge, 0, "and is charged 0");
    is_int(scratch_number(&s, "SELECT COUNT(*) FROM ledger WHERE wallet_id = 3 AND kind = 1"), 1,
           "but has its row");
    books_audit(db, "after partial grants and releases");
}

static void
test_growing(void)
{
    uint8_t id[MG_ID_BYTES];
    struct mg_reserved r;
    books_wallet(db, 4, 1000);
    mg_id_new(id);
    books_reserve(ledger, id, 4, 400, 400);
    r = books_extend(ledger, id, 4, 500);
    is_int(r.outcome, MG_RESERVE_GRANTED, "a hold grows while the wallet covers it");
    is_int(r.granted, 900, "the answer tells the whole hold");
    is_int(r.available, 100, "and what is left");
    r = books_extend(ledger, id, 4, 101);
    is_int(r.outcome, MG_RESERVE_REFUSED, "not beyond");
    is_int(r.granted, 900, "and stays as it was");
    is_int(books_settle(ledger, id, 4, 950, 0).balance, 50, "a settle may exceed the hold");
    r = books_extend(ledger, id, 4, 1);
    is_int(r.outcome, MG_RESERVE_UNAVAILABLE, "a settled request cannot grow");
    is_int(books_read(db, 4).held, 0, "and nothing stays held");
    books_audit(db, "after extensions");
}

static void
test_negative(void)
{
    uint8_t id[MG_ID_BYTES];
    struct mg_wallet_lot lots[4];
    size_t n;
    books_wallet(db, 5, 100);
    mg_id_new(id);
    books_reserve(ledger, id, 5, 100, 100);
    is_int(books_settle(ledger, id, 5, 130, 0).balance, -30,
           "what the upstream reports beyond the hold makes the balance negative");
    mg_id_new(id);
    is_int(books_reserve(ledger, id, 5, 1, 1).outcome, MG_RESERVE_REFUSED,
           "and the next request is refused");
    is_int(books_reserve(ledger, id, 5, 0, 0).outcome, MG_RESERVE_REFUSED, "even a free one");
    books_grant(db, 5, MG_GRANT_TOPUP, 40, 0);
    is_int(books_read(db, 5).balance, 10, "a top-up repays the debt first");
    ok(mg_wallet_lots(db, 5, lots, 4, &n, &err) == 0 && n == 1 && lots[0].remaining == 10,
       "and only the rest is a lot");
    is_str(lots[0].kind, "topup", "of its kind");
    books_grant(db, 5, MG_GRANT_CLAWBACK, -25, 0);
    is_int(books_read(db, 5).balance, -15, "a claw-back may go below zero");
    books_grant(db, 5, MG_GRANT_REWARD, 15, 0);
    is_int(books_read(db, 5).balance, 0, "a grant that only repays leaves no lot");
    ok(mg_wallet_lots(db, 5, lots, 4, &n, &err) == 0 && n == 0, "none at all");
    books_audit(db, "after debts and repayments");
}

struct crowd {
    pthread_t thread;
    struct mg_reserved r;
    uint8_t id[MG_ID_BYTES];
};

static void *
reserve_ten(void *arg)
{
    struct crowd *c = arg;
    mg_id_new(c->id);
    c->r = books_reserve(ledger, c->id, 6, 10, 10);
    return NULL;
}

static void
test_crowd(void)
{
    enum { CROWD = 1000 };
    static struct crowd crowd[CROWD];
    pthread_attr_t small;
    int granted = 0, charged = 0;
    books_wallet(db, 6, 100);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 256 << 10);
    for (int i = 0; i < CROWD; i++)
        pthread_create(&crowd[i].thread, &small, reserve_ten, &crowd[i]);
    for (int i = 0; i < CROWD; i++)
        pthread_join(crowd[i].thread, NULL);
    for (int i = 0; i < CROWD; i++)
        granted += crowd[i].r.outcome == MG_RESERVE_GRANTED;
    is_int(granted, 10, "of 1,000 requests at once a wallet that pays for 10 gets 10");
    is_int(books_read(db, 6).available, 0, "and nothing is left");
    for (int i = 0; i < CROWD; i++)
        if (crowd[i].r.outcome == MG_RESERVE_GRANTED)
            charged += books_settle(ledger, crowd[i].id, 6, 10, 0).charge == 10;
    is_int(charged, 10, "all of them are charged");
    is_int(books_read(db, 6).balance, 0, "to exactly zero");
    books_audit(db, "after a crowd");
}

/* Settles the same request from many threads. */
static uint8_t twin[MG_ID_BYTES];

static void *
settle_twin(void *arg)
{
    struct mg_settled *t = arg;
    *t = books_settle(ledger, twin, 7, 100, 0);
    return NULL;
}

static void
test_duplicates(void)
{
    pthread_t t[16];
    struct mg_settled r[16];
    books_wallet(db, 7, 1000);
    mg_id_new(twin);
    books_reserve(ledger, twin, 7, 200, 200);
    for (int i = 0; i < 16; i++)
        pthread_create(&t[i], NULL, settle_twin, &r[i]);
    int right = 0;
    for (int i = 0; i < 16; i++) {
        pthread_join(t[i], NULL);
        right += r[i].landed && r[i].charge == 100 && r[i].balance == 900;
    }
    is_int(right, 16, "16 settles of one request at once all tell the same");
    is_int(books_read(db, 7).balance, 900, "and charge once");
    is_int(scratch_number(&s, "SELECT flags FROM ledger WHERE wallet_id = 7 AND kind = 1"), 0,
           "not flagged as late");
    books_audit(db, "after duplicate settles");
}

static void
test_late(void)
{
    uint8_t id[MG_ID_BYTES];
    books_wallet(db, 8, 1000);
    mg_id_new(id);
    books_reserve(ledger, id, 8, 200, 200);
    scratch_sql(&s, "DELETE FROM hold WHERE wallet_id = 8;"
                    "UPDATE wallet SET held = 0 WHERE id = 8");
    is_int(books_settle(ledger, id, 8, 150, MG_ROW_STREAM).balance, 850,
           "a settle whose hold was swept is charged all the same");
    is_int(scratch_number(&s, "SELECT flags FROM ledger WHERE wallet_id = 8 AND kind = 1"),
           MG_ROW_STREAM | MG_ROW_LATE, "and flagged as late");
    mg_id_new(id);
    books_settle(ledger, id, 8, 0, MG_ROW_UNLIMITED);
    is_int(scratch_number(&s, "SELECT flags FROM ledger WHERE wallet_id = 8 AND seq = 3"),
           MG_ROW_UNLIMITED, "a request of an Unlimited window has no hold and is not late");
    mg_id_new(id);
    is_int(books_settle(ledger, id, 9, 5, 0).balance, -5,
           "a settle for a wallet that is not there makes it");
    books_audit(db, "after late settles");
}

static void
test_row(void)
{
    struct mg_settle in = {.wallet_id = 10, .api_key_id = 77, .charge = 5, .model = "power-ai",
                           .served_by = "vendor/model-x", .label = "Fast \xf0\x9f\x9a\x80",
                           .family = "messages", .input = 1, .cache_read = 2, .cache_write_5m = 3,
                           .cache_write_1h = 4, .output = 5, .reasoning = 6, .price_version = 9,
                           .flags = MG_ROW_STREAM | MG_ROW_PREMIUM, .status = 200, .first_ms = 12,
                           .total_ms = 345};
    struct mg_usage_row r[4];
    size_t n;
    bool more;
    books_wallet(db, 10, 100);
    mg_id_new(in.request_id);
    books_settle_with(ledger, &in);
    struct mg_usage_filter all = {.all_kinds = true};
    ok(mg_usage_page(db, 10, &all, 0, r, 4, &n, &more, &err) == 0 && n == 2 && !more,
       "the wallet has two rows");
    is_str(r[0].kind, "charge", "the newest first");
    is_str(r[0].model, "power-ai", "with what was asked for");
    is_str(r[0].served_by, "vendor/model-x", "what served it");
    is_str(r[0].label, "Fast \xf0\x9f\x9a\x80", "the label");
    is_str(r[0].family, "messages", "the family");
    ok(r[0].input == 1 && r[0].cache_read == 2 && r[0].cache_write_5m == 3 &&
       r[0].cache_write_1h == 4 && r[0].output == 5 && r[0].reasoning == 6, "all tokens");
    ok(r[0].api_key_id == 77 && r[0].price_version == 9 && r[0].status == 200 &&
       r[0].first_ms == 12 && r[0].total_ms == 345 && r[0].amount == -5 &&
       r[0].balance_after == 95, "and all the rest");
    is_int(r[0].flags, MG_ROW_STREAM | MG_ROW_PREMIUM | MG_ROW_LATE, "flags");
    ok(memcmp(r[0].ref, in.request_id, MG_ID_BYTES) == 0, "under the request's id");
    is_str(r[1].kind, "topup", "before it the grant");
    is_int(r[1].first_ms, -1, "which has no times");
    memset(in.model, 'm', sizeof(in.model));
    snprintf(in.label, sizeof(in.label), "%s", "bad \xff utf");
    snprintf(in.family, sizeof(in.family), "%s", "f\xc3\xa9");
    in.input = -5;
    in.charge = INT64_MAX;
    mg_id_new(in.request_id);
    ok(books_settle_with(ledger, &in).landed,
       "texts and numbers that do not fit land all the same");
    ok(mg_usage_page(db, 10, &all, 0, r, 1, &n, &more, &err) == 0 && more, "cut or replaced:");
    is_str(r[0].label, "bad ? utf", "bytes that are no UTF-8");
    is_str(r[0].family, "f??", "letters that a column does not take");
    is_int((long long)strlen(r[0].model), 127, "a text without an end");
    is_int(r[0].input, 0, "tokens below zero");
    books_audit(db, "after strange settles");
}

static void
test_conflict(void)
{
    /* The same request on two wallets is a mistake of the caller; it must not harm others. */
    uint8_t id[MG_ID_BYTES], other[MG_ID_BYTES];
    books_wallet(db, 11, 1000);
    books_wallet(db, 12, 1000);
    mg_id_new(id);
    mg_id_new(other);
    books_reserve(ledger, id, 11, 100, 100);
    is_int(books_reserve(ledger, id, 11, 100, 100).granted, 100,
           "a reserve that is there already is found, not made twice");
    is_int(books_read(db, 11).held, 100, "and held once");
    struct books_wait bad, good;
    books_settle_begin(ledger, id, 12, 10, 0, &bad);
    books_settle_begin(ledger, other, 12, 10, 0, &good);
    ok(books_settle_end(&good).landed, "a settle beside an impossible one lands");
    struct mg_settled t = books_settle_end(&bad);
    ok(!t.landed && t.durable, "the impossible one goes to the journal");
    is_int(books_settle(ledger, id, 11, 10, 0).balance, 990, "the right one is charged");
    books_audit(db, "after a settle on the wrong wallet");
}

int
main(void)
{
    plan(0);
    scratch_start(&s);
    scratch_ledger_tables(&s);
    ledger = mg_ledger_start(&s.conf, "test", &err);
    db = mg_db_open(&s.conf, MG_DB_SERVICE, &err);
    if (ok(ledger != NULL && db != NULL, "the ledger starts")) {
        test_exactness();
        test_partial_grants();
        test_growing();
        test_negative();
        test_crowd();
        test_duplicates();
        test_late();
        test_row();
        test_conflict();
        ok(mg_ledger_healthy(ledger), "the ledger is healthy");
    }
    mg_ledger_stop(&ledger);
    is_int(scratch_number(&s, "SELECT COUNT(*) FROM proc"), 0, "a stop removes the process row");
    is_int(scratch_number(&s, "SELECT COUNT(*) FROM hold"), 0, "and the holds that were left");
    books_audit(db, "after the stop");
    mg_db_close(&db);
    scratch_stop(&s);
    return done();
}
