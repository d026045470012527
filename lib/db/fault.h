/* What a failed call means: the sorts of errors of MariaDB and its client library, and the one
 * error object made from them. Texts of the server that could repeat a value of a row are not
 * passed on, not even to the log. */
#ifndef MG_DB_FAULT_H
#define MG_DB_FAULT_H

#include "db/db.h"

/* The sort of an error number, for a statement inside (or outside) a transaction; a COMMIT that
 * did not come back is `commit`. */
enum mg_db_why mg_fault_sort(unsigned number, bool in_txn, bool commit);

/* Notes on db what happened (number and text of its connection or statement), marks an open
 * transaction as over when it is, drops a connection that is gone, fills err. `sql` is the
 * constant text of the statement. Returns -1. */
int mg_fault_take(struct mg_db *db, unsigned number, const char *text, const char *sql,
                  bool commit, struct mg_err *err) __attribute__((nonnull));

/* 503: no server answers. `why` is for the log. Returns -1. */
int mg_fault_away(struct mg_err *err, const char *why) __attribute__((nonnull));
/* The transaction was rolled back before; this statement was not sent. Returns -1. */
int mg_fault_over(struct mg_err *err) __attribute__((nonnull));

#endif
