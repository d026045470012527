/* Grants, the pages of the history and its sums, and an audit that sees every mistake. */
#include "base/clock.h"
#include "books.h"
#include "ledger/usage.h"
#include "scratch.h"

#include <pthread.h>

#define DAY 86400000LL

static struct scratch s;
static struct mg_db *db;
static struct mg_err err = MG_ERR_INIT;

static struct mg_grant the_grant = {.wallet_id = 1, .kind = MG_GRANT_TOPUP, .amount = 500,
                                    .note = "card"};

static void *
grant_it(void *arg)
{
    struct mg_err e = MG_ERR_INIT;
    struct mg_granted *r = arg;
    struct mg_db *own = mg_db_open(&s.conf, MG_DB_SERVICE, &e);
    if (own == NULL || mg_grant_apply(own, &the_grant, r, &e) != 0)
        books_fail("grant", &e);
    mg_db_close(&own);
    return NULL;
}

static void
test_grants(void)
{
    pthread_t t[16];
    struct mg_granted r[16];
    int applied = 0, told = 0;
    books_wallet(db, 1, 0);
    mg_grant_ref("topup", 42, the_grant.ref);
    for (int i = 0; i < 16; i++)
        pthread_create(&t[i], NULL, grant_it, &r[i]);
    for (int i = 0; i < 16; i++) {
        pthread_join(t[i], NULL);
        applied += r[i].applied;
        told += r[i].amount == 500 && r[i].balance == 500 && r[i].seq == 1;
    }
    is_int(applied, 1, "of 16 deliveries of one payment one gives credit");
    is_int(told, 16, "and all tell the same row");
    is_int(books_read(db, 1).balance, 500, "once");
    struct mg_grant again = the_grant;
    again.kind = MG_GRANT_REWARD;
    ok(mg_grant_apply(db, &again, r, &err) == 0 && r[0].applied,
       "another kind for the same thing is another grant");
    struct mg_grant back = {.wallet_id = 1, .kind = MG_GRANT_CLAWBACK, .amount = -600,
                            .of = the_grant.ref};
    mg_grant_ref("refund", 42, back.ref);
    ok(mg_grant_apply(db, &back, r, &err) == 0 && r[0].balance == 400, "a claw-back");
    is_int(scratch_number(&s, "SELECT remaining FROM credit_lot WHERE wallet_id = 1 AND seq = 1"),
           0, "empties the lot of its top-up first");
    static const struct mg_grant bad[] = {
        {.wallet_id = 1, .kind = MG_GRANT_TOPUP, .amount = 0},
        {.wallet_id = 1, .kind = MG_GRANT_TRIAL, .amount = -1},
        {.wallet_id = 1, .kind = MG_GRANT_CLAWBACK, .amount = 1},
        {.wallet_id = 1, .kind = MG_GRANT_ADJUST, .amount = 0},
        {.wallet_id = 1, .kind = MG_GRANT_ADJUST, .amount = INT64_MAX},
        {.wallet_id = 1, .kind = MG_GRANT_ADJUST, .amount = INT64_MIN},
        {.wallet_id = 1, .kind = MG_GRANT_REWARD, .amount = 1, .note = "\xff"},
    };
    int refused = 0;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        refused += mg_grant_apply(db, &bad[i], NULL, &err) == -1 && err.status == 400;
    is_int(refused, 7, "amounts of the wrong sign or size and broken notes are refused");
    struct mg_grant nowhere = {.wallet_id = 999, .kind = MG_GRANT_ADJUST, .amount = 1};
    ok(mg_grant_apply(db, &nowhere, NULL, &err) == -1 && err.status == 404,
       "so is a wallet that does not exist");
    uint8_t a[MG_ID_BYTES], b[MG_ID_BYTES];
    mg_grant_ref("a-rather-long-space", 1, a);
    mg_grant_ref("a-rather-long-spice", 1, b);
    ok(memcmp(a, b, MG_ID_BYTES) != 0, "refs of long names differ");
    mg_err_free(&err);
    books_audit(db, "after grants");
}

/* 300 charges, one an hour, newest now; models and keys take turns. */
static int64_t now_ms;

static void
fill_history(void)
{
    char sql[1024];
    now_ms = mg_now_ms();
    books_wallet(db, 2, 1000000);
    snprintf(sql, sizeof(sql),
             "INSERT INTO ledger (wallet_id, seq, kind, amount, balance_after, ref, created_ms,"
             " api_key_id, model, input, output) SELECT 2, seq + 1, 'charge', -seq,"
             " 1000000 - seq * (seq + 1) / 2, UNHEX(MD5(seq)), %lld - (300 - seq) * 3600000,"
             " 1 + seq %% 3, IF(seq %% 2, 'odd', 'even'), seq, 1 FROM seq_1_to_300;"
             "UPDATE wallet SET seq = 301, balance = 1000000 - 45150 WHERE id = 2;"
             "UPDATE credit_lot SET remaining = 1000000 - 45150 WHERE wallet_id = 2",
             (long long)now_ms);
    scratch_sql(&s, sql);
    scratch_tables(&s, "0010-key-month.sql"); /* as when a history is older than this table */
    books_audit(db, "with a history");
}

/* Reads all pages; how many rows, and whether they went down without a gap in their order. */
static size_t
read_pages(const struct mg_usage_filter *f, size_t limit, bool *ordered, int64_t *sum)
{
    static struct mg_usage_row rows[MG_USAGE_PAGE];
    uint64_t before = 0;
    size_t n, total = 0;
    bool more = true;
    *ordered = true;
    *sum = 0;
    while (more) {
        if (mg_usage_page(db, 2, f, before, rows, limit, &n, &more, &err) != 0) {
            books_fail("page", &err);
            return 0;
        }
        for (size_t i = 0; i < n; i++) {
            *ordered &= before == 0 || rows[i].seq < before;
            before = rows[i].seq;
            *sum += rows[i].amount;
        }
        total += n;
    }
    return total;
}

static void
test_pages(void)
{
    struct mg_usage_filter f = {.all_kinds = false};
    uint8_t ref[MG_ID_BYTES];
    bool ordered;
    int64_t sum;
    is_int((long long)read_pages(&f, 7, &ordered, &sum), 300, "300 charges in pages of 7");
    ok(ordered, "newest first, each once");
    is_int(sum, -45150, "to the last nano-credit");
    f.all_kinds = true;
    is_int((long long)read_pages(&f, 500, &ordered, &sum), 301, "with the grant one more");
    f = (struct mg_usage_filter){.api_key_id = 2};
    is_int((long long)read_pages(&f, 10, &ordered, &sum), 100, "of one key a third");
    f = (struct mg_usage_filter){.model = "odd"};
    is_int((long long)read_pages(&f, 10, &ordered, &sum), 150, "of one model half");
    f = (struct mg_usage_filter){.model = "ODD"};
    is_int((long long)read_pages(&f, 10, &ordered, &sum), 0, "whose name is exact");
    f = (struct mg_usage_filter){.from_ms = now_ms - 10 * 3600000LL};
    is_int((long long)read_pages(&f, 3, &ordered, &sum), 11, "from a time on, inclusive");
    f.to_ms = now_ms - 3600000;
    is_int((long long)read_pages(&f, 3, &ordered, &sum), 9, "up to a time, exclusive");
    f = (struct mg_usage_filter){.from_ms = now_ms + 1};
    is_int((long long)read_pages(&f, 3, &ordered, &sum), 0, "in the future none");
    f = (struct mg_usage_filter){.to_ms = 5};
    is_int((long long)read_pages(&f, 3, &ordered, &sum), 0, "nor in the past");
    f = (struct mg_usage_filter){.request_id = ref};
    mg_unhex("c4ca4238a0b923820dcc509a6f75849b", 32, ref, MG_ID_BYTES); /* md5 of "1" */
    is_int((long long)read_pages(&f, 3, &ordered, &sum), 1, "a request is found by its id");
    struct mg_usage_row row;
    size_t n;
    bool more;
    ok(mg_usage_page(db, 1, &f, 0, &row, 1, &n, &more, &err) == 0 && n == 0,
       "but not in another's wallet");
}

static void
test_sums(void)
{
    struct mg_usage_filter f = {.all_kinds = false};
    struct mg_usage_sum sums[40];
    size_t n;
    ok(mg_usage_sums(db, 2, &f, MG_USAGE_BY_NOTHING, sums, 40, &n, &err) == 0 && n == 1 &&
       sums[0].rows == 300 && sums[0].amount == -45150 && sums[0].input == 45150 &&
       sums[0].output == 300, "one sum of everything");
    ok(mg_usage_sums(db, 2, &f, MG_USAGE_BY_MODEL, sums, 40, &n, &err) == 0 && n == 2 &&
       strcmp(sums[0].model, "even") == 0 && sums[0].amount == -22650 && sums[1].rows == 150,
       "by model, the dearest first");
    ok(mg_usage_sums(db, 2, &f, MG_USAGE_BY_KEY, sums, 40, &n, &err) == 0 && n == 3 &&
       sums[0].api_key_id == 1 && sums[0].rows == 100, "by key");
    ok(mg_usage_sums(db, 2, &f, MG_USAGE_BY_DAY, sums, 40, &n, &err) == 0 && n >= 13 && n <= 14,
       "by day");
    int64_t rows = 0;
    bool days = true;
    for (size_t i = 0; i < n; i++) {
        rows += sums[i].rows;
        days &= sums[i].day_ms % DAY == 0 && (i == 0 || sums[i].day_ms > sums[i - 1].day_ms);
    }
    ok(days && rows == 300, "in the order of days, UTC, all of them");
    f.from_ms = now_ms - 10 * 3600000LL;
    ok(mg_usage_sums(db, 2, &f, MG_USAGE_BY_NOTHING, sums, 40, &n, &err) == 0 &&
       sums[0].rows == 11, "within a time");
    f.from_ms = now_ms + DAY;
    ok(mg_usage_sums(db, 2, &f, MG_USAGE_BY_NOTHING, sums, 40, &n, &err) == 0 && n == 1 &&
       sums[0].rows == 0 && sums[0].amount == 0, "a sum of nothing is 0");
}

/* What an audit should name, and whether it did. */
static const char *wanted_what;
static uint64_t wanted_wallet;
static bool named;

static void
remember(void *arg, const struct mg_audit_finding *f)
{
    (void)arg;
    named |= f->wallet_id == wanted_wallet && strstr(f->what, wanted_what) != NULL;
}

static void
test_audit(void)
{
    /* Each breaks one promise; the audit must say which, in all wallets and in that one. */
    static const struct {
        const char *sql, *what;
        uint64_t wallet;
    } wrong[] = {
        {"UPDATE wallet SET balance = balance + 1 WHERE id = 2", "sum of its ledger rows", 2},
        {"DELETE FROM ledger WHERE wallet_id = 2 AND seq = 100", "numbered", 2},
        {"UPDATE ledger SET balance_after = 7 WHERE wallet_id = 2 AND seq = 5", "balance_after", 2},
        {"UPDATE credit_lot SET remaining = remaining - 1 WHERE wallet_id = 2", "lots do not", 2},
        {"UPDATE credit_lot SET expires_ms = 5 WHERE wallet_id = 2", "next_expiry", 2},
        {"UPDATE credit_lot SET seq = 900 WHERE wallet_id = 2", "granted it", 2},
        {"UPDATE credit_lot SET granted = 5 WHERE wallet_id = 2", "more than it was given", 2},
        {"UPDATE wallet SET held = 1 WHERE id = 2", "held", 2},
        {"INSERT INTO hold VALUES (UNHEX(MD5(1)), 2, 0, 1, 1, 0)", "charged has its hold", 2},
        {"ALTER TABLE ledger DROP KEY ledger_ref;"
         "UPDATE ledger SET ref = UNHEX(MD5(2)) WHERE ref = UNHEX(MD5(1))", "more than once", 2},
        {"UPDATE ledger SET amount = -amount, balance_after = balance_after + 20"
         " WHERE wallet_id = 2 AND seq = 11", "wrong sign", 2},
        {"UPDATE key_month SET spent = spent + 1 WHERE key_id = 3", "a key spent", 2},
        {"DELETE FROM key_month WHERE key_id = 2", "a key spent", 2},
        {"UPDATE wallet SET connections = 1 WHERE id = 2", "connections are not", 2},
        {"INSERT INTO hold VALUES ('a', 2, 0, 1, 1, 1), ('b', 2, 0, 1, 1, 1), ('c', 2, 0, 1, 1, 1);"
         "UPDATE wallet SET connections = 3 WHERE id = 2", "more connections", 2},
        {"INSERT INTO hold VALUES ('z', 2, 5, 1, 1, 1)", "under a window holds", 2},
        {"UPDATE ledger SET flags = 128 WHERE wallet_id = 2", "under a window is charged", 2},
        {"UPDATE wallet SET benefits = 1 WHERE id = 2", "benefits are not", 2},
        {"INSERT INTO unlimited VALUES (2, 1, 1, 'a', 5, 1, 1000, 5999, 1)", "as long as", 2},
        {"INSERT INTO unlimited VALUES (2, 1, 1, 'a', 5, 1, 1000, 6000, 1),"
         " (2, 2, 1, 'b', 5, 1, 5000, 10000, 1)", "two windows", 2},
        {"INSERT INTO alert VALUES (2, 5, 1)", "alert's bounds", 2},
        {"INSERT INTO ledger (wallet_id, seq, kind, amount, balance_after, ref, created_ms)"
         " VALUES (77, 1, 'adjust', 1, 1, 'x', 1)", "ledger rows without", 77},
        {"INSERT INTO credit_lot (wallet_id, seq, kind, granted, remaining, created_ms)"
         " VALUES (77, 1, 'adjust', 1, 1, 1)", "lots without", 77},
        {"INSERT INTO hold VALUES ('y', 77, 1, 1, 1, 0)", "holds without", 77},
    };
    struct mg_audit_result r;
    char sql[512];
    scratch_sql(&s, "CREATE TABLE w2 SELECT * FROM wallet; CREATE TABLE l2 SELECT * FROM ledger;"
                    "CREATE TABLE c2 SELECT wallet_id, seq, kind, granted, remaining, expires_ms,"
                    " created_ms FROM credit_lot; CREATE TABLE k2 SELECT * FROM key_month");
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        int told = 0;
        snprintf(sql, sizeof(sql), "SET check_constraint_checks = 0; %s", wrong[i].sql);
        scratch_sql(&s, sql);
        wanted_what = wrong[i].what;
        wanted_wallet = wrong[i].wallet;
        for (int one = 0; one < 2; one++) {
            named = false;
            if (mg_audit_run(db, one ? wanted_wallet : 0, remember, NULL, &r, &err) != 0)
                books_fail("audit", &err);
            told += named;
        }
        is_int(told, 2, wrong[i].what);
        scratch_sql(&s, "TRUNCATE wallet; TRUNCATE ledger; TRUNCATE credit_lot; TRUNCATE hold;"
                        "TRUNCATE key_month; TRUNCATE unlimited; TRUNCATE alert;"
                        "INSERT INTO key_month SELECT * FROM k2;"
                        "INSERT INTO wallet SELECT * FROM w2; INSERT INTO ledger SELECT * FROM l2;"
                        "INSERT INTO credit_lot (wallet_id, seq, kind, granted, remaining,"
                        " expires_ms, created_ms) SELECT * FROM c2;"
                        "ALTER TABLE ledger ADD UNIQUE KEY IF NOT EXISTS ledger_ref (ref, kind)");
    }
    struct mg_audit_result all = books_audit(db, "when nothing is wrong");
    is_int((long long)all.wallets, 2, "it has looked at every wallet");
    ok(all.rows == 304 && all.lots == 3, "every row and lot: %llu, %llu",
       (unsigned long long)all.rows, (unsigned long long)all.lots);
}

/* The audit during traffic: transfers between its look-ups must not show. */
static _Atomic int stop;

static void *
make_traffic(void *arg)
{
    struct mg_ledger *ledger = arg;
    uint8_t id[MG_ID_BYTES];
    while (!stop) {
        mg_id_new(id);
        books_reserve(ledger, id, 3, 10, 10);
        books_settle(ledger, id, 3, 3, 0);
    }
    return NULL;
}

static void
test_live_audit(void)
{
    pthread_t t[8];
    struct mg_ledger *ledger = mg_ledger_start(&s.conf, "test", &err);
    struct mg_audit_result r;
    uint64_t findings = 0;
    books_wallet(db, 3, 1000000000);
    for (int i = 0; i < 8; i++)
        pthread_create(&t[i], NULL, make_traffic, ledger);
    for (int i = 0; i < 20; i++)
        findings += mg_audit_run(db, 0, books_report, NULL, &r, &err) != 0 || r.findings > 0;
    stop = 1;
    for (int i = 0; i < 8; i++)
        pthread_join(t[i], NULL);
    is_int((long long)findings, 0, "20 audits during traffic find nothing");
    mg_ledger_stop(&ledger);
}

int
main(void)
{
    plan(0);
    scratch_start(&s);
    scratch_ledger_tables(&s);
    scratch_ledger_tables(&s);
    ok(true, "the migration can be run again");
    db = mg_db_open(&s.conf, MG_DB_SERVICE, &err);
    test_grants();
    fill_history();
    test_pages();
    test_sums();
    test_audit();
    test_live_audit();
    mg_db_close(&db);
    scratch_stop(&s);
    return done();
}
