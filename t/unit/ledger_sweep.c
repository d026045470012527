/* Holds of dead processes are released; of living ones never. */
#include "base/clock.h"
#include "books.h"
#include "ledger/beat.h"
#include "ledger/proc.h"
#include "ledger/sweep.h"
#include "scratch.h"

#include <signal.h>

#define STALE_MS 600

static struct scratch s;
static struct mg_db *db;
static struct mg_sweeper *sweeper;
static struct mg_proc self;
static struct mg_err err = MG_ERR_INIT;

static void
pass(void)
{
    if (mg_sweeper_pass(sweeper, db, &err) != 0)
        books_fail("pass", &err);
}

static long long
count_of(const char *sql, uint64_t owner)
{
    const struct mg_db_value value = mg_db_u64(owner);
    long long n = -1;
    if (mg_db_query(db, sql, &value, 1, &err) == 0 && mg_db_next(db, &err) == 1)
        n = mg_db_get_i64(db, 0);
    mg_db_done(db);
    return n;
}

static long long
holds_of(uint64_t owner)
{
    return count_of("SELECT COUNT(*) FROM hold WHERE owner = ?", owner);
}

static long long
row_of(uint64_t owner)
{
    return count_of("SELECT COUNT(*) FROM proc WHERE owner = ?", owner);
}

/* A process row (unless `orphan`) and n holds of 10 on wallets 1 … 3. */
static void
leave_behind(const struct mg_proc *p, int n, bool orphan)
{
    char sql[512];
    if (!orphan && mg_beat_say(db, p, "test", &err) != 0)
        books_fail("say", &err);
    snprintf(sql, sizeof(sql),
             "INSERT INTO hold SELECT UNHEX(MD5(CONCAT('%llu-', seq))), 1 + seq %% 3, 10, %llu,"
             " 0, 0 FROM seq_1_to_%d; UPDATE wallet w SET held = (SELECT COALESCE(SUM(amount), 0)"
             " FROM hold h WHERE h.wallet_id = w.id)",
             (unsigned long long)p->owner, (unsigned long long)p->owner, n);
    scratch_sql(&s, sql);
}

static struct mg_proc
a_process(const char *place, int64_t pid)
{
    struct mg_proc p;
    mg_proc_self(&p);
    if (place != NULL)
        snprintf(p.place, sizeof(p.place), "%s", place);
    p.pid = pid;
    return p;
}

/* A pid that was just used and is free. */
static int64_t
dead_pid(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    waitpid(pid, NULL, 0);
    return pid;
}

static void
test_certainty(void)
{
    struct mg_proc p = self;
    ok(!mg_proc_is_dead(&self, &self), "a process does not take itself for dead");
    p.birth++;
    ok(mg_proc_is_dead(&self, &p), "a pid that was given to another process is");
    p = a_process(NULL, dead_pid());
    ok(mg_proc_is_dead(&self, &p), "a pid that is free is");
    snprintf(p.place, sizeof(p.place), "%s", "elsewhere/1");
    ok(!mg_proc_is_dead(&self, &p), "but not one of another machine");
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    p = a_process(NULL, child);
    usleep(100000);
    char path[64], line[512];
    snprintf(path, sizeof(path), "/proc/%d/stat", child);
    FILE *in = fopen(path, "r");
    if (in != NULL && fgets(line, sizeof(line), in) != NULL)
        sscanf(strrchr(line, ')') + 2, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
               " %*s %*s %*s %*s %*s %llu", (unsigned long long *)&p.birth);
    fclose(in);
    ok(mg_proc_is_dead(&self, &p), "a corpse that nobody has buried is dead");
    waitpid(child, NULL, 0);
    struct mg_proc blind = self;
    blind.place[0] = '\0';
    ok(!mg_proc_is_dead(&blind, &blind), "who does not know where it is judges nobody");
}

static void
test_same_host(void)
{
    struct mg_proc dead = a_process(NULL, dead_pid()), alive = a_process(NULL, getppid());
    snprintf(alive.place, sizeof(alive.place), "%s", "another/host");
    leave_behind(&dead, 250, false);
    leave_behind(&alive, 20, false);
    pass();
    is_int(holds_of(dead.owner), 0, "a dead process of this host is swept at once, all 250 holds");
    is_int(row_of(dead.owner), 0, "with its row");
    is_int(holds_of(alive.owner), 20, "one of another host is left alone");
    books_audit(db, "after a sweep");
    int64_t until = mg_mono_ms() + 2 * STALE_MS;
    while (mg_mono_ms() < until) {
        if (mg_beat_say(db, &alive, "test", &err) != 0)
            books_fail("say", &err);
        pass();
        usleep(50000);
    }
    is_int(holds_of(alive.owner), 20, "as long as it gives signs of life");
    mg_sweeper_restart(sweeper);
    pass();
    is_int(holds_of(alive.owner), 20, "after an outage the watch begins anew");
    usleep((STALE_MS + 100) * 1000);
    pass();
    is_int(holds_of(alive.owner), 0, "when it has been silent for long enough it is swept");
    is_int(row_of(alive.owner), 0, "with its row");
    books_audit(db, "after a silent process");
}

static void
test_orphans(void)
{
    struct mg_proc gone = a_process(NULL, 1);
    leave_behind(&gone, 5, true);
    pass();
    is_int(holds_of(gone.owner), 5, "holds without a process row are given time");
    if (mg_beat_say(db, &gone, "test", &err) != 0)
        books_fail("say", &err);
    scratch_sql(&s, "UPDATE proc SET place = 'another/host'");
    usleep((STALE_MS + 100) * 1000);
    pass();
    is_int(holds_of(gone.owner), 5, "if it comes back they are its own");
    scratch_sql(&s, "DELETE FROM proc");
    pass();
    usleep((STALE_MS + 100) * 1000);
    pass();
    is_int(holds_of(gone.owner), 0, "if it does not they are released");
    books_audit(db, "after orphans");
}

static void
test_locked(void)
{
    struct mg_proc dead = a_process(NULL, dead_pid());
    leave_behind(&dead, 3, false);
    struct mg_db *other = mg_db_open(&s.conf, MG_DB_ADMIN, &err);
    ok(mg_db_script(other, "START TRANSACTION; SELECT * FROM proc FOR UPDATE", 48, &err) == 0,
       "another sweeper is at work");
    pass();
    is_int(holds_of(dead.owner), 3, "so this one lets it");
    mg_db_close(&other);
    usleep(50000);
    pass();
    is_int(holds_of(dead.owner), 0, "and does it when the other is gone");
}

/* Two real ledgers; one of them stops for longer than stale_ms and goes on. */
static void
test_stopped(void)
{
    int ends[2], back[2];
    char byte;
    uint8_t id[MG_ID_BYTES];
    mg_id_new(id);
    if (pipe(ends) != 0 || pipe(back) != 0)
        return;
    s.conf.heartbeat_ms = 100;
    s.conf.stale_ms = STALE_MS;
    pid_t pid = fork();
    if (pid == 0) {
        struct mg_ledger *own = mg_ledger_start(&s.conf, "sleeper", &err);
        struct mg_reserved r = books_reserve(own, id, 1, 100, 100);
        if (r.outcome != MG_RESERVE_GRANTED || write(ends[1], "x", 1) != 1 ||
            read(back[0], &byte, 1) != 1)
            _exit(1);
        struct mg_reserved e = books_extend(own, id, 1, 5);
        struct mg_settled t = books_settle(own, id, 1, 33, 0);
        mg_ledger_stop(&own);
        _exit(t.landed && e.outcome == MG_RESERVE_UNAVAILABLE ? 0 : 2);
    }
    ok(read(ends[0], &byte, 1) == 1, "a process holds credit");
    kill(pid, SIGSTOP);
    struct mg_ledger *ledger = mg_ledger_start(&s.conf, "watcher", &err);
    usleep(STALE_MS / 3 * 1000);
    is_int(scratch_number(&s, "SELECT COUNT(*) FROM hold"), 1, "stops for a moment and keeps it");
    for (int i = 0; i < 100 && scratch_number(&s, "SELECT COUNT(*) FROM hold") > 0; i++)
        usleep(50000);
    is_int(scratch_number(&s, "SELECT COUNT(*) FROM hold"), 0, "stops for too long and loses it");
    int status = -1;
    kill(pid, SIGCONT);
    ok(write(back[1], "x", 1) == 1 && waitpid(pid, &status, 0) == pid && status == 0,
       "when it goes on it cannot extend, but settles: %d", status);
    is_int(scratch_number(&s, "SELECT amount FROM ledger WHERE flags & 8 <> 0"), -33,
           "which is charged and flagged as late");
    mg_ledger_stop(&ledger);
    books_audit(db, "after a process that was taken for dead came back");
}

int
main(void)
{
    plan(0);
    scratch_start(&s);
    scratch_ledger_tables(&s);
    db = mg_db_open(&s.conf, MG_DB_SERVICE, &err);
    mg_proc_self(&self);
    sweeper = mg_sweeper_new(&self, STALE_MS);
    for (uint64_t id = 1; id <= 3; id++)
        books_wallet(db, id, 100000);
    ok(self.place[0] != '\0' && self.birth > 0, "a process knows where and when it was born");
    test_certainty();
    test_same_host();
    test_orphans();
    test_locked();
    test_stopped();
    mg_sweeper_free(&sweeper);
    mg_db_close(&db);
    scratch_stop(&s);
    return done();
}
