/* Unlimited windows on the money path: who starts them, whom they cover, what is left of them. */
#include "base/clock.h"
#include "books.h"
#include "ledger/batch.h"
#include "ledger/window.h"
#include "scratch.h"

#include <pthread.h>

#define RACERS 32

static struct scratch s;
static struct mg_db *db;
static struct mg_ledger *ledger;
static struct mg_err err = MG_ERR_INIT;

struct given {
    uint64_t wallet;
    int64_t seconds;
};

static int
give_step(struct mg_db *on, void *arg, struct mg_err *e)
{
    const struct given *g = arg;
    uint8_t ref[MG_ID_BYTES];
    if (g->seconds == 0)
        return mg_window_give_trial(on, g->wallet, e);
    mg_id_new(ref);
    return mg_window_give(on, g->wallet, MG_WINDOW_OPERATOR, ref, g->seconds, NULL, e);
}

/* Seconds 0: the trial. */
static void
give(uint64_t wallet, int64_t seconds)
{
    struct given g = {wallet, seconds};
    if (mg_db_txn(db, "give", give_step, &g, &err) != 0)
        books_fail("give", &err);
}

static struct mg_window
look(uint64_t wallet)
{
    struct mg_window w;
    if (mg_window_read(db, wallet, mg_now_ms(), &w, &err) != 0)
        books_fail("window", &err);
    return w;
}

/* Lets all that runs in a wallet be over. */
static void
end_windows(void)
{
    scratch_sql(&s, "USE scratch; UPDATE unlimited SET started_ms = started_ms - 100000000,"
                    " expires_ms = expires_ms - 100000000 WHERE started_ms IS NOT NULL");
}

static struct mg_reserved
ask(uint8_t *id, uint64_t wallet, int64_t want)
{
    mg_id_new(id);
    return books_reserve(ledger, id, wallet, want, want);
}

static void
test_life(void)
{
    uint8_t a[MG_ID_BYTES], b[MG_ID_BYTES], c[MG_ID_BYTES];
    books_wallet(db, 1, 1000);
    is_int(look(1).state, MG_WINDOW_NONE, "a wallet begins without a window");
    give(1, 0);
    give(1, 0);
    struct mg_window w = look(1);
    is_int(w.state, MG_WINDOW_NOT_STARTED, "the trial waits");
    is_int(w.count, 1, "and was given once");
    is_int(w.benefit[0].seconds, 900, "for fifteen minutes");
    struct mg_reserved r = ask(c, 1, 0);
    ok(r.outcome == MG_RESERVE_GRANTED && !r.unlimited, "what can cost nothing does not start it");
    books_release(ledger, c, 1);
    r = ask(a, 1, 5000);
    ok(r.outcome == MG_RESERVE_GRANTED && r.unlimited, "the first billable request is covered");
    is_int(r.granted, 0, "without a hold");
    w = look(1);
    is_int(w.state, MG_WINDOW_ACTIVE, "and starts the window");
    ok(w.remaining_ms > 890000 && w.remaining_ms <= 900000, "which runs for its length");
    r = ask(b, 1, 5000);
    ok(r.unlimited, "a second request is covered too");
    is_int(look(1).connections, 2, "both are counted");
    r = ask(c, 1, 5);
    is_int(r.outcome, MG_RESERVE_BUSY, "a third one is turned away");
    is_int(books_read(db, 1).held, 0, "and not put on the credit of the wallet");
    struct mg_settled t = books_settle(ledger, a, 1, 777, MG_ROW_UNLIMITED);
    is_int(t.charge, 0, "a settle under the window charges nothing");
    is_int(t.balance, 1000, "the balance stays");
    is_int(scratch_number(&s, "SELECT flags FROM ledger WHERE wallet_id = 1 AND kind = 1"),
           MG_ROW_UNLIMITED, "its row says why");
    r = ask(c, 1, 5);
    ok(r.unlimited, "and frees the connection");
    books_release(ledger, c, 1);
    is_int(look(1).connections, 1, "so does a release");
    t = books_settle(ledger, a, 1, 777, MG_ROW_UNLIMITED);
    is_int(look(1).connections, 1, "but a repeated settle frees none");
    end_windows();
    r = ask(c, 1, 400);
    ok(r.outcome == MG_RESERVE_GRANTED && !r.unlimited, "after its end credit is held again");
    t = books_settle(ledger, b, 1, 300, MG_ROW_UNLIMITED);
    is_int(t.charge, 0, "a request that outlives the window is not charged");
    t = books_settle(ledger, c, 1, 400, 0);
    is_int(t.balance, 600, "one that began after it is");
    is_int(look(1).state, MG_WINDOW_EXPIRED, "the window has expired");
    is_int(look(1).connections, 0, "nothing runs");
    books_audit(db, "after a window");
}

static void
test_order(void)
{
    uint8_t a[MG_ID_BYTES], b[MG_ID_BYTES];
    books_wallet(db, 2, 0);
    give(2, 60);
    give(2, 120);
    ok(ask(a, 2, 50).unlimited, "of two benefits one starts");
    struct mg_window w = look(2);
    ok(w.benefit[0].started_ms > 0 && w.benefit[1].started_ms == 0, "the older one");
    end_windows();
    is_int(look(2).state, MG_WINDOW_NOT_STARTED, "when it is over the other still waits");
    ok(ask(b, 2, 50).unlimited, "for the next request");
    w = look(2);
    is_int(w.benefit[0].seq, 2, "which starts it");
    books_settle(ledger, a, 2, 1, MG_ROW_UNLIMITED);
    books_settle(ledger, b, 2, 1, MG_ROW_UNLIMITED);
    end_windows();
    is_int(ask(a, 2, 50).outcome, MG_RESERVE_OVER,
           "without credit the end of the last window is told as that");
    is_int(scratch_number(&s, "SELECT benefits FROM wallet WHERE id = 2"), 0,
           "a request need not look again");
    books_grant(db, 2, MG_GRANT_TOPUP, 10, 0);
    is_int(ask(a, 2, 50).outcome, MG_RESERVE_REFUSED, "too little credit is told as that");
    is_int(ask(a, 2, 10).outcome, MG_RESERVE_GRANTED, "enough of it is used");
    books_settle(ledger, a, 2, 10, 0);
    is_int(ask(a, 2, 50).outcome, MG_RESERVE_REFUSED, "and credit used up is told as that");
    books_audit(db, "after two windows");
}

/* Waits beside the others, then asks. */
static pthread_barrier_t line;
static struct mg_reserved answers[RACERS];
static uint8_t racers[RACERS][MG_ID_BYTES];

static void *
race(void *arg)
{
    size_t i = (size_t)(uintptr_t)arg;
    pthread_barrier_wait(&line);
    answers[i] = ask(racers[i], 3, 100);
    return NULL;
}

static void
test_race(void)
{
    pthread_t thread[RACERS];
    int covered = 0, busy = 0;
    books_wallet(db, 3, 1000000);
    give(3, 600);
    give(3, 600);
    pthread_barrier_init(&line, NULL, RACERS);
    for (size_t i = 0; i < RACERS; i++)
        pthread_create(&thread[i], NULL, race, (void *)(uintptr_t)i);
    for (size_t i = 0; i < RACERS; i++)
        pthread_join(thread[i], NULL);
    for (size_t i = 0; i < RACERS; i++) {
        covered += answers[i].unlimited;
        busy += answers[i].outcome == MG_RESERVE_BUSY;
    }
    is_int(covered, 2, "of many at once two are covered");
    is_int(busy, RACERS - 2, "the others are turned away");
    is_int(scratch_number(&s, "SELECT COUNT(*) FROM unlimited WHERE wallet_id = 3"
                              " AND started_ms IS NOT NULL"),
           1, "and one benefit has started");
    for (size_t i = 0; i < RACERS; i++)
        if (answers[i].unlimited)
            books_release(ledger, racers[i], 3);
    books_audit(db, "after the race");
}

/* Two connections of a process that is killed: the next request has one at once. */
static void
test_dead(void)
{
    uint8_t id[MG_ID_BYTES];
    int ends[2];
    char byte = 0;
    books_wallet(db, 4, 0);
    give(4, 600);
    if (pipe(ends) != 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        struct mg_err e = MG_ERR_INIT;
        ledger = mg_ledger_start(&s.conf, "doomed", &e);
        byte = ask(id, 4, 10).unlimited && ask(id, 4, 10).unlimited;
        if (write(ends[1], &byte, 1) == 1)
            pause();
        _exit(0);
    }
    ok(read(ends[0], &byte, 1) == 1 && byte == 1, "another process has both connections");
    is_int(ask(id, 4, 10).outcome, MG_RESERVE_BUSY, "a third one is turned away");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    struct mg_reserved r = {.outcome = MG_RESERVE_BUSY};
    for (int i = 0; i < 100 && r.outcome == MG_RESERVE_BUSY; i++) {
        usleep(50000);
        r = ask(id, 4, 10);
    }
    ok(r.unlimited, "when it is killed the connections are there again");
    books_release(ledger, id, 4);
    is_int(look(4).connections, 0, "both");
    books_audit(db, "after a process was killed");
    close(ends[0]);
    close(ends[1]);
}

/* The same reserve again, as after a commit without an answer. */
static void
test_again(void)
{
    static const struct mg_proc self = {.owner = 99};
    struct mg_batch *batch = mg_batch_new(&self);
    struct mg_job job = {.kind = MG_JOB_RESERVE,
                         .reserve = {.wallet_id = 5, .want = 100, .least = 100}};
    struct mg_job *const jobs[] = {&job};
    books_wallet(db, 5, 0);
    give(5, 600);
    mg_id_new(job.reserve.request_id);
    for (int again = 0; again < 2; again++)
        if (mg_batch_run(batch, db, jobs, 1, again, &err) != 0)
            books_fail("batch", &err);
    ok(job.reserved.unlimited, "a covered request whose commit was not answered is found again");
    is_int(look(5).connections, 1, "and counted once");
    job.kind = MG_JOB_EXTEND;
    if (mg_batch_run(batch, db, jobs, 1, false, &err) != 0)
        books_fail("batch", &err);
    is_int(job.reserved.outcome, MG_RESERVE_GRANTED, "it never needs more");
    is_int(books_read(db, 5).held, 0, "and holds nothing");
    books_release(ledger, job.reserve.request_id, 5);
    books_audit(db, "after it was released");
    mg_batch_free(&batch);
}

/* A process that begins and ends requests of several wallets, under windows and on credit, as fast
 * as it can, until it is killed. */
static void
work_until_killed(void)
{
    struct mg_err e = MG_ERR_INIT;
    struct mg_ledger *own = mg_ledger_start(&s.conf, "doomed", &e);
    if (own == NULL)
        _exit(1);
    for (unsigned i = 0;; i++) {
        uint8_t id[MG_ID_BYTES];
        struct mg_settle t = {.wallet_id = 6 + i % 3, .charge = 10, .model = "m"};
        mg_id_new(id);
        memcpy(t.request_id, id, MG_ID_BYTES);
        struct mg_reserved r = books_reserve(own, id, t.wallet_id, 100, 100);
        t.flags = r.unlimited ? MG_ROW_UNLIMITED : 0;
        if (r.outcome == MG_RESERVE_GRANTED && i % 5 != 4)
            mg_ledger_settle(own, &t, NULL, NULL);
    }
}

/* Windows so short that they begin and end all the time. */
static void
test_kills(void)
{
    for (uint64_t wallet = 6; wallet <= 8; wallet++)
        books_wallet(db, wallet, wallet == 8 ? 0 : 100000000);
    for (int round = 0; round < 8; round++) {
        pid_t child[2];
        for (uint64_t wallet = 6; wallet <= 8; wallet++)
            give(wallet, 1);
        for (int i = 0; i < 2; i++)
            if ((child[i] = fork()) == 0)
                work_until_killed();
        usleep(150000);
        for (int i = 0; i < 2; i++) {
            usleep(20000);
            kill(child[i], SIGKILL);
            waitpid(child[i], NULL, 0);
        }
    }
    struct mg_audit_result r = books_audit(db, "while dead processes have connections");
    ok(r.rows > 100, "many requests were made meanwhile: %llu", (unsigned long long)r.rows);
    struct mg_ledger *next = mg_ledger_start(&s.conf, "next", &err);
    for (int i = 0; i < 500 && scratch_number(&s, "SELECT COUNT(*) FROM hold") > 0; i++)
        usleep(20000);
    is_int(scratch_number(&s, "SELECT SUM(connections) + SUM(held) FROM wallet WHERE id >= 6"), 0,
           "the next process gives back what they had");
    books_audit(db, "after that");
    mg_ledger_stop(&next);
}

/* The database goes away under a covered request. */
static void
test_outage(void)
{
    uint8_t id[MG_ID_BYTES];
    books_wallet(db, 9, 0);
    give(9, 600);
    ok(ask(id, 9, 10).unlimited, "a request is covered");
    scratch_server(&s, "kill");
    struct mg_settled t = books_settle(ledger, id, 9, 5, MG_ROW_UNLIMITED);
    ok(!t.landed && t.durable, "its settle goes to the journal while the database is away");
    scratch_server(&s, "start");
    for (int i = 0; i < 1000 && !mg_ledger_healthy(ledger); i++)
        usleep(20000);
    for (int i = 0; i < 1000 && look(9).connections > 0; i++)
        usleep(20000);
    is_int(look(9).connections, 0, "and gives the connection back when it is replayed");
    is_int(scratch_number(&s, "SELECT flags FROM ledger WHERE wallet_id = 9 AND kind = 1"),
           MG_ROW_UNLIMITED, "with its row");
    books_audit(db, "after an outage");
}

/* A wallet whose row is gone from under a benefit, and lengths that are none. */
static void
test_wrong(void)
{
    uint8_t ref[MG_ID_BYTES] = {1};
    ok(mg_window_give(db, 4040, MG_WINDOW_OPERATOR, ref, 5, NULL, &err) != 0 && err.status == 404,
       "no wallet, no benefit");
    mg_err_free(&err);
    ok(mg_window_give(db, 1, MG_WINDOW_OPERATOR, ref, 0, NULL, &err) != 0 && err.status == 400,
       "a benefit of no length is refused");
    mg_err_free(&err);
}

int
main(void)
{
    scratch_start(&s);
    scratch_ledger_tables(&s);
    s.conf.heartbeat_ms = 60000; /* so that no sweep helps out */
    db = mg_db_open(&s.conf, MG_DB_SERVICE, &err);
    ledger = mg_ledger_start(&s.conf, "test", &err);
    if (db == NULL || ledger == NULL) {
        books_fail("start", &err);
        return 1;
    }
    test_life();
    test_order();
    test_race();
    test_dead();
    test_again();
    test_kills();
    test_outage();
    test_wrong();
    mg_ledger_stop(&ledger);
    mg_db_close(&db);
    scratch_stop(&s);
    return done();
}
