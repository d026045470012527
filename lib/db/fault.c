#include "db/fault.h"

#include "db/connect.h"

#include <errmsg.h>
#include <mysqld_error.h>
#include <stdio.h>
#include <string.h>

/* Not in the client's headers: ends of a connection that the server announces by itself. */
#define CONNECTION_KILLED 1927
#define IDLE_TRANSACTION_ENDED 4185
#define SERVER_SHUTDOWN 1053
#define UNKNOWN_COMMAND 1047 /* also: "node not ready" of Galera */
#define READ_ONLY_OPTION 1290

/* Statement, rather than server, is at fault or has to be repeated. */
static bool
is_conflict(unsigned number)
{
    return number == ER_LOCK_DEADLOCK || number == ER_LOCK_WAIT_TIMEOUT;
}

/* The server cannot be used (any more): another connection, maybe to another host, can. */
static bool
is_lost(unsigned number)
{
    switch (number) {
    case CR_SERVER_GONE_ERROR:
    case CR_SERVER_LOST:
    case CR_SERVER_LOST_EXTENDED:
    case CR_CONNECTION_ERROR:
    case CR_CONN_HOST_ERROR:
    case CONNECTION_KILLED:
    case IDLE_TRANSACTION_ENDED:
    case SERVER_SHUTDOWN:
    case UNKNOWN_COMMAND:
    case READ_ONLY_OPTION:
    case ER_READ_ONLY_MODE:
        return true;
    default:
        return false;
    }
}

/* The answer never came: whether the statement was carried out is not known. */
static bool
is_unanswered(unsigned number)
{
    return number == CR_SERVER_LOST || number == CR_SERVER_LOST_EXTENDED ||
           number == CR_SERVER_GONE_ERROR || number == CONNECTION_KILLED ||
           number == SERVER_SHUTDOWN;
}

enum mg_db_why
mg_fault_sort(unsigned number, bool in_txn, bool commit)
{
    if (number == 0)
        return MG_DB_FINE;
    if (is_conflict(number))
        return MG_DB_CONFLICT;
    if (number == ER_DUP_ENTRY || number == ER_DUP_ENTRY_WITH_KEY_NAME)
        return MG_DB_DUPLICATE;
    if (!is_lost(number))
        return MG_DB_BROKEN;
    /* Without a transaction every statement commits itself. */
    bool commits = commit || !in_txn;
    return commits && (commit || is_unanswered(number)) ? MG_DB_UNCERTAIN : MG_DB_LOST;
}

/* Server texts that quote values of the row. */
static bool
quotes_data(unsigned number)
{
    switch (number) {
    case ER_DUP_ENTRY:
    case ER_DUP_ENTRY_WITH_KEY_NAME:
    case ER_TRUNCATED_WRONG_VALUE:
    case ER_TRUNCATED_WRONG_VALUE_FOR_FIELD:
        return true;
    default:
        return false;
    }
}

/* Names the statement by its beginning: enough to find it, and constant. */
static void
describe(struct mg_err *err, unsigned number, const char *text, const char *sql)
{
    int shown = (int)strcspn(sql, "(?");
    shown = shown < 60 ? shown : 60;
    if (quotes_data(number)) {
        const char *key = strstr(text, "for key ");
        mg_err_detail(err, "database error %u %s in: %.*s", number, key != NULL ? key : "", shown,
                      sql);
    } else {
        mg_err_detail(err, "database error %u: %s; in: %.*s", number, text, shown, sql);
    }
}

static int
unavailable(struct mg_err *err, const char *text)
{
    mg_err_set(err, 503, "unavailable", "%s", text);
    err->retry_after_s = 2;
    return -1;
}

int
mg_fault_away(struct mg_err *err, const char *why)
{
    unavailable(err, "The service cannot reach its database. Try again in a few seconds.");
    mg_err_detail(err, "no database host is usable; last: %s", why);
    return -1;
}

int
mg_fault_over(struct mg_err *err)
{
    unavailable(err, "The service was too busy with this account. Try again.");
    mg_err_detail(err, "the transaction was rolled back by the server before this statement");
    return -1;
}

int
mg_fault_take(struct mg_db *db, unsigned number, const char *text, const char *sql, bool commit,
              struct mg_err *err)
{
    /* Both texts may live in the connection that is about to be closed. */
    char copy[256], begin[64];
    snprintf(copy, sizeof(copy), "%s", text);
    snprintf(begin, sizeof(begin), "%s", sql);
    db->why = mg_fault_sort(number, db->in_txn, commit);
    switch (db->why) {
    case MG_DB_CONFLICT:
        unavailable(err, "The service was too busy with this account. Try again.");
        break;
    case MG_DB_LOST:
    case MG_DB_UNCERTAIN:
        mg_db_disconnect(db);
        unavailable(err, "The service lost its database for a moment. Try again.");
        break;
    case MG_DB_DUPLICATE:
        mg_err_set(err, 409, "already_exists", "This exists already.");
        break;
    default:
        mg_err_internal(err, "database");
        break;
    }
    if (db->in_txn && db->why != MG_DB_DUPLICATE && db->why != MG_DB_BROKEN)
        db->txn_dead = true;
    describe(err, number, copy, begin);
    return -1;
}
