/* One transaction for many jobs, and the same jobs once more after an end that is not known. */
#include "base/clock.h"
#include "books.h"
#include "ledger/batch.h"
#include "scratch.h"

static struct scratch s;
static struct mg_db *db;
static struct mg_batch *batch;
static const struct mg_proc self = {.owner = 4711};
static struct mg_err err = MG_ERR_INIT;

static struct mg_job
reserve_job(const uint8_t *id, uint64_t wallet, int64_t want, bool extend)
{
    struct mg_job job = {.kind = extend ? MG_JOB_EXTEND : MG_JOB_RESERVE,
                         .reserve = {.wallet_id = wallet, .want = want, .least = want}};
    memcpy(job.reserve.request_id, id, MG_ID_BYTES);
    return job;
}

static struct mg_job
settle_job(const uint8_t *id, uint64_t wallet, int64_t charge)
{
    struct mg_job job = {.kind = MG_JOB_SETTLE,
                         .settle = {.wallet_id = wallet, .charge = charge}};
    memcpy(job.settle.request_id, id, MG_ID_BYTES);
    return job;
}

/* Runs jobs that stand one behind the other. */
static void
run(struct mg_job *jobs, size_t count, bool again, const char *what)
{
    static struct mg_job *list[MG_BATCH_MOST];
    for (size_t i = 0; i < count; i++)
        list[i] = &jobs[i];
    int rc = mg_batch_run(batch, db, list, count, again, &err);
    ok(rc == 0, "%s", what);
    if (rc != 0)
        books_fail("batch", &err);
}

static void
test_again(void)
{
    uint8_t id[MG_ID_BYTES];
    mg_id_new(id);
    books_wallet(db, 1, 1000);
    struct mg_job job = reserve_job(id, 1, 100, false);
    run(&job, 1, false, "a reserve");
    run(&job, 1, true, "once more, as its end was not known");
    is_int(job.reserved.outcome, MG_RESERVE_GRANTED, "it is found");
    is_int(job.reserved.granted, 100, "with its amount");
    is_int(books_read(db, 1).held, 100, "and held once");
    job = reserve_job(id, 1, 50, true);
    run(&job, 1, false, "an extension");
    is_int(job.reserved.granted, 150, "makes the hold larger");
    run(&job, 1, true, "once more");
    is_int(job.reserved.granted, 150, "it is found");
    is_int(books_read(db, 1).held, 150, "and counted once");
    struct mg_job two[2] = {reserve_job(id, 1, 10, true), reserve_job(id, 1, 20, true)};
    run(two, 2, false, "two extensions of a request in one batch");
    is_int(two[1].reserved.granted, 180, "add up");
    run(two, 2, true, "once more");
    is_int(books_read(db, 1).held, 180, "they are counted once");
    /* The same with an attempt that did not land: the landing is noted, the hold is smaller. */
    two[0].landing = 200;
    two[1].landing = 300;
    two[0].reserve.want = two[0].reserve.least = 500;
    run(two, 2, true, "and when the first attempt had not landed");
    is_int(books_read(db, 1).held, 700, "they are made");
    job = settle_job(id, 1, 60);
    run(&job, 1, false, "a settle");
    run(&job, 1, true, "once more");
    is_int(job.settled.charge, 60, "tells what was charged");
    is_int(books_read(db, 1).balance, 940, "once");
    books_audit(db, "after repeated jobs");
}

static int64_t
spent(uint64_t key)
{
    const struct mg_db_value id = mg_db_u64(key);
    if (mg_db_query(db, "SELECT SUM(spent) FROM key_month WHERE key_id = ?", &id, 1, &err) != 0 ||
        mg_db_next(db, &err) != 1)
        return -1;
    int64_t sum = mg_db_get_i64(db, 0);
    mg_db_done(db);
    return sum;
}

static void
test_keys(void)
{
    struct mg_job jobs[4];
    uint8_t id[MG_ID_BYTES];
    books_wallet(db, 7, 1000);
    books_wallet(db, 8, 1000);
    for (int i = 0; i < 4; i++) { /* keys 70, 71, 70 of one wallet and 80 of another */
        mg_id_new(id);
        jobs[i] = settle_job(id, i < 3 ? 7 : 8, 10 + i);
        jobs[i].settle.api_key_id = i < 3 ? 70 + (uint64_t)i % 2 : 80;
    }
    run(jobs, 4, false, "requests of several keys in one batch");
    ok(spent(70) == 22 && spent(71) == 11 && spent(80) == 13, "count for their keys");
    run(jobs, 4, true, "once more");
    run(jobs, 1, true, "and one of them again");
    ok(spent(70) == 22 && spent(71) == 11 && spent(80) == 13, "they have counted once");
    mg_id_new(id);
    jobs[0] = settle_job(id, 7, 0);
    jobs[0].settle.api_key_id = 72;
    run(jobs, 1, false, "what costs nothing");
    is_int(scratch_number(&s, "SELECT COUNT(*) FROM key_month WHERE key_id = 72"), 0,
           "leaves no row");
    scratch_sql(&s, "USE scratch; UPDATE key_month SET month = 202001 WHERE key_id = 70");
    scratch_sql(&s, "USE scratch; UPDATE ledger SET created_ms = 1577836800000"
                    " WHERE api_key_id = 70");
    mg_id_new(id);
    jobs[0] = settle_job(id, 7, 5);
    jobs[0].settle.api_key_id = 70;
    run(jobs, 1, false, "a charge in another month");
    is_int(scratch_number(&s, "SELECT spent FROM key_month WHERE key_id = 70 AND month > 202001"),
           5, "has a row of its own");
    books_audit(db, "after spending by keys");
}

static void
test_mixture(void)
{
    uint8_t a[MG_ID_BYTES], b[MG_ID_BYTES], c[MG_ID_BYTES];
    mg_id_new(a);
    mg_id_new(b);
    mg_id_new(c);
    books_wallet(db, 2, 100);
    struct mg_job first = reserve_job(a, 2, 100, false);
    run(&first, 1, false, "a wallet is used up");
    struct mg_job mixed[] = {reserve_job(b, 2, 70, false), reserve_job(a, 2, 10, true),
                             settle_job(a, 2, 30), settle_job(a, 2, 31),
                             reserve_job(c, 2, 1, false)};
    run(mixed, 5, false, "reserve, extension, two settles and another reserve together");
    is_int(mixed[2].settled.balance, 70, "the settle goes first");
    is_int(mixed[3].settled.charge, 30, "its twin finds it");
    is_int(mixed[0].reserved.outcome, MG_RESERVE_GRANTED, "what it freed is granted");
    is_int(mixed[1].reserved.outcome, MG_RESERVE_UNAVAILABLE,
           "an extension of what is settled is not");
    is_int(mixed[4].reserved.outcome, MG_RESERVE_REFUSED, "and the last one finds nothing left");
    struct mg_job twins[] = {settle_job(b, 2, 5), settle_job(b, 2, 6)};
    twins[0].settle.release = true;
    run(twins, 2, false, "a release and a settle of one request");
    is_int(books_read(db, 2).balance, 64, "the charge is not lost");
    is_int(scratch_number(&s, "SELECT flags FROM ledger WHERE wallet_id = 2 AND amount = -6"),
           MG_ROW_LATE, "but comes late");
    struct mg_job left[] = {reserve_job(c, 2, 5, false), settle_job(c, 2, 0)};
    left[1].settle.release = true;
    run(left, 2, false, "a reserve whose request is given up before the answer");
    is_int(left[0].reserved.outcome, MG_RESERVE_UNAVAILABLE, "is not granted");
    is_int(books_read(db, 2).held, 0, "and holds nothing for ever");
    books_audit(db, "after a mixture");
}

static void
test_full_batch(void)
{
    static struct mg_job jobs[MG_BATCH_MOST];
    static uint8_t ids[MG_BATCH_MOST][MG_ID_BYTES];
    scratch_sql(&s, "INSERT INTO wallet (id, balance, seq)"
                    " SELECT seq, 1000, 1 FROM seq_1001_to_1512;"
                    "INSERT INTO credit_lot (wallet_id, seq, kind, granted, remaining, created_ms)"
                    " SELECT seq, 1, 'topup', 1000, 1000, 0 FROM seq_1001_to_1512;"
                    "INSERT INTO ledger (wallet_id, seq, kind, amount, balance_after, ref,"
                    " created_ms) SELECT seq, 1, 'topup', 1000, 1000, UNHEX(MD5(seq)), 0"
                    " FROM seq_1001_to_1512");
    for (int i = 0; i < MG_BATCH_MOST; i++) {
        mg_id_new(ids[i]);
        jobs[i] = reserve_job(ids[i], (uint64_t)(1512 - i), 10, false);
    }
    run(jobs, MG_BATCH_MOST, false, "512 reserves on 512 wallets");
    is_int(scratch_number(&s, "SELECT SUM(held) FROM wallet WHERE id > 1000"), 5120,
           "are all held");
    for (int i = 0; i < MG_BATCH_MOST; i++)
        jobs[i] = settle_job(ids[i], (uint64_t)(1512 - i), 7);
    run(jobs, MG_BATCH_MOST, false, "512 settles");
    is_int(scratch_number(&s, "SELECT SUM(balance) FROM wallet WHERE id > 1000"),
           512 * 993, "are all charged");
    for (int i = 0; i < MG_BATCH_MOST; i++) {
        mg_id_new(ids[i]);
        jobs[i] = i % 2 ? reserve_job(ids[i], 1001, 1, false) : settle_job(ids[i], 1001, 1);
    }
    run(jobs, MG_BATCH_MOST, false, "512 jobs on one wallet");
    struct mg_wallet w = books_read(db, 1001);
    is_int(w.balance, 993 - 256, "half of them charge");
    is_int(w.held, 256, "half of them hold");
    books_audit(db, "after full batches");
}

static void
test_expired(void)
{
    uint8_t id[MG_ID_BYTES], other[MG_ID_BYTES];
    int64_t soon = mg_now_ms() + 400;
    mg_id_new(id);
    mg_id_new(other);
    books_wallet(db, 3, 50);
    books_grant(db, 3, MG_GRANT_TRIAL, 100, soon);
    struct mg_job job = reserve_job(id, 3, 20, false);
    run(&job, 1, false, "a reserve shortly before credit expires");
    is_int(job.reserved.available, 130, "counts that credit");
    while (mg_now_ms() < soon)
        usleep(5000);
    is_int(books_read(db, 3).available, 50, "after its time it is not shown any more");
    is_int(scratch_number(&s, "SELECT balance FROM wallet WHERE id = 3"), 150,
           "although nobody has written it yet");
    job = reserve_job(other, 3, 51, false);
    run(&job, 1, false, "a reserve that needs it");
    is_int(job.reserved.outcome, MG_RESERVE_REFUSED, "is refused");
    is_int(scratch_number(&s, "SELECT -amount FROM ledger WHERE wallet_id = 3 AND kind = 'expire'"),
           80, "what was not promised is written off by a row");
    is_int(books_read(db, 3).balance, 70, "what was promised stays");
    books_audit(db, "with promised credit that is over");
    job = settle_job(id, 3, 25);
    run(&job, 1, false, "the settle of the earlier request, larger than its hold");
    is_int(job.settled.balance, 45, "takes the promised credit, and the rest from what stays");
    books_audit(db, "after a hold outlived its credit");
    soon = mg_now_ms() + 400;
    mg_id_new(id);
    books_grant(db, 3, MG_GRANT_TRIAL, 100, soon);
    job = reserve_job(id, 3, 20, false);
    run(&job, 1, false, "another reserve on credit that expires");
    while (mg_now_ms() < soon)
        usleep(5000);
    job = settle_job(id, 3, 30);
    run(&job, 1, false, "and its settle as the first thing after that");
    is_int(job.settled.balance, 35, "takes what was promised and no more of it");
    books_grant(db, 3, MG_GRANT_REWARD, 5, mg_now_ms() - 1);
    is_int(books_read(db, 3).balance, 35, "credit that is over when it is given is gone at once");
    books_audit(db, "after a late grant");
}

int
main(void)
{
    plan(0);
    scratch_start(&s);
    scratch_ledger_tables(&s);
    db = mg_db_open(&s.conf, MG_DB_SERVICE, &err);
    batch = mg_batch_new(&self);
    if (ok(db != NULL, "the database is there")) {
        test_again();
        test_mixture();
        test_keys();
        test_full_batch();
        test_expired();
    }
    mg_batch_free(&batch);
    mg_db_close(&db);
    scratch_stop(&s);
    return done();
}
