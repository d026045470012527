/* Transactions with bounded repetition. */
#include "db/connect.h"
#include "db/fault.h"
#include "db/statement.h"

#include "base/id.h"
#include "base/log.h"

#include <time.h>

#define TRIES 20
#define LONGEST_PAUSE_US 50000

static const char *const begin_sql[] = {"START TRANSACTION"};
static const char *const view_sql[] = {
    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
};

/* A random part of a time that doubles from 1 ms, so that two that collided do not again. */
static void
pause_before(int attempt)
{
    uint32_t limit = 1000u << (attempt < 6 ? attempt : 6), random;
    mg_random(&random, sizeof(random));
    if (limit > LONGEST_PAUSE_US)
        limit = LONGEST_PAUSE_US;
    struct timespec ts = {.tv_nsec = (long)(random % limit) * 1000L};
    nanosleep(&ts, NULL);
}

static int
send_one(struct mg_db *db, const char *sql, bool commit, struct mg_err *err)
{
    unsigned number = mg_db_send(db, sql);
    if (number == 0)
        return 0;
    return mg_fault_take(db, number, mysql_error(db->mysql), sql, commit, err);
}

static void
roll_back(struct mg_db *db)
{
    mg_stmt_end_reading(db);
    db->in_txn = db->txn_dead = false;
    /* Who cannot be told to roll back must not stay in the transaction. */
    if (db->mysql != NULL && mg_db_send(db, "ROLLBACK") != 0)
        mg_db_disconnect(db);
}

static int
begin(struct mg_db *db, const char *const *sql, size_t count, struct mg_err *err)
{
    if (mg_db_ensure(db, err) != 0)
        return -1;
    /* Marked first: a connection that dies here has certainly not committed anything. */
    db->in_txn = true;
    for (size_t i = 0; i < count; i++)
        if (send_one(db, sql[i], false, err) != 0)
            return -1;
    return 0;
}

/* One attempt. 0, or -1 with err and db->why; the transaction is over in both cases. */
static int
attempt_once(struct mg_db *db, const char *const *sql, size_t count, mg_db_work *fn, void *arg,
             struct mg_err *err)
{
    int rc = begin(db, sql, count, err);
    if (rc == 0)
        rc = fn(db, arg, err);
    mg_stmt_end_reading(db);
    if (rc == 0 && db->txn_dead)
        rc = mg_fault_over(err); /* fn overlooked it */
    if (rc == 0)
        rc = send_one(db, "COMMIT", true, err);
    if (rc != 0) {
        enum mg_db_why why = db->why;
        roll_back(db);
        db->why = why;
        return -1;
    }
    db->in_txn = false;
    db->why = MG_DB_FINE;
    return 0;
}

static int
run(struct mg_db *db, const char *name, const char *const *sql, size_t count, mg_db_work *fn,
    void *arg, struct mg_err *err)
{
    if (db->in_txn) {
        db->why = MG_DB_BROKEN;
        return mg_err_internal(err, "transaction '%s' inside another one", name);
    }
    for (int attempt = 0;; attempt++) {
        if (attempt_once(db, sql, count, fn, arg, err) == 0)
            return 0;
        bool again = db->why == MG_DB_CONFLICT || db->why == MG_DB_LOST;
        if (!again || attempt + 1 >= TRIES)
            return -1;
        /* A lost connection is worth another try only if there is a host to go on with. */
        enum mg_db_why why = db->why;
        mg_debug("transaction '%s' again: %s", name, err->detail);
        mg_err_free(err);
        if (mg_db_ensure(db, err) != 0)
            return -1;
        if (why == MG_DB_CONFLICT)
            pause_before(attempt);
    }
}

int
mg_db_txn(struct mg_db *db, const char *name, mg_db_work *fn, void *arg, struct mg_err *err)
{
    return run(db, name, begin_sql, 1, fn, arg, err);
}

int
mg_db_snapshot(struct mg_db *db, const char *name, mg_db_work *fn, void *arg, struct mg_err *err)
{
    return run(db, name, view_sql, 2, fn, arg, err);
}
