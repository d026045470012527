/* The database room against a real server. */
#include "base/clock.h"
#include "db/db.h"
#include "db/fault.h"
#include "db/host.h"
#include "db/list.h"
#include "scratch.h"

#include <pthread.h>
#include <signal.h>

static struct scratch s;
static struct mg_err err = MG_ERR_INIT;

static void
test_hosts(void)
{
    struct mg_db_host h[MG_DB_HOSTS];
    is_int(mg_db_host_parse("unix:/a/b.sock, db2 ,[::1]:3307,10.0.0.1:99", h, &err), 4,
           "a host list of four is read");
    is_str(h[0].socket, "/a/b.sock", "a socket path is taken");
    is_str(h[1].name, "db2", "spaces around a name are dropped");
    is_int(h[1].port, 3306, "a missing port is 3306");
    is_str(h[2].name, "::1", "an IPv6 address loses its brackets");
    is_int(h[2].port, 3307, "and keeps its port");
    static const char *const bad[] = {"", " , ", "unix:rel", "unix:", "h:", "h:0", "h:65536", "h:x",
                                      "[::1", "[::1]x", ":3306", "h:123456",
                                      "a,a,a,a,a,a,a,a,a"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        is_int(mg_db_host_parse(bad[i], h, &err), -1, bad[i][0] ? bad[i] : "(empty)");
    mg_err_free(&err);
}

static void
test_lists(void)
{
    struct mg_str sql;
    mg_str_init(&sql, 1 << 16);
    is_str(mg_list_sql(&sql, "a (", "?", 3, ")"), "a (?,?,?)", "an IN list of three");
    is_str(mg_list_sql(&sql, "v ", "(?,?)", 1, ""), "v (?,?)", "one row; the buffer is used again");
    is_int((long long)mg_list_round(1), 1, "one stays one");
    is_int((long long)mg_list_round(5), 8, "five places become eight");
    is_int((long long)mg_list_round(512), 512, "512 is the most");
    mg_str_free(&sql);
}

static void
test_sorts(void)
{
    is_int(mg_fault_sort(1213, true, false), MG_DB_CONFLICT, "a deadlock is a conflict");
    is_int(mg_fault_sort(1205, true, false), MG_DB_CONFLICT, "a lock wait is a conflict");
    is_int(mg_fault_sort(1213, true, true), MG_DB_CONFLICT, "so is a Galera abort at COMMIT");
    is_int(mg_fault_sort(1062, true, false), MG_DB_DUPLICATE, "1062 is a duplicate");
    is_int(mg_fault_sort(2013, true, false), MG_DB_LOST, "2013 inside a transaction is lost");
    is_int(mg_fault_sort(2013, true, true), MG_DB_UNCERTAIN, "2013 at COMMIT is uncertain");
    is_int(mg_fault_sort(2006, true, true), MG_DB_UNCERTAIN, "2006 at COMMIT is uncertain");
    is_int(mg_fault_sort(2013, false, false), MG_DB_UNCERTAIN,
           "2013 for a statement that commits itself is uncertain");
    is_int(mg_fault_sort(1047, true, false), MG_DB_LOST, "a node that is not ready is given up");
    is_int(mg_fault_sort(1290, false, false), MG_DB_LOST, "a server turned read-only is given up");
    is_int(mg_fault_sort(1064, true, false), MG_DB_BROKEN, "a syntax error is our mistake");
}

static void
test_values(struct mg_db *db)
{
    static const char bytes[] = "a\0b'\\\xff";
    const struct mg_db_value in[] = {mg_db_i64(INT64_MIN), mg_db_u64(UINT64_MAX),
                                     mg_db_text("caf\xc3\xa9 \xf0\x9f\x90\x8c"),
                                     mg_db_bytes(bytes, sizeof(bytes)), mg_db_null()};
    size_t n;
    ok(mg_db_exec(db, "INSERT INTO v (i, u, t, b, n) VALUES (?, ?, ?, ?, ?)", in, 5, &err) == 0,
       "a row of every type goes in");
    is_int((long long)mg_db_affected(db), 1, "one row is affected");
    is_int((long long)mg_db_insert_id(db), 1, "its automatic id is known");
    ok(mg_db_query(db, "SELECT i, u, t, b, n FROM v WHERE i = ?", in, 1, &err) == 0, "and is read");
    is_int(mg_db_next(db, &err), 1, "there is a row");
    is_int(mg_db_get_i64(db, 0), INT64_MIN, "the smallest integer survives");
    ok(mg_db_get_u64(db, 1) == UINT64_MAX, "the largest unsigned survives");
    is_str(mg_db_get_bytes(db, 1, NULL), "18446744073709551615", "a number can be read as text");
    is_str(mg_db_get_bytes(db, 2, NULL), "caf\xc3\xa9 \xf0\x9f\x90\x8c", "UTF-8 survives");
    const char *got = mg_db_get_bytes(db, 3, &n);
    is_bytes(got, n, bytes, sizeof(bytes), "bytes with NUL and quotes survive");
    ok(mg_db_is_null(db, 4) && !mg_db_is_null(db, 0), "NULL is told from a value");
    is_str(mg_db_get_bytes(db, 4, &n), "", "NULL reads as nothing");
    is_int(mg_db_next(db, &err), 0, "and no more rows");
    is_int(mg_db_next(db, &err), 0, "asking again is harmless");
    ok(mg_db_query(db, "SELECT SUM(i), 1.5, COUNT(*) FROM v", NULL, 0, &err) == 0 &&
       mg_db_next(db, &err) == 1, "a sum is read");
    is_int(mg_db_get_i64(db, 0), INT64_MIN, "a DECIMAL sum is an integer");
    is_int(mg_db_get_i64(db, 2), 1, "a count is an integer");
    mg_db_done(db);
}

static void
test_long_values(struct mg_db *db)
{
    size_t n = 20 << 20;
    char *big = malloc(n);
    memset(big, 'x', n);
    big[n - 1] = 'y';
    const struct mg_db_value in[] = {mg_db_bytes(big, n)};
    ok(mg_db_exec(db, "UPDATE v SET b = ?", in, 1, &err) == 0, "20 MB go in one statement");
    ok(mg_db_query(db, "SELECT b FROM v", NULL, 0, &err) == 0 && mg_db_next(db, &err) == 1,
       "and come back");
    size_t got;
    const char *p = mg_db_get_bytes(db, 0, &got);
    ok(got == n && memcmp(p, big, n) == 0, "unchanged");
    mg_db_done(db);
    ok(mg_db_exec(db, "UPDATE v SET b = 'small'", NULL, 0, &err) == 0 &&
       mg_db_query(db, "SELECT b FROM v", NULL, 0, &err) == 0 && mg_db_next(db, &err) == 1,
       "a shorter value follows in the same buffer");
    is_str(mg_db_get_bytes(db, 0, NULL), "small", "and ends where it ends");
    mg_db_done(db);
    free(big);
}

static void
test_errors(struct mg_db *db)
{
    const struct mg_db_value in[] = {mg_db_text("secret-value")};
    ok(mg_db_exec(db, "INSERT INTO k (name) VALUES (?)", in, 1, &err) == 0, "a unique row");
    is_int(mg_db_exec(db, "INSERT INTO k (name) VALUES (?)", in, 1, &err), -1, "a second fails");
    is_int(mg_db_why(db), MG_DB_DUPLICATE, "because it is a duplicate");
    ok(strstr(err.detail, "k_name") != NULL, "the log names the key: %s", err.detail);
    ok(strstr(err.detail, "secret-value") == NULL, "but never the value");
    is_int(mg_db_exec(db, "INSERT INTO nowhere VALUES (1)", NULL, 0, &err), -1, "an unknown table");
    is_int(mg_db_why(db), MG_DB_BROKEN, "is our mistake");
    is_int(err.status, 500, "and a 500");
    is_int(mg_db_exec(db, "INSERT INTO k (name) VALUES (?)", NULL, 0, &err), -1,
           "a missing value is refused before it is sent");
    is_int(mg_db_query(db, "SELECT 1; SELECT 2", NULL, 0, &err), -1,
           "two statements in one packet are refused");
    is_int(mg_db_script(db, "SELECT 1", 8, &err), -1, "a script is not for the service's role");
    mg_err_free(&err);
}

static void
test_session(struct mg_db *db)
{
    ok(mg_db_query(db, "SELECT @@tx_isolation, @@autocommit, @@sql_mode, @@time_zone,"
                       " @@character_set_client", NULL, 0, &err) == 0 && mg_db_next(db, &err) == 1,
       "the session tells its settings");
    is_str(mg_db_get_bytes(db, 0, NULL), "READ-COMMITTED", "it reads what is committed");
    is_int(mg_db_get_i64(db, 1), 1, "it commits by itself");
    ok(strstr(mg_db_get_bytes(db, 2, NULL), "STRICT_ALL_TABLES") != NULL, "it is strict");
    is_str(mg_db_get_bytes(db, 3, NULL), "+00:00", "its days are UTC");
    is_str(mg_db_get_bytes(db, 4, NULL), "utf8mb4", "it speaks UTF-8");
    mg_db_done(db);
}

static void
test_cache(struct mg_db *db)
{
    struct mg_str sql;
    mg_str_init(&sql, 1 << 16);
    struct mg_db_value in[512];
    int failed = 0;
    for (size_t n = 1; n <= 512; n++) {
        in[n - 1] = mg_db_i64((int64_t)n);
        mg_list_sql(&sql, "SELECT COUNT(*) FROM v WHERE i IN (", "?", n, ")");
        failed += mg_db_query(db, sql.p, in, n, &err) != 0 || mg_db_next(db, &err) != 1;
        mg_db_done(db);
    }
    is_int(failed, 0, "512 different statements run on one connection");
    long long kept = scratch_number(&s, "SELECT VARIABLE_VALUE FROM information_schema."
                                    "GLOBAL_STATUS WHERE VARIABLE_NAME = 'PREPARED_STMT_COUNT'");
    ok(kept > 0 && kept < 450, "and the oldest are given up: %lld are kept", kept);
    mg_str_free(&sql);
}

/* Kills the connection from another one. */
static void
kill_connection(struct mg_db *db, struct mg_db *by)
{
    ok(mg_db_query(db, "SELECT CONNECTION_ID()", NULL, 0, &err) == 0 && mg_db_next(db, &err) == 1,
       "a connection is killed while idle");
    char sql[64];
    snprintf(sql, sizeof(sql), "KILL %lld", (long long)mg_db_get_i64(db, 0));
    mg_db_done(db);
    if (mg_db_script(by, sql, strlen(sql), &err) != 0)
        printf("# %s\n", err.detail);
    usleep(50000);
}

struct steps {
    int runs, fail_until;
    struct mg_db *killer;
    bool kill;
};

static int
count_up(struct mg_db *db, void *arg, struct mg_err *e)
{
    struct steps *st = arg;
    st->runs++;
    if (mg_db_exec(db, "UPDATE c SET n = n + 1", NULL, 0, e) != 0)
        return -1;
    if (st->kill && st->runs == 1) {
        char sql[64];
        if (mg_db_query(db, "SELECT CONNECTION_ID()", NULL, 0, e) != 0 || mg_db_next(db, e) != 1)
            return -1;
        snprintf(sql, sizeof(sql), "KILL %lld", (long long)mg_db_get_i64(db, 0));
        mg_db_done(db);
        if (mg_db_script(st->killer, sql, strlen(sql), e) != 0)
            return -1;
        usleep(50000);
        return mg_db_exec(db, "UPDATE c SET n = n + 100", NULL, 0, e);
    }
    return st->runs <= st->fail_until ? mg_err_set(e, 402, "no", "not today") : 0;
}

static void
test_transactions(struct mg_db *db, struct mg_db *admin)
{
    struct steps st = {0};
    is_int(mg_db_txn(db, "count", count_up, &st, &err), 0, "a transaction commits");
    is_int(scratch_number(&s, "SELECT n FROM c"), 1, "and is seen by others");
    st = (struct steps){.fail_until = 9};
    is_int(mg_db_txn(db, "count", count_up, &st, &err), -1, "one that its function refuses ends");
    is_int(err.status, 402, "with the function's error");
    is_int(st.runs, 1, "and is not repeated");
    is_int(scratch_number(&s, "SELECT n FROM c"), 1, "nothing of it stays");
    st = (struct steps){.kill = true, .killer = admin};
    is_int(mg_db_txn(db, "count", count_up, &st, &err), 0, "one whose connection dies is repeated");
    is_int(st.runs, 2, "once");
    is_int(scratch_number(&s, "SELECT n FROM c"), 2, "and counts once");
    kill_connection(db, admin);
    is_int(mg_db_exec(db, "UPDATE c SET n = n + 1", NULL, 0, &err), 0,
           "a connection that died while idle is reopened");
    is_int(scratch_number(&s, "SELECT n FROM c"), 3, "and the statement runs once");
    mg_err_free(&err);
}

static int
nested(struct mg_db *db, void *arg, struct mg_err *e)
{
    return mg_db_txn(db, "inner", count_up, arg, e);
}

/* Two threads lock two rows in opposite order, again and again: deadlocks are certain. */
struct crossing {
    struct mg_db *db;
    int first, second, runs;
    bool sloppy; /* goes on after an error as if nothing was */
    struct mg_err err;
    int failed;
};

static int
cross(struct mg_db *db, void *arg, struct mg_err *e)
{
    struct crossing *x = arg;
    const struct mg_db_value one[] = {mg_db_i64(x->first)}, two[] = {mg_db_i64(x->second)};
    x->runs++;
    if (mg_db_exec(db, "UPDATE p SET n = n + 1 WHERE id = ?", one, 1, e) != 0)
        return -1;
    usleep(2000);
    int rc = mg_db_exec(db, "UPDATE p SET n = n + 1 WHERE id = ?", two, 1, e);
    if (rc == 0 || !x->sloppy)
        return rc;
    x->failed += mg_db_exec(db, "UPDATE p SET n = n + 1 WHERE id = 3", NULL, 0, e) == 0;
    return 0;
}

static void *
cross_often(void *arg)
{
    struct crossing *x = arg;
    for (int i = 0; i < 30; i++)
        x->failed += mg_db_txn(x->db, "cross", cross, x, &x->err) != 0;
    return NULL;
}

static void
test_deadlocks(bool sloppy)
{
    struct crossing x[2] = {{.first = 1, .second = 2, .sloppy = sloppy, .err = MG_ERR_INIT},
                            {.first = 2, .second = 1, .sloppy = sloppy, .err = MG_ERR_INIT}};
    scratch_sql(&s, "UPDATE p SET n = 0");
    pthread_t t[2];
    for (int i = 0; i < 2; i++) {
        x[i].db = mg_db_open(&s.conf, MG_DB_SERVICE, &err);
        pthread_create(&t[i], NULL, cross_often, &x[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(t[i], NULL);
        mg_db_close(&x[i].db);
    }
    is_int(x[0].failed + x[1].failed, 0, "two threads that lock crosswise both finish");
    ok(x[0].runs + x[1].runs > 60, "after deadlocks: 60 transactions took %d runs",
       x[0].runs + x[1].runs);
    is_int(scratch_number(&s, "SELECT SUM(n) FROM p"), 120, "and every step counts once");
    is_int(scratch_number(&s, "SELECT n FROM p WHERE id = 3"), 0,
           "nothing is done outside of the transaction that was rolled back");
    mg_err_free(&x[0].err);
    mg_err_free(&x[1].err);
}

static int
sum_twice(struct mg_db *db, void *arg, struct mg_err *e)
{
    long long *sums = arg;
    for (int i = 0; i < 2; i++) {
        if (mg_db_query(db, "SELECT n FROM c", NULL, 0, e) != 0 || mg_db_next(db, e) != 1)
            return -1;
        sums[i] = mg_db_get_i64(db, 0);
        mg_db_done(db);
        if (i == 0)
            scratch_sql(&s, "UPDATE c SET n = n + 1");
    }
    return mg_db_exec(db, "UPDATE c SET n = 0", NULL, 0, e);
}

static void
test_snapshot(struct mg_db *db)
{
    long long sums[2] = {-1, -2};
    is_int(mg_db_snapshot(db, "view", sum_twice, sums, &err), -1, "a snapshot cannot write");
    is_int(sums[1], sums[0], "and sees the same instant all the time");
    ok(scratch_number(&s, "SELECT n FROM c") == sums[0] + 1, "although others go on");
    mg_err_free(&err);
}

struct pooled {
    struct mg_db_pool *pool;
    int failed;
};

static void *
use_pool(void *arg)
{
    struct pooled *p = arg;
    struct mg_err e = MG_ERR_INIT;
    for (int i = 0; i < 50; i++) {
        struct mg_db *db = mg_db_pool_get(p->pool, &e);
        if (db == NULL || mg_db_exec(db, "UPDATE c SET n = n + 1", NULL, 0, &e) != 0)
            __atomic_add_fetch(&p->failed, 1, __ATOMIC_RELAXED);
        if (db != NULL)
            mg_db_pool_put(p->pool, db);
    }
    return NULL;
}

static void
test_pool(void)
{
    struct pooled p = {.pool = mg_db_pool_new(&s.conf, 3)};
    pthread_t t[16];
    scratch_sql(&s, "UPDATE c SET n = 0");
    for (int i = 0; i < 16; i++)
        pthread_create(&t[i], NULL, use_pool, &p);
    for (int i = 0; i < 16; i++)
        pthread_join(t[i], NULL);
    is_int(p.failed, 0, "16 threads share three connections");
    is_int(scratch_number(&s, "SELECT n FROM c"), 800, "and every statement runs once");
    mg_db_pool_free(&p.pool);
    ok(p.pool == NULL, "the pool is freed");
}

static void
test_script(struct mg_db *admin)
{
    static const char good[] = "-- a comment; with a semicolon\nSELECT ';';\n"
                               "SET @a = 1; SELECT @a;\n";
    static const char bad[] = "SELECT 1;\nSELECT 2;\nSELEKT 3;\nSELECT 4;";
    is_int(mg_db_script(admin, good, sizeof(good) - 1, &err), 0, "a script of statements runs");
    is_int(mg_db_script(admin, bad, sizeof(bad) - 1, &err), -1, "a wrong one stops");
    ok(strstr(err.detail, "statement 3") != NULL, "and names the statement: %.40s", err.detail);
    is_int(mg_db_query(admin, "SELECT 1; SELECT 2", NULL, 0, &err), -1,
           "behind a script one packet is one statement again");
    mg_err_free(&err);
}

static void
test_outage(struct mg_db *db)
{
    struct mg_db_pool *pool = mg_db_pool_new(&s.conf, 2);
    scratch_server(&s, "kill");
    int64_t begun = mg_mono_ms();
    is_int(mg_db_exec(db, "UPDATE c SET n = n + 1", NULL, 0, &err), -1,
           "without a server a statement fails");
    is_int(err.status, 503, "with 503");
    is_str(err.code, "unavailable", "and a code that says so");
    ok(mg_db_why(db) == MG_DB_LOST || mg_db_why(db) == MG_DB_UNCERTAIN, "the connection is lost");
    ok(mg_db_pool_get(pool, &err) == NULL && err.status == 503, "so is a pool's");
    ok(mg_mono_ms() - begun < 1000, "at once");
    scratch_server(&s, "start");
    is_int(mg_db_exec(db, "UPDATE c SET n = n + 1", NULL, 0, &err), 0,
           "when it is back the same connection object works again");
    usleep(250000);
    struct mg_db *one = mg_db_pool_get(pool, &err);
    ok(one != NULL, "and the pool gives connections");
    if (one != NULL)
        mg_db_pool_put(pool, one);
    mg_db_pool_free(&pool);
    mg_err_free(&err);
}

static void
test_silence(void)
{
    struct mg_db *db = mg_db_open(&s.conf, MG_DB_WRITER, &err);
    int64_t begun = mg_mono_ms();
    is_int(mg_db_exec(db, "DO SLEEP(20)", NULL, 0, &err), -1, "the writer does not wait for ever");
    int64_t took = mg_mono_ms() - begun;
    ok(took > 1500 && took < 4000, "it gives up after about 2 s: %lld ms", (long long)took);
    is_int(mg_db_why(db), MG_DB_UNCERTAIN, "not knowing whether the statement was done");
    mg_db_close(&db);
    mg_err_free(&err);
}

static void
test_failover(void)
{
    char *hosts = mg_strdup(s.conf.db_hosts), text[300];
    snprintf(text, sizeof(text), "unix:/nonexistent/db.sock,127.0.0.1:1,%s", hosts);
    scratch_set(&s.conf.db_hosts, text);
    struct mg_db *db = mg_db_open(&s.conf, MG_DB_SERVICE, &err);
    ok(db != NULL, "hosts that do not answer are passed over");
    mg_db_close(&db);
    scratch_set(&s.conf.db_hosts, hosts);
    scratch_sql(&s, "SET GLOBAL read_only = 1");
    db = mg_db_open(&s.conf, MG_DB_SERVICE, &err);
    ok(db == NULL && err.status == 503, "a read-only server is passed over");
    ok(strstr(err.detail, "read-only") != NULL, "and the log says why: %s", err.detail);
    static const char back[] = "SET GLOBAL read_only = 0";
    scratch_server(&s, "stop");
    scratch_server(&s, "start");
    scratch_sql(&s, back);
    mg_err_free(&err);
    free(hosts);
}

int
main(void)
{
    plan(0);
    scratch_start(&s);
    test_hosts();
    test_lists();
    test_sorts();
    scratch_sql(&s, "CREATE DATABASE scratch");
    scratch_sql(&s, "CREATE TABLE v (id INT AUTO_INCREMENT PRIMARY KEY, i BIGINT,"
                    " u BIGINT UNSIGNED, t VARCHAR(50), b LONGBLOB, n INT);"
                    "CREATE TABLE k (name VARCHAR(50), UNIQUE KEY k_name (name));"
                    "CREATE TABLE c (n BIGINT); INSERT INTO c VALUES (0);"
                    "CREATE TABLE p (id INT PRIMARY KEY, n INT);"
                    "INSERT INTO p VALUES (1,0),(2,0),(3,0)");
    struct mg_db *db = mg_db_open(&s.conf, MG_DB_SERVICE, &err);
    struct mg_db *admin = mg_db_open(&s.conf, MG_DB_ADMIN, &err);
    if (ok(db != NULL && admin != NULL, "both roles connect")) {
        test_values(db);
        test_long_values(db);
        test_errors(db);
        test_session(db);
        test_cache(db);
        test_transactions(db, admin);
        struct steps st = {0};
        is_int(mg_db_txn(db, "outer", nested, &st, &err), -1,
               "a transaction inside one is refused");
        mg_err_free(&err);
        test_deadlocks(false);
        test_deadlocks(true);
        test_snapshot(db);
        test_pool();
        test_script(admin);
        test_outage(db);
        test_silence();
        test_failover();
    }
    mg_db_close(&db);
    mg_db_close(&admin);
    scratch_stop(&s);
    return done();
}
