/* Wallets between the database and their books: locked and read, changed, written back.
 *
 * Every function is a step of the caller's transaction. Wallets are locked in the order of
 * their ids, all with one statement, so that writers wait for each other but never in a circle;
 * everything that belongs to a wallet (lots, holds, ledger rows) is only changed under its
 * lock. Inside of this room. */
#ifndef MG_LEDGER_TABLE_H
#define MG_LEDGER_TABLE_H

#include "db/db.h"
#include "db/list.h"
#include "ledger/book.h"

/* The books of one transaction and the memory for its statements; used again for the next. */
struct mg_table {
    struct mg_book *books;    /* in the order of ids */
    size_t count, room;
    struct mg_entries entries;
    struct mg_str sql;
    struct mg_db_value *values;
    size_t value_room;
};

void mg_table_init(struct mg_table *table) __attribute__((nonnull));
void mg_table_free(struct mg_table *table) __attribute__((nonnull));
/* Room for so many values of a statement. */
struct mg_db_value *mg_table_values(struct mg_table *table, size_t count)
    __attribute__((nonnull, returns_nonnull));

/* Locks wallets and reads them with their open lots. `ids` is ascending without doubles, at
 * most MG_LIST_MOST. Ids without a wallet have no book. 0 or -1. */
int mg_table_load(struct mg_table *table, struct mg_db *db, const uint64_t *ids, size_t count,
                  struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* Adds a lot to a book from the current row: its columns seq, kind (its number), granted,
 * remaining, expires_ms and created_ms stand from column `first` on. */
void mg_table_read_lot(struct mg_db *db, unsigned first, struct mg_book *book)
    __attribute__((nonnull));
/* The book of a wallet, NULL when it was not found. */
struct mg_book *mg_table_book(struct mg_table *table, uint64_t id) __attribute__((nonnull));
/* Writes new ledger rows, changed wallets, changed lots and what keys spent. 0 or -1. */
int mg_table_save(struct mg_table *table, struct mg_db *db, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Runs an insert for `rows` rows of `width` values (already in table->values) in groups of at
 * most MG_LIST_ROWS: head, places of a row, tail. 0 or -1. */
int mg_table_insert(struct mg_table *table, struct mg_db *db, const char *head,
                    const char *places, const char *tail, size_t rows, size_t width,
                    struct mg_err *err) __attribute__((nonnull, warn_unused_result));
#endif
