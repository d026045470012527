/* The database is away, silent, or comes back: nothing is lost, nobody waits long. */
#include "base/clock.h"
#include "books.h"
#include "scratch.h"

#include <dirent.h>
#include <signal.h>

static struct scratch s;
static struct mg_err err = MG_ERR_INIT;

static int
journals(void)
{
    int n = 0;
    DIR *dir = opendir(s.conf.state_dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;)
        n += strstr(e->d_name, ".journal") != NULL;
    closedir(dir);
    return n;
}

/* Waits until something is so, at most 10 s. */
#define UNTIL(condition) \
    for (int64_t until_ = mg_mono_ms() + 10000; mg_mono_ms() < until_ && !(condition);) \
    usleep(20000)

static long long
charged(void)
{
    return scratch_number(&s, "SELECT COUNT(*) FROM ledger WHERE kind = 'charge'");
}

static void
test_same_process(struct mg_ledger *ledger)
{
    uint8_t id[3][MG_ID_BYTES];
    for (int i = 0; i < 3; i++)
        mg_id_new(id[i]);
    books_reserve(ledger, id[0], 1, 100, 100);
    books_reserve(ledger, id[1], 1, 100, 100);
    scratch_server(&s, "stop");
    int64_t begun = mg_mono_ms();
    struct mg_settled t = books_settle(ledger, id[0], 1, 60, 0);
    ok(!t.landed && t.durable, "a settle while the database is away is put on disk");
    ok(mg_mono_ms() - begun < 2000, "soon: %lld ms", (long long)(mg_mono_ms() - begun));
    is_int(t.charge, 60, "and tells its charge");
    is_int(journals(), 1, "there is a journal");
    ok(!mg_ledger_healthy(ledger), "the ledger says that it is not well");
    begun = mg_mono_ms();
    is_int(books_reserve(ledger, id[2], 1, 1, 1).outcome, MG_RESERVE_UNAVAILABLE,
           "a new request is refused");
    ok(mg_mono_ms() - begun < 50, "at once: %lld ms", (long long)(mg_mono_ms() - begun));
    is_int(books_extend(ledger, id[1], 1, 1).outcome, MG_RESERVE_UNAVAILABLE,
           "so is an extension");
    ok(books_settle(ledger, id[0], 1, 60, 0).durable, "a repeated settle is put on disk too");
    scratch_server(&s, "start");
    UNTIL(mg_ledger_healthy(ledger));
    ok(mg_ledger_healthy(ledger), "when the database is back the ledger is well again");
    UNTIL(journals() == 0);
    is_int(journals(), 0, "the journal is replayed");
    is_int(charged(), 1, "and charged once");
    is_int(books_extend(ledger, id[1], 1, 1).granted, 101, "a hold of before the outage lives on");
    is_int(books_settle(ledger, id[1], 1, 40, 0).balance, 900, "and is settled");
    is_int(scratch_number(&s, "SELECT COUNT(*) FROM ledger WHERE flags & 8 <> 0"), 0,
           "nothing came late");
}

/* A process that journals and is killed; the next one of this host replays. */
static void
test_next_process(void)
{
    int ends[2];
    char byte;
    if (pipe(ends) != 0)
        return;
    pid_t pid = fork();
    if (pid == 0) {
        uint8_t id[MG_ID_BYTES];
        struct mg_ledger *own = mg_ledger_start(&s.conf, "victim", &err);
        mg_id_new(id);
        books_reserve(own, id, 1, 100, 100);
        scratch_server(&s, "kill");
        struct mg_settled t = books_settle(own, id, 1, 11, 0);
        if (!t.durable || t.landed || write(ends[1], "x", 1) != 1)
            _exit(1);
        pause();
    }
    ok(read(ends[0], &byte, 1) == 1, "a process settles during an outage");
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    scratch_server(&s, "start");
    is_int(journals(), 1, "is killed and leaves a journal");
    long long before = charged();
    struct mg_ledger *next = mg_ledger_start(&s.conf, "next", &err);
    UNTIL(journals() == 0 && scratch_number(&s, "SELECT COUNT(*) FROM proc") == 1);
    is_int(charged() - before, 1, "the next process of the host charges it");
    is_int(scratch_number(&s, "SELECT COUNT(*) FROM ledger WHERE amount = -11 AND flags & 8 = 0"),
           1, "before it sweeps what the dead one held");
    is_int(scratch_number(&s, "SELECT COUNT(*) FROM hold"), 0, "and no hold is left");
    mg_ledger_stop(&next);
}

/* The server is there and answers nothing. */
static void
test_silence(struct mg_ledger *ledger)
{
    uint8_t id[2][MG_ID_BYTES];
    char path[128];
    int pid = 0;
    mg_id_new(id[0]);
    mg_id_new(id[1]);
    books_reserve(ledger, id[0], 1, 100, 100);
    snprintf(path, sizeof(path), "%s/db/db.pid", s.dir);
    FILE *in = fopen(path, "r");
    if (in == NULL || fscanf(in, "%d", &pid) != 1)
        printf("# no pid in %s\n", path);
    fclose(in);
    kill(pid, SIGSTOP);
    int64_t begun = mg_mono_ms();
    struct books_wait w;
    books_settle_begin(ledger, id[0], 1, 7, 0, &w);
    struct mg_reserved r = books_reserve(ledger, id[1], 1, 50, 50);
    struct mg_settled t = books_settle_end(&w);
    int64_t took = mg_mono_ms() - begun;
    ok(!t.landed && t.durable, "a settle toward a silent database is put on disk");
    is_int(r.outcome, MG_RESERVE_UNAVAILABLE, "a reserve that waits beside it is refused");
    ok(took < 5000, "after %lld ms", (long long)took);
    kill(pid, SIGCONT);
    UNTIL(mg_ledger_healthy(ledger) && journals() == 0);
    is_int(journals(), 0, "the settle lands when the server goes on");
    is_int(scratch_number(&s, "SELECT COUNT(*) FROM ledger WHERE amount = -7"), 1, "once");
    UNTIL(scratch_number(&s, "SELECT COUNT(*) FROM hold") == 0);
    is_int(scratch_number(&s, "SELECT COUNT(*) FROM hold"), 0,
           "a refused reserve that the server carried out after all is taken back");
}

/* Nothing answers at first. */
static void
test_late_database(void)
{
    scratch_server(&s, "stop");
    struct mg_ledger *ledger = mg_ledger_start(&s.conf, "early", &err);
    uint8_t id[MG_ID_BYTES];
    mg_id_new(id);
    ok(ledger != NULL, "a process may start before its database");
    is_int(books_reserve(ledger, id, 1, 1, 1).outcome, MG_RESERVE_UNAVAILABLE,
           "and refuses requests");
    scratch_server(&s, "start");
    UNTIL(mg_ledger_healthy(ledger));
    is_int(books_reserve(ledger, id, 1, 1, 1).outcome, MG_RESERVE_GRANTED, "until it is there");
    scratch_server(&s, "stop");
    books_settle(ledger, id, 1, 1, 0);
    mg_ledger_stop(&ledger);
    is_int(journals(), 1, "a stop without the database leaves the journal");
    scratch_server(&s, "start");
    ledger = mg_ledger_start(&s.conf, "later", &err);
    UNTIL(journals() == 0);
    is_int(journals(), 0, "for the next start");
    mg_ledger_stop(&ledger);
}

/* Neither the database nor the disk takes it: it is kept in memory and tried again. */
static void
test_no_disk(struct mg_ledger *ledger)
{
    uint8_t id[MG_ID_BYTES];
    char command[256];
    mg_id_new(id);
    books_reserve(ledger, id, 1, 100, 100);
    scratch_server(&s, "stop");
    snprintf(command, sizeof(command), "mv '%s' '%s.away'", s.conf.state_dir, s.conf.state_dir);
    int moved = system(command);
    snprintf(command, sizeof(command), "rm -rf '%s.away'", s.conf.state_dir);
    moved |= system(command);
    struct mg_settled t = books_settle(ledger, id, 1, 13, 0);
    ok(moved == 0 && !t.landed && !t.durable,
       "without a disk too, a settle says that it is not safe");
    mkdir(s.conf.state_dir, 0700);
    scratch_server(&s, "start");
    UNTIL(scratch_number(&s, "SELECT COUNT(*) FROM ledger WHERE amount = -13") == 1);
    is_int(scratch_number(&s, "SELECT COUNT(*) FROM ledger WHERE amount = -13"), 1,
           "but lands when the database is back");
}

int
main(void)
{
    plan(0);
    scratch_start(&s);
    s.conf.heartbeat_ms = 300;
    scratch_ledger_tables(&s);
    struct mg_db *db = mg_db_open(&s.conf, MG_DB_SERVICE, &err);
    books_wallet(db, 1, 1000);
    test_next_process();
    struct mg_ledger *ledger = mg_ledger_start(&s.conf, "test", &err);
    scratch_sql(&s, "DELETE FROM ledger WHERE kind = 'charge';"
                    "UPDATE wallet SET balance = 1000, seq = 1;"
                    "UPDATE credit_lot SET remaining = 1000");
    test_same_process(ledger);
    books_audit(db, "after an outage");
    test_silence(ledger);
    books_audit(db, "after a silence");
    test_no_disk(ledger);
    books_audit(db, "after a disk was away too");
    mg_ledger_stop(&ledger);
    test_late_database();
    books_audit(db, "in the end");
    mg_db_close(&db);
    scratch_stop(&s);
    return done();
}
