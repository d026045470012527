/* The inside of a connection: how it is opened, prepared for use, and given up.
 *
 * Shared by the files of this room and by nobody else. */
#ifndef MG_DB_CONNECT_H
#define MG_DB_CONNECT_H

#include "db/db.h"
#include "db/host.h"

#include <mysql.h>

struct mg_stmt;

#define MG_DB_BUCKETS 64

struct mg_db {
    const struct mg_conf *conf;
    enum mg_db_role role;
    struct mg_db_host hosts[MG_DB_HOSTS];
    int host_count;
    int host;                 /* index of the one in use */
    int64_t earlier_ms;       /* monotonic: when to try the hosts before it again */
    MYSQL *mysql;             /* NULL while there is no connection */
    struct mg_stmt *buckets[MG_DB_BUCKETS]; /* prepared statements of this connection */
    unsigned prepared;        /* how many */
    uint64_t uses;            /* counts statements: tells which one was used least recently */
    struct mg_stmt *reading;  /* the statement whose rows are being read */
    bool in_txn;
    bool txn_dead;            /* the server has rolled the transaction back already */
    enum mg_db_why why;       /* of the last call */
    uint64_t affected, insert_id;
};

/* Opens the connection of db (which has none): the first host that is fit. 0, or -1 with err. */
int mg_db_connect(struct mg_db *db, struct mg_err *err) __attribute__((nonnull));
/* Gives the connection and all that was prepared on it up. */
void mg_db_disconnect(struct mg_db *db) __attribute__((nonnull));
/* Outside a transaction: a live connection, reopened when it is gone, has died while idle, or
 * when it is time to go back to an earlier host. Inside one: only says whether it still stands.
 * 0, or -1 with err and why. */
int mg_db_ensure(struct mg_db *db, struct mg_err *err) __attribute__((nonnull));
/* Sends a constant text without values and rows (SET, START TRANSACTION, COMMIT). Returns the
 * server's or the client library's error number, 0 = done. */
unsigned mg_db_send(struct mg_db *db, const char *sql) __attribute__((nonnull));

#endif
