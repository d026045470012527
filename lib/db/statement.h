/* Prepared statements of a connection: found by their text, made when first used, the least
 * recently used one given up when there are too many. Also binds values and reads columns.
 *
 * Inside of this room. */
#ifndef MG_DB_STATEMENT_H
#define MG_DB_STATEMENT_H

#include "db/connect.h"

/* Where a column of the current row is fetched to. */
struct mg_column {
    bool number;         /* fetched as an integer, else as bytes */
    bool is_unsigned;
    long long value;
    char *bytes;         /* a buffer of `size`, grown to the longest value of the result */
    unsigned long size;
    unsigned long len;
    my_bool null;
};

struct mg_stmt {
    struct mg_stmt *next; /* in its bucket */
    char *sql;
    uint64_t hash;
    uint64_t used;        /* db->uses at the last use */
    MYSQL_STMT *handle;
    unsigned params;
    unsigned columns;     /* 0: none read yet */
    struct mg_column *column;
    MYSQL_BIND *result;
};

/* Prepares `sql` or finds it prepared, binds the values and executes it. NULL with err and
 * db->why on failure. A statement that the server forgot is prepared again, once. */
struct mg_stmt *mg_stmt_run(struct mg_db *db, const char *sql, const struct mg_db_value *values,
                            size_t count, struct mg_err *err) __attribute__((nonnull(1, 2, 5)));
/* Takes all rows of an executed statement over and binds its columns. 0 or -1. */
int mg_stmt_store(struct mg_db *db, struct mg_stmt *stmt, struct mg_err *err)
    __attribute__((nonnull));
/* Ends the reading of rows, if any. */
void mg_stmt_end_reading(struct mg_db *db) __attribute__((nonnull));
/* Forgets every statement of the connection. */
void mg_stmt_drop_all(struct mg_db *db) __attribute__((nonnull));

#endif
