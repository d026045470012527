#include "db/statement.h"

#include "base/alloc.h"
#include "db/fault.h"

#include <mysqld_error.h>
#include <stdlib.h>
#include <string.h>

#define PREPARED_MOST 384 /* statements kept a connection */
#define VALUES_MOST 8192  /* places of one statement */

static uint64_t
hash_of(const char *sql)
{
    uint64_t h = 1469598103934665603u; /* FNV-1a */
    for (const unsigned char *p = (const unsigned char *)sql; *p != '\0'; p++)
        h = (h ^ *p) * 1099511628211u;
    return h;
}

static void
forget_columns(struct mg_stmt *stmt)
{
    for (unsigned i = 0; i < stmt->columns; i++)
        free(stmt->column[i].bytes);
    free(stmt->column);
    free(stmt->result);
    stmt->columns = 0;
}

static void
free_stmt(struct mg_stmt *stmt)
{
    mysql_stmt_close(stmt->handle);
    forget_columns(stmt);
    free(stmt->sql);
    free(stmt);
}

static void
drop(struct mg_db *db, struct mg_stmt *stmt)
{
    struct mg_stmt **at = &db->buckets[stmt->hash % MG_DB_BUCKETS];
    while (*at != stmt)
        at = &(*at)->next;
    *at = stmt->next;
    if (db->reading == stmt)
        db->reading = NULL;
    db->prepared--;
    free_stmt(stmt);
}

void
mg_stmt_drop_all(struct mg_db *db)
{
    for (unsigned i = 0; i < MG_DB_BUCKETS; i++)
        while (db->buckets[i] != NULL)
            drop(db, db->buckets[i]);
}

static void
drop_oldest(struct mg_db *db)
{
    struct mg_stmt *oldest = NULL;
    for (unsigned i = 0; i < MG_DB_BUCKETS; i++)
        for (struct mg_stmt *s = db->buckets[i]; s != NULL; s = s->next)
            if (oldest == NULL || s->used < oldest->used)
                oldest = s;
    if (oldest != NULL)
        drop(db, oldest);
}

static struct mg_stmt *
find(const struct mg_db *db, const char *sql, uint64_t hash)
{
    struct mg_stmt *s = db->buckets[hash % MG_DB_BUCKETS];
    while (s != NULL && (s->hash != hash || strcmp(s->sql, sql) != 0))
        s = s->next;
    return s;
}

static bool
is_number(enum enum_field_types type)
{
    switch (type) {
    case MYSQL_TYPE_TINY:
    case MYSQL_TYPE_SHORT:
    case MYSQL_TYPE_INT24:
    case MYSQL_TYPE_LONG:
    case MYSQL_TYPE_LONGLONG:
    case MYSQL_TYPE_YEAR:
        return true;
    default:
        return false;
    }
}

/* Learns the columns of an executed statement; for DELETE … RETURNING the server does not tell
 * them earlier. Once is enough: a text has always the same columns. */
static void
describe_columns(struct mg_stmt *stmt, MYSQL_RES *meta)
{
    forget_columns(stmt);
    stmt->columns = mysql_num_fields(meta);
    stmt->column = mg_calloc(stmt->columns, sizeof(*stmt->column));
    stmt->result = mg_calloc(stmt->columns, sizeof(*stmt->result));
    my_bool longest = 0;
    for (unsigned i = 0; i < stmt->columns; i++) {
        const MYSQL_FIELD *field = mysql_fetch_field_direct(meta, i);
        struct mg_column *c = &stmt->column[i];
        c->number = is_number(field->type);
        c->is_unsigned = (field->flags & UNSIGNED_FLAG) != 0;
        longest |= !c->number;
    }
    /* The longest value of a result is only worth finding when there are bytes to fetch. */
    mysql_stmt_attr_set(stmt->handle, STMT_ATTR_UPDATE_MAX_LENGTH, &longest);
}

static struct mg_stmt *
prepare(struct mg_db *db, const char *sql, uint64_t hash, struct mg_err *err)
{
    if (db->prepared >= PREPARED_MOST)
        drop_oldest(db);
    MYSQL_STMT *handle = mysql_stmt_init(db->mysql);
    if (handle == NULL)
        abort();
    if (mysql_stmt_prepare(handle, sql, strlen(sql)) != 0) {
        mg_fault_take(db, mysql_stmt_errno(handle), mysql_stmt_error(handle), sql, false, err);
        mysql_stmt_close(handle);
        return NULL;
    }
    struct mg_stmt *stmt = mg_calloc(1, sizeof(*stmt));
    stmt->sql = mg_strdup(sql);
    stmt->hash = hash;
    stmt->handle = handle;
    stmt->params = (unsigned)mysql_stmt_param_count(handle);
    stmt->next = db->buckets[hash % MG_DB_BUCKETS];
    db->buckets[hash % MG_DB_BUCKETS] = stmt;
    db->prepared++;
    return stmt;
}

static void
bind_value(MYSQL_BIND *b, const struct mg_db_value *v)
{
    union { /* the library takes its inputs through pointers to non-const */
        const void *in;
        void *out;
    } p;
    switch (v->type) {
    case MG_DB_I64:
    case MG_DB_U64:
        p.in = &v->i;
        b->buffer_type = MYSQL_TYPE_LONGLONG;
        b->is_unsigned = v->type == MG_DB_U64;
        b->buffer = p.out;
        break;
    case MG_DB_TEXT:
    case MG_DB_BYTES:
        p.in = v->p;
        b->buffer_type = v->type == MG_DB_TEXT ? MYSQL_TYPE_STRING : MYSQL_TYPE_BLOB;
        b->buffer = p.out;
        b->buffer_length = (unsigned long)v->n;
        break;
    case MG_DB_NULL:
        b->buffer_type = MYSQL_TYPE_NULL;
        break;
    }
}

/* Binds and executes. 0, or the error number. */
static unsigned
execute(struct mg_stmt *stmt, const struct mg_db_value *values, size_t count)
{
    if (count > 0) {
        MYSQL_BIND few[16];
        MYSQL_BIND *bind = count <= 16 ? few : mg_malloc(count * sizeof(*bind));
        memset(bind, 0, count * sizeof(*bind));
        for (size_t i = 0; i < count; i++)
            bind_value(&bind[i], &values[i]);
        my_bool failed = mysql_stmt_bind_param(stmt->handle, bind);
        if (bind != few)
            free(bind); /* the library has copied it */
        if (failed)
            return mysql_stmt_errno(stmt->handle);
    }
    return mysql_stmt_execute(stmt->handle) != 0 ? mysql_stmt_errno(stmt->handle) : 0;
}

static bool
is_forgotten(unsigned number)
{
    return number == ER_UNKNOWN_STMT_HANDLER || number == ER_NEED_REPREPARE;
}

struct mg_stmt *
mg_stmt_run(struct mg_db *db, const char *sql, const struct mg_db_value *values, size_t count,
            struct mg_err *err)
{
    uint64_t hash = hash_of(sql);
    for (int attempt = 0;; attempt++) {
        struct mg_stmt *stmt = find(db, sql, hash);
        if (stmt == NULL && (stmt = prepare(db, sql, hash, err)) == NULL)
            return NULL;
        stmt->used = ++db->uses;
        if (stmt->params != count || count > VALUES_MOST) {
            db->why = MG_DB_BROKEN;
            mg_err_internal(err, "statement with %u places got %zu values: %.60s", stmt->params,
                            count, sql);
            return NULL;
        }
        unsigned number = execute(stmt, values, count);
        if (number == 0)
            return stmt;
        if (is_forgotten(number) && attempt == 0) {
            drop(db, stmt);
            continue;
        }
        mg_fault_take(db, number, mysql_stmt_error(stmt->handle), sql, false, err);
        return NULL;
    }
}

static void
bind_column(MYSQL_BIND *b, struct mg_column *c, unsigned long longest)
{
    memset(b, 0, sizeof(*b));
    b->is_null = &c->null;
    b->length = &c->len;
    if (c->number) {
        b->buffer_type = MYSQL_TYPE_LONGLONG;
        b->is_unsigned = c->is_unsigned;
        b->buffer = &c->value;
        return;
    }
    if (c->bytes == NULL || longest + 1 > c->size) {
        free(c->bytes);
        c->size = longest + 1 < 64 ? 64 : longest + 1;
        c->bytes = mg_malloc(c->size);
    }
    b->buffer_type = MYSQL_TYPE_STRING;
    b->buffer = c->bytes;
    b->buffer_length = c->size;
}

/* Gives every column a place that is large enough for its longest value. */
static int
bind_columns(struct mg_stmt *stmt)
{
    MYSQL_RES *meta = mysql_stmt_result_metadata(stmt->handle);
    if (meta == NULL)
        return -1;
    for (unsigned i = 0; i < stmt->columns; i++)
        bind_column(&stmt->result[i], &stmt->column[i],
                    mysql_fetch_field_direct(meta, i)->max_length);
    mysql_free_result(meta);
    return mysql_stmt_bind_result(stmt->handle, stmt->result);
}

int
mg_stmt_store(struct mg_db *db, struct mg_stmt *stmt, struct mg_err *err)
{
    if (stmt->columns != mysql_stmt_field_count(stmt->handle)) {
        MYSQL_RES *meta = mysql_stmt_result_metadata(stmt->handle);
        if (meta == NULL) {
            db->why = MG_DB_BROKEN;
            return mg_err_internal(err, "a query gives no rows: %.60s", stmt->sql);
        }
        describe_columns(stmt, meta);
        mysql_free_result(meta);
    }
    if (mysql_stmt_store_result(stmt->handle) == 0 && bind_columns(stmt) == 0) {
        db->reading = stmt;
        return 0;
    }
    return mg_fault_take(db, mysql_stmt_errno(stmt->handle), mysql_stmt_error(stmt->handle),
                         stmt->sql, false, err);
}

void
mg_stmt_end_reading(struct mg_db *db)
{
    if (db->reading != NULL)
        mysql_stmt_free_result(db->reading->handle);
    db->reading = NULL;
}
