/* A COMMIT without an answer: whether it was carried out or not, everything counts once. */
#include "base/clock.h"
#include "books.h"
#include "cutter.h"
#include "scratch.h"

static struct scratch s;
static struct cutter door;
static struct mg_ledger *ledger;
static struct mg_db *db; /* beside the door */
static struct mg_err err = MG_ERR_INIT;

#define UNTIL(condition) \
    for (int64_t until_ = mg_mono_ms() + 10000; mg_mono_ms() < until_ && !(condition);) \
    usleep(20000)

static void
cut(int mode, int64_t deaf_ms)
{
    UNTIL(mg_ledger_healthy(ledger));
    door.deaf_ms = deaf_ms;
    door.cuts = 0;
    door.mode = mode;
}

static void
test_short(int mode, const char *how)
{
    uint8_t id[MG_ID_BYTES];
    mg_id_new(id);
    printf("# %s\n", how);
    int64_t before = books_read(db, 1).balance;
    cut(mode, 0);
    struct mg_reserved r = books_reserve(ledger, id, 1, 100, 100);
    is_int(r.outcome, MG_RESERVE_GRANTED, "a reserve is granted after all");
    is_int(r.granted, 100, "with its amount");
    is_int(door.cuts, 1, "although the connection was cut");
    is_int(books_read(db, 1).held, 100, "and held once");
    cut(mode, 0);
    r = books_extend(ledger, id, 1, 50);
    is_int(r.granted, 150, "an extension is granted");
    is_int(books_read(db, 1).held, 150, "once");
    cut(mode, 0);
    struct mg_settled t = books_settle(ledger, id, 1, 70, 0);
    ok(t.landed && t.charge == 70, "a settle lands");
    is_int(t.balance, before - 70, "once");
    is_int(scratch_number(&s, "SELECT COUNT(*) FROM ledger WHERE flags & 8 <> 0"), 0,
           "and is not taken for late");
    books_audit(db, "after short cuts");
}

static void
test_long(int mode, const char *how)
{
    uint8_t id[MG_ID_BYTES], other[MG_ID_BYTES];
    mg_id_new(id);
    mg_id_new(other);
    printf("# %s, and nobody gets in for a while\n", how);
    int64_t before = books_read(db, 1).balance;
    cut(mode, 600);
    is_int(books_reserve(ledger, other, 1, 100, 100).outcome, MG_RESERVE_UNAVAILABLE,
           "a reserve whose end cannot be found out is refused");
    UNTIL(mg_ledger_healthy(ledger) && books_read(db, 1).held == 0);
    is_int(books_read(db, 1).held, 0, "and taken back if it had been made");
    UNTIL(mg_ledger_healthy(ledger));
    books_reserve(ledger, id, 1, 100, 100);
    cut(mode, 600);
    struct mg_settled t = books_settle(ledger, id, 1, 30, 0);
    ok(!t.landed && t.durable, "a settle goes to the journal");
    UNTIL(mg_ledger_healthy(ledger) && books_read(db, 1).balance == before - 30 &&
          books_read(db, 1).held == 0);
    usleep(300000);
    is_int(books_read(db, 1).balance, before - 30, "and is charged once");
    is_int(books_read(db, 1).held, 0, "with its hold given back");
    books_audit(db, "after long cuts");
}

static void
test_grant(int mode)
{
    struct mg_db *through = mg_db_open(&s.conf, MG_DB_SERVICE, &err);
    int64_t before = books_read(db, 1).balance;
    door.deaf_ms = 0;
    door.mode = mode;
    ok(through != NULL && books_grant(through, 1, MG_GRANT_REWARD, 11, 0).seq > 0,
       "a grant is given");
    is_int(books_read(db, 1).balance, before + 11, "once");
    mg_db_close(&through);
}

int
main(void)
{
    char path[100], hosts[160];
    plan(0);
    scratch_start(&s);
    s.conf.heartbeat_ms = 60000;
    scratch_ledger_tables(&s);
    db = mg_db_open(&s.conf, MG_DB_SERVICE, &err);
    books_wallet(db, 1, 100000);
    snprintf(path, sizeof(path), "%.64s/door.sock", s.dir);
    snprintf(hosts, sizeof(hosts), "unix:%s", path);
    if (!ok(cutter_start(&door, path, s.conf.db_hosts + strlen("unix:")) == 0, "a door is there"))
        return done();
    scratch_set(&s.conf.db_hosts, hosts);
    ledger = mg_ledger_start(&s.conf, "test", &err);
    for (int i = 0; i < 3; i++) {
        test_short(CUTTER_BEFORE, "the COMMIT never arrived");
        test_short(CUTTER_AFTER, "the COMMIT was carried out");
    }
    test_long(CUTTER_BEFORE, "the COMMIT never arrived");
    test_long(CUTTER_AFTER, "the COMMIT was carried out");
    test_grant(CUTTER_BEFORE);
    test_grant(CUTTER_AFTER);
    mg_ledger_stop(&ledger);
    is_int(scratch_number(&s, "SELECT COUNT(*) FROM hold"), 0, "no hold is left in the end");
    books_audit(db, "in the end");
    mg_db_close(&db);
    scratch_stop(&s);
    return done();
}
