#include "db/db.h"

#include "base/alloc.h"
#include "db/connect.h"
#include "db/fault.h"
#include "db/statement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mg_db_value
mg_db_null(void)
{
    return (struct mg_db_value){.type = MG_DB_NULL};
}

struct mg_db_value
mg_db_i64(int64_t value)
{
    return (struct mg_db_value){.type = MG_DB_I64, .i = value};
}

struct mg_db_value
mg_db_u64(uint64_t value)
{
    return (struct mg_db_value){.type = MG_DB_U64, .u = value};
}

struct mg_db_value
mg_db_text(const char *text)
{
    if (text == NULL)
        return mg_db_null();
    return (struct mg_db_value){.type = MG_DB_TEXT, .p = text, .n = strlen(text)};
}

struct mg_db_value
mg_db_bytes(const void *bytes, size_t n)
{
    return (struct mg_db_value){.type = MG_DB_BYTES, .p = bytes, .n = n};
}

const struct mg_conf *
mg_db_conf(const struct mg_db *db)
{
    return db->conf;
}

enum mg_db_why
mg_db_why(const struct mg_db *db)
{
    return db->why;
}

uint64_t
mg_db_affected(const struct mg_db *db)
{
    return db->affected;
}

uint64_t
mg_db_insert_id(const struct mg_db *db)
{
    return db->insert_id;
}

int
mg_db_exec(struct mg_db *db, const char *sql, const struct mg_db_value *values, size_t count,
           struct mg_err *err)
{
    if (mg_db_ensure(db, err) != 0)
        return -1;
    struct mg_stmt *stmt = mg_stmt_run(db, sql, values, count, err);
    if (stmt == NULL)
        return -1;
    db->affected = mysql_stmt_affected_rows(stmt->handle);
    db->insert_id = mysql_stmt_insert_id(stmt->handle);
    if (mysql_stmt_field_count(stmt->handle) > 0)
        mysql_stmt_free_result(stmt->handle);
    db->why = MG_DB_FINE;
    return 0;
}

int
mg_db_query(struct mg_db *db, const char *sql, const struct mg_db_value *values, size_t count,
            struct mg_err *err)
{
    if (mg_db_ensure(db, err) != 0)
        return -1;
    struct mg_stmt *stmt = mg_stmt_run(db, sql, values, count, err);
    if (stmt == NULL || mg_stmt_store(db, stmt, err) != 0)
        return -1;
    db->why = MG_DB_FINE;
    return 0;
}

int
mg_db_next(struct mg_db *db, struct mg_err *err)
{
    struct mg_stmt *stmt = db->reading;
    if (stmt == NULL)
        return 0;
    int rc = mysql_stmt_fetch(stmt->handle);
    if (rc == 0)
        return 1;
    if (rc == MYSQL_NO_DATA) {
        mg_stmt_end_reading(db);
        return 0;
    }
    if (rc == MYSQL_DATA_TRUNCATED) {
        db->why = MG_DB_BROKEN;
        mg_stmt_end_reading(db);
        return mg_err_internal(err, "a column does not fit its buffer: %.60s", stmt->sql);
    }
    return mg_fault_take(db, mysql_stmt_errno(stmt->handle), mysql_stmt_error(stmt->handle),
                         stmt->sql, false, err);
}

/* The column of the current row; asking for one that is not there is a mistake of ours. */
static struct mg_column *
column_of(struct mg_db *db, unsigned column)
{
    if (db->reading == NULL || column >= db->reading->columns) {
        fprintf(stderr, "database column %u read without a row\n", column);
        abort();
    }
    return &db->reading->column[column];
}

bool
mg_db_is_null(struct mg_db *db, unsigned column)
{
    return column_of(db, column)->null != 0;
}

static const char *
text_of(struct mg_column *c)
{
    c->bytes[c->len < c->size ? c->len : c->size - 1] = '\0';
    return c->bytes;
}

int64_t
mg_db_get_i64(struct mg_db *db, unsigned column)
{
    struct mg_column *c = column_of(db, column);
    if (c->null)
        return 0;
    /* Sums come as DECIMAL, that is as text. */
    return c->number ? c->value : strtoll(text_of(c), NULL, 10);
}

uint64_t
mg_db_get_u64(struct mg_db *db, unsigned column)
{
    struct mg_column *c = column_of(db, column);
    if (c->null)
        return 0;
    return c->number ? (uint64_t)c->value : strtoull(text_of(c), NULL, 10);
}

int
mg_db_number(struct mg_db *db, const char *sql, const struct mg_db_value *values, size_t count,
             uint64_t *number, struct mg_err *err)
{
    if (mg_db_query(db, sql, values, count, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1 && number != NULL)
        *number = mg_db_get_u64(db, 0);
    mg_db_done(db);
    return found;
}

static void
print_number(struct mg_column *c)
{
    if (c->bytes == NULL) {
        c->size = 32;
        c->bytes = mg_malloc(c->size);
    }
    int n = c->is_unsigned
                ? snprintf(c->bytes, c->size, "%llu", (unsigned long long)c->value)
                : snprintf(c->bytes, c->size, "%lld", c->value);
    c->len = (unsigned long)n;
}

const char *
mg_db_get_bytes(struct mg_db *db, unsigned column, size_t *n)
{
    struct mg_column *c = column_of(db, column);
    if (n != NULL)
        *n = 0;
    if (c->null)
        return "";
    if (c->number)
        print_number(c);
    if (n != NULL)
        *n = c->len;
    return text_of(c);
}

void
mg_db_done(struct mg_db *db)
{
    mg_stmt_end_reading(db);
}

int
mg_db_script(struct mg_db *db, const char *sql, size_t n, struct mg_err *err)
{
    if (db->role != MG_DB_ADMIN || db->in_txn)
        return mg_err_internal(err, "a script needs an administrator's connection, no transaction");
    if (mg_db_ensure(db, err) != 0)
        return -1;
    /* Only for the time of the script, and only for the owner of the schema: everywhere else a
     * packet holds one statement. */
    mysql_set_server_option(db->mysql, MYSQL_OPTION_MULTI_STATEMENTS_ON);
    int statement = 1, more = mysql_real_query(db->mysql, sql, n);
    while (more == 0) {
        MYSQL_RES *rows = mysql_store_result(db->mysql);
        bool failed = rows == NULL && mysql_field_count(db->mysql) > 0;
        mysql_free_result(rows);
        statement += !failed;
        more = failed ? 1 : mysql_next_result(db->mysql);
    }
    if (more > 0) {
        mg_err_internal(err, "statement %d: error %u: %s", statement, mysql_errno(db->mysql),
                        mysql_error(db->mysql));
        db->why = MG_DB_BROKEN;
        mg_db_disconnect(db);
        return -1;
    }
    mysql_set_server_option(db->mysql, MYSQL_OPTION_MULTI_STATEMENTS_OFF);
    db->why = MG_DB_FINE;
    return 0;
}
