/* Check-in, VIP and alerts with a database: once however often, in one transaction, at the turn of
 * days, months and years. */
#include "base/clock.h"
#include "base/money.h"
#include "books.h"
#include "ledger/alert.h"
#include "ledger/checkin.h"
#include "ledger/vip.h"
#include "ledger/window.h"
#include "scratch.h"

#include <pthread.h>
#include <time.h>

#define CREDIT MG_NANO_PER_CREDIT
#define RACERS 16

static struct scratch s;
static struct mg_db *db;
static struct mg_err err = MG_ERR_INIT;

/* ms of a moment in UTC. */
static int64_t
at(int year, int month, int day, int hour, int minute, int second, int ms)
{
    struct tm tm = {.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_hour = hour,
                    .tm_min = minute, .tm_sec = second};
    return (int64_t)timegm(&tm) * 1000 + ms;
}

static struct mg_checkin_result
check_in(uint64_t wallet, int64_t now)
{
    struct mg_checkin_result r = {.day = 99};
    if (mg_checkin_do(db, wallet, now, &r, &err) != 0)
        books_fail("check-in", &err);
    return r;
}

static struct mg_checkin
state(uint64_t wallet, int64_t now)
{
    struct mg_checkin c;
    if (mg_checkin_read(db, wallet, now, &c, &err) != 0)
        books_fail("check-in state", &err);
    return c;
}

static void
test_eligible(void)
{
    struct mg_checkin_result r;
    int64_t now = at(2026, 5, 1, 12, 0, 0, 0);
    books_wallet(db, 1, 10 * CREDIT - 1);
    struct mg_checkin c = state(1, now);
    ok(!c.eligible && c.shortfall == 1, "a nano-credit less than ten credits is too little");
    ok(mg_checkin_do(db, 1, now, &r, &err) != 0 && err.status == 403, "and refused");
    mg_err_free(&err);
    is_int(scratch_number(&s, "SELECT COUNT(*) FROM checkin"), 0, "without a trace");
    books_grant(db, 1, MG_GRANT_TOPUP, 1, 0);
    ok(state(1, now).eligible, "ten credits are enough");
    r = check_in(1, now);
    is_int(r.day, 1, "the first check-in is Day 1");
    is_int(books_read(db, 1).balance, 10 * CREDIT + r.reward, "its reward is in the wallet");
    is_int(scratch_number(&s, "SELECT amount FROM ledger WHERE wallet_id = 1 AND kind = 'reward'"),
           r.reward, "as a ledger row of its own");
    r = check_in(1, now + 1000);
    ok(r.again && r.day == 1 && r.reward > 0, "a second one that day is told what was given");
    is_int(books_read(db, 1).balance, 10 * CREDIT + r.reward, "and gives nothing");
    c = state(1, now);
    ok(c.done && c.day == 1 && c.streak == 1 && c.mark[0] == MG_CHECKIN_CLAIMED,
       "the state shows it");
    is_int(c.next_ms, at(2026, 5, 2, 0, 0, 0, 0), "the next one is possible at midnight UTC");
}

/* Every day, at the very first and last moments, over a leap day and the ends of months and
 * years. */
static void
test_calendar(void)
{
    static const int starts[][3] = {{2027, 12, 25}, {2028, 2, 22}, {2029, 2, 22}, {2026, 4, 26}};
    books_wallet(db, 2, 10 * CREDIT);
    for (size_t k = 0; k < sizeof(starts) / sizeof(starts[0]); k++) {
        int64_t first = at(starts[k][0], starts[k][1], starts[k][2], 0, 0, 0, 0);
        bool right = true;
        scratch_sql(&s, "USE scratch; DELETE FROM checkin WHERE wallet_id = 2");
        for (int day = 0; day < 15; day++) {
            int64_t midnight = first + day * MG_CHECKIN_DAY_MS;
            struct mg_checkin_result r = check_in(2, day % 2 ? midnight : midnight + 86399999);
            right &= !r.again && r.day == (unsigned)day + 1 && !r.used_pass;
            right &= check_in(2, midnight + 86399999).again;
        }
        ok(right, "15 days from %d-%02d-%02d are one path", starts[k][0], starts[k][1],
           starts[k][2]);
        scratch_sql(&s, "USE scratch; DELETE FROM ledger WHERE wallet_id = 2 AND seq > 1;"
                        "DELETE FROM credit_lot WHERE wallet_id = 2 AND seq > 1;"
                        "DELETE FROM unlimited WHERE wallet_id = 2; UPDATE wallet SET seq = 1,"
                        " balance = 10000000000, benefits = 0 WHERE id = 2");
    }
}

static void
test_path(void)
{
    int64_t day = at(2026, 6, 1, 9, 0, 0, 0), sum = 0;
    books_wallet(db, 3, 10 * CREDIT);
    for (int i = 0; i < 15; i++)
        sum += check_in(3, day + i * MG_CHECKIN_DAY_MS).reward;
    is_int(sum, 80 * CREDIT, "a whole path gives 80 credits");
    is_int(books_read(db, 3).balance, 90 * CREDIT, "all of them in the wallet");
    is_int(scratch_number(&s, "SELECT SUM(duration_s) FROM unlimited WHERE wallet_id = 3"), 6300,
           "and benefits on some days");
    struct mg_checkin c = state(3, day + 15 * MG_CHECKIN_DAY_MS);
    ok(c.day == 1 && c.mark[0] == MG_CHECKIN_TODAY && c.mark[1] == MG_CHECKIN_UPCOMING,
       "then a new path begins");
    is_int(c.streak, 15, "and the streak goes on");
}

static void
test_pass(void)
{
    int64_t day = at(2026, 7, 1, 9, 0, 0, 0), d = MG_CHECKIN_DAY_MS;
    books_wallet(db, 4, 10 * CREDIT);
    check_in(4, day);
    check_in(4, day + d);
    struct mg_checkin c = state(4, day + 3 * d);
    ok(c.warning != NULL && c.pass, "after a missed day the state warns");
    ok(c.mark[2] == MG_CHECKIN_PASS && c.mark[3] == MG_CHECKIN_TODAY && c.day == 4,
       "and shows what the pass will do");
    struct mg_checkin_result r = check_in(4, day + 3 * d);
    ok(r.used_pass && r.day == 4, "the Free Pass is used");
    is_int(r.reward, 5 * CREDIT, "the missed day's reward comes along");
    r = check_in(4, day + 3 * d);
    ok(r.again && r.used_pass && r.reward == 5 * CREDIT, "asked again it tells the same");
    c = state(4, day + 3 * d);
    ok(!c.pass && c.mark[2] == MG_CHECKIN_PASS && c.mark[3] == MG_CHECKIN_CLAIMED,
       "then it is used up");
    r = check_in(4, day + 5 * d);
    ok(!r.used_pass && r.day == 5, "after another missed day the path has waited");
    c = state(4, day + 8 * d);
    ok(c.day == 1 && c.streak == 0, "two missed days in a row begin again at Day 1");
    r = check_in(4, day + 8 * d);
    ok(r.day == 1 && !r.used_pass, "which is what the check-in does");
    books_audit(db, "after rewards");
}

static pthread_barrier_t line;

static void *
race(void *arg)
{
    struct mg_checkin_result *r = arg;
    struct mg_err e = MG_ERR_INIT;
    struct mg_db *own = mg_db_open(&s.conf, MG_DB_SERVICE, &e);
    pthread_barrier_wait(&line);
    if (own == NULL || mg_checkin_do(own, 5, at(2026, 8, 1, 0, 0, 0, 0), r, &e) != 0)
        books_fail("race", &e);
    mg_db_close(&own);
    return NULL;
}

static void
test_race(void)
{
    struct mg_checkin_result r[RACERS] = {{0}};
    pthread_t thread[RACERS];
    int first = 0, same = 0;
    books_wallet(db, 5, 10 * CREDIT);
    pthread_barrier_init(&line, NULL, RACERS);
    for (int i = 0; i < RACERS; i++)
        pthread_create(&thread[i], NULL, race, &r[i]);
    for (int i = 0; i < RACERS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < RACERS; i++) {
        first += r[i].day == 1 && !r[i].again;
        same += r[i].day == 1 && r[i].reward == CREDIT;
    }
    is_int(first, 1, "of many clicks at once one checks in");
    is_int(same, RACERS, "and all are told the same");
    is_int(books_read(db, 5).balance, 11 * CREDIT, "with one reward");
}

/* An account whose address is verified or not. */
static void
make_account(uint64_t id, bool verified)
{
    char sql[512];
    snprintf(sql, sizeof(sql),
             "USE scratch; INSERT INTO account (id, username, email, email_verified_ms,"
             " created_ms) VALUES (%llu, 'u%llu', 'u%llu@example.com', %s, 1000)",
             (unsigned long long)id, (unsigned long long)id, (unsigned long long)id,
             verified ? "1000" : "NULL");
    scratch_sql(&s, sql);
}

struct payment {
    uint64_t wallet;
    uint8_t ref[MG_ID_BYTES];
    int64_t cents, now;
    bool refund;
};

static int
pay_step(struct mg_db *on, void *arg, struct mg_err *e)
{
    const struct payment *p = arg;
    return p->refund ? mg_vip_on_refund(on, p->wallet, p->ref, p->cents, p->now, e)
                     : mg_vip_on_topup(on, p->wallet, p->ref, p->cents, p->now, e);
}

static void
pay(uint64_t wallet, uint8_t order, int64_t cents, int64_t now, bool refund)
{
    struct payment p = {wallet, {order}, cents, now, refund};
    if (mg_db_txn(db, "pay", pay_step, &p, &err) != 0)
        books_fail("pay", &err);
}

static struct mg_vip
vip(uint64_t wallet, int64_t now)
{
    struct mg_vip v;
    if (mg_vip_read(db, wallet, now, &v, &err) != 0)
        books_fail("vip", &err);
    return v;
}

static void
test_vip(void)
{
    const int64_t now = at(2026, 9, 1, 0, 0, 0, 0), d = MG_CHECKIN_DAY_MS;
    books_wallet(db, 10, 0);
    make_account(10, true);
    pay(10, 1, 24999, now, false);
    ok(!vip(10, now).entitled, "249.99 give no VIP access");
    pay(10, 2, 25000, now, false);
    pay(10, 2, 25000, now, false);
    is_int(vip(10, now).until_ms, now + 30 * d, "250.00 give 30 days, once");
    ok(!vip(10, now + 30 * d).entitled, "which end to the millisecond");
    pay(10, 3, 30000, now + 10 * d, false);
    is_int(vip(10, now).until_ms, now + 60 * d, "another top-up extends them");
    pay(10, 2, 20000, now + 12 * d, true);
    is_int(vip(10, now).until_ms, now + 40 * d, "a refund takes the days of its own top-up");
    pay(10, 2, 25000, now + 13 * d, true);
    is_int(vip(10, now).until_ms, now + 60 * d, "a dispute that was won gives them back");
    pay(10, 3, 25000, now + 13 * d, true);
    is_int(vip(10, now).until_ms, now + 60 * d, "a refund down to the mark takes nothing");
    pay(10, 3, 24999, now + 13 * d, true);
    is_int(vip(10, now).until_ms, now + 30 * d, "a cent more does");
    if (mg_vip_revoke(db, 10, now, &err) != 0)
        books_fail("revoke", &err);
    ok(!vip(10, now).entitled, "the operator takes all away");
    pay(10, 2, 25000, now, true);
    pay(10, 3, 30000, now, true);
    ok(!vip(10, now).entitled, "and no news of a payment brings it back");
    if (mg_vip_grant(db, 10, 7, now, &err) != 0)
        books_fail("grant", &err);
    is_int(vip(10, now).until_ms, now + 7 * d, "or gives some");
}

static void
test_vip_rules(void)
{
    const int64_t now = at(2026, 9, 1, 0, 0, 0, 0);
    for (uint64_t id = 11; id <= 14; id++)
        books_wallet(db, id, 0);
    make_account(11, false);
    pay(11, 11, 25000, now, false);
    ok(!vip(11, now).entitled, "an account without a verified address does not qualify");
    make_account(12, true);
    scratch_sql(&s, "USE scratch; UPDATE account SET state = 'suspended' WHERE id = 12");
    pay(12, 12, 25000, now, false);
    ok(!vip(12, now).entitled, "nor does one that is suspended");
    make_account(13, true);
    s.conf.vip_account_days = 30;
    pay(13, 13, 25000, 1000 + 30 * MG_CHECKIN_DAY_MS - 1, false);
    ok(!vip(13, 1000).entitled, "nor one that is too young");
    pay(13, 14, 25000, 1000 + 30 * MG_CHECKIN_DAY_MS, false);
    ok(vip(13, 1000).entitled, "one that is old enough does");
    s.conf.vip_account_days = 0;
    s.conf.vip_enabled = 0;
    make_account(14, true);
    pay(14, 15, 25000, now, false);
    ok(!vip(14, now).entitled, "and nobody when it is not offered");
    s.conf.vip_enabled = 1;
}

static long long
mails(void)
{
    return scratch_number(&s, "SELECT COUNT(*) FROM mail WHERE account_id = 20");
}

static void
test_alerts(void)
{
    struct mg_alerts a = {.threshold = {5 * CREDIT, CREDIT}, .count = 2};
    books_wallet(db, 20, 10 * CREDIT);
    make_account(20, true);
    if (mg_alert_set(db, 20, &a, &err) != 0)
        books_fail("alerts", &err);
    books_grant(db, 20, MG_GRANT_ADJUST, -5 * CREDIT, 0);
    is_int(mails(), 0, "a balance at the threshold is not below it");
    books_grant(db, 20, MG_GRANT_ADJUST, -1, 0);
    is_int(mails(), 1, "below it there is a mail");
    books_grant(db, 20, MG_GRANT_ADJUST, -CREDIT, 0);
    is_int(mails(), 1, "and no second one for the same crossing");
    books_grant(db, 20, MG_GRANT_ADJUST, -3 * CREDIT, 0);
    is_int(mails(), 2, "the next threshold has one of its own");
    books_grant(db, 20, MG_GRANT_TOPUP, 10 * CREDIT, 0);
    is_int(mails(), 2, "credit that comes in tells nobody");
    books_grant(db, 20, MG_GRANT_ADJUST, -10 * CREDIT, 0);
    is_int(mails(), 3, "two thresholds crossed at once are one mail");
    is_int(scratch_number(&s, "SELECT COUNT(*) FROM mail WHERE account_id = 20 AND subject LIKE"
                              " '%below 1 credits'"),
           2, "which names the lower one");
    struct mg_alerts none = {.count = 0};
    if (mg_alert_read(db, 20, &a, &err) != 0 || mg_alert_set(db, 20, &none, &err) != 0)
        books_fail("alerts", &err);
    ok(a.count == 2 && a.threshold[0] == 5 * CREDIT, "they are kept, highest first");
    books_grant(db, 20, MG_GRANT_TOPUP, 10 * CREDIT, 0);
    books_grant(db, 20, MG_GRANT_ADJUST, -10 * CREDIT, 0);
    is_int(mails(), 3, "without thresholds there is no mail");
    books_audit(db, "after alerts");
}

/* The settle that crosses: through the writer, with the mail in the same transaction. */
static void
test_alert_of_settle(void)
{
    struct mg_alerts a = {.threshold = {CREDIT}, .count = 1};
    struct mg_ledger *ledger = mg_ledger_start(&s.conf, "test", &err);
    uint8_t id[MG_ID_BYTES];
    books_wallet(db, 21, 2 * CREDIT);
    make_account(21, false);
    if (ledger == NULL || mg_alert_set(db, 21, &a, &err) != 0)
        books_fail("alerts", &err);
    mg_id_new(id);
    ok(books_settle(ledger, id, 21, CREDIT + 1, 0).landed, "a settle that crosses lands");
    is_int(scratch_number(&s, "SELECT COUNT(*) FROM mail WHERE account_id = 21"), 0,
           "also when there is no address to write to");
    scratch_sql(&s, "USE scratch; UPDATE account SET email_verified_ms = 1 WHERE id = 21");
    books_grant(db, 21, MG_GRANT_TOPUP, CREDIT, 0);
    mg_id_new(id);
    books_settle(ledger, id, 21, CREDIT, 0);
    is_int(scratch_number(&s, "SELECT COUNT(*) FROM mail WHERE account_id = 21"), 1,
           "with an address it posts the mail");
    mg_ledger_stop(&ledger);
}

int
main(void)
{
    scratch_start(&s);
    scratch_identity_tables(&s);
    db = mg_db_open(&s.conf, MG_DB_SERVICE, &err);
    if (db == NULL) {
        books_fail("start", &err);
        return 1;
    }
    test_eligible();
    test_calendar();
    test_path();
    test_pass();
    test_race();
    test_vip();
    test_vip_rules();
    test_alerts();
    test_alert_of_settle();
    mg_db_close(&db);
    scratch_stop(&s);
    return done();
}
