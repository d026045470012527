/* The database: connections, prepared statements, rows, transactions.
 *
 * The only room that knows MariaDB Connector/C. A connection belongs to one thread at a time.
 * Statements are given as constant text with `?` places and typed values, prepared once per
 * connection and again after a reconnect; SQL is never built from data. */
#ifndef MG_DB_DB_H
#define MG_DB_DB_H

#include "base/conf.h"
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mg_db;

/* Whose rights a connection has, and how patient it is. */
enum mg_db_role {
    MG_DB_SERVICE, /* the responders' user; a statement that is silent for 15 s is given up */
    MG_DB_ADMIN,   /* the owner of the schema; waits as long as it takes */
    MG_DB_WRITER   /* the responders' user for the ledger's writer: gives up after 2 s */
};

/* Why the last call on a connection failed. */
enum mg_db_why {
    MG_DB_FINE,
    MG_DB_CONFLICT,  /* deadlock, lock wait, Galera abort: the transaction may be repeated */
    MG_DB_LOST,      /* the connection is gone; nothing of an open transaction remains */
    MG_DB_UNCERTAIN, /* the connection went away during COMMIT: it may have landed or not */
    MG_DB_DUPLICATE, /* a unique key refused the row */
    MG_DB_BROKEN     /* anything else: a mistake of ours or of the schema */
};

/* One value for a `?` place. Text and bytes are borrowed until the call returns. */
enum mg_db_type { MG_DB_NULL, MG_DB_I64, MG_DB_U64, MG_DB_TEXT, MG_DB_BYTES };
struct mg_db_value {
    enum mg_db_type type;
    union {
        int64_t i;
        uint64_t u;
    };
    const void *p;
    size_t n;
};
struct mg_db_value mg_db_null(void);
struct mg_db_value mg_db_i64(int64_t value);
struct mg_db_value mg_db_u64(uint64_t value);
struct mg_db_value mg_db_text(const char *text); /* NULL becomes SQL NULL */
struct mg_db_value mg_db_bytes(const void *bytes, size_t n);

/* Connects to the first host of conf->db_hosts that answers and can be written to (a read-only
 * replica or a cluster node that is not ready is passed over). While it is not the first of the
 * list, the earlier ones are tried again every 30 s, between transactions, so that all
 * connections of all processes meet on one server. An administrator is also let in when the
 * database does not exist yet. NULL with err (503 `unavailable`) when no host answers. `conf`
 * must outlive the connection. Close with mg_db_close (NULL allowed, *db becomes NULL). */
struct mg_db *mg_db_open(const struct mg_conf *conf, enum mg_db_role role, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
void mg_db_close(struct mg_db **db) __attribute__((nonnull));

/* The settings that it was opened with. */
const struct mg_conf *mg_db_conf(const struct mg_db *db) __attribute__((nonnull, returns_nonnull));

/* Runs a statement that gives no rows. 0 and mg_db_affected(), or -1 with err and mg_db_why().
 * A connection found dead before the statement was sent is reopened once, outside transactions. */
int mg_db_exec(struct mg_db *db, const char *sql, const struct mg_db_value *values, size_t count,
               struct mg_err *err) __attribute__((nonnull(1, 2, 5), warn_unused_result));
/* Rows changed by the last mg_db_exec; with an upsert 2 means "updated". */
uint64_t mg_db_affected(const struct mg_db *db) __attribute__((nonnull));
/* AUTO_INCREMENT value of the last insert. */
uint64_t mg_db_insert_id(const struct mg_db *db) __attribute__((nonnull));

/* Runs a statement that gives rows and stores them all. Then call mg_db_next until it does not
 * return 1; columns are read by position while a row is current. */
int mg_db_query(struct mg_db *db, const char *sql, const struct mg_db_value *values, size_t count,
                struct mg_err *err) __attribute__((nonnull(1, 2, 5), warn_unused_result));
/* 1: a row is current; 0: no more rows; -1: error. */
int mg_db_next(struct mg_db *db, struct mg_err *err) __attribute__((nonnull, warn_unused_result));
bool mg_db_is_null(struct mg_db *db, unsigned column) __attribute__((nonnull));
int64_t mg_db_get_i64(struct mg_db *db, unsigned column) __attribute__((nonnull));
uint64_t mg_db_get_u64(struct mg_db *db, unsigned column) __attribute__((nonnull));
/* Bytes of a column, NUL-terminated behind *n; "" for NULL. Valid until the next call on db. */
const char *mg_db_get_bytes(struct mg_db *db, unsigned column, size_t *n)
    __attribute__((nonnull(1)));
/* Ends reading early; harmless when there is nothing to end. */
void mg_db_done(struct mg_db *db) __attribute__((nonnull));

/* Runs a statement of which one number is wanted: the first column of its first row, 0 for SQL
 * NULL. 1 with *number (NULL: only whether there is a row); 0 and *number untouched; -1. */
int mg_db_number(struct mg_db *db, const char *sql, const struct mg_db_value *values,
                 size_t count, uint64_t *number, struct mg_err *err)
    __attribute__((nonnull(1, 2, 6), warn_unused_result));

/* Runs many statements that no parameter can vary (a migration file). Admin only. 0 or -1. */
int mg_db_script(struct mg_db *db, const char *sql, size_t n, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Why the last call failed; MG_DB_FINE when it did not. */
enum mg_db_why mg_db_why(const struct mg_db *db) __attribute__((nonnull));

/* Makes sure that there is a live connection, without a statement: a dead one is reopened. For
 * who wants to know before there is work. 0, or -1 with err (503). */
int mg_db_wake(struct mg_db *db, struct mg_err *err) __attribute__((nonnull, warn_unused_result));

/* A transaction: START, fn, COMMIT. On a conflict or a lost connection everything is rolled
 * back and fn runs again, with growing random pauses, at most 20 times; so fn must be
 * repeatable and must not answer anybody. fn returns 0 to commit, -1 to roll back (with err).
 * `name` stands in the log. 0 or -1; -1 with MG_DB_UNCERTAIN is not repeated. */
typedef int mg_db_work(struct mg_db *db, void *arg, struct mg_err *err);
int mg_db_txn(struct mg_db *db, const char *name, mg_db_work *fn, void *arg, struct mg_err *err)
    __attribute__((nonnull(1, 2, 3, 5), warn_unused_result));

/* The same around one consistent, read-only view of all tables: everything fn reads is as it
 * was at the same instant, and nobody waits for it. */
int mg_db_snapshot(struct mg_db *db, const char *name, mg_db_work *fn, void *arg,
                   struct mg_err *err) __attribute__((nonnull(1, 2, 3, 5), warn_unused_result));

/* A first-come-first-served pool of connections for the worker threads of a process. */
struct mg_db_pool;
struct mg_db_pool *mg_db_pool_new(const struct mg_conf *conf, unsigned connections)
    __attribute__((nonnull, warn_unused_result));
void mg_db_pool_free(struct mg_db_pool **pool) __attribute__((nonnull));
/* Waits for a free connection (opening it if need be). NULL with err (503) when the database
 * is away. Give it back with mg_db_pool_put. */
struct mg_db *mg_db_pool_get(struct mg_db_pool *pool, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
void mg_db_pool_put(struct mg_db_pool *pool, struct mg_db *db) __attribute__((nonnull));

#endif
