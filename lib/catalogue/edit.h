/* The operator's changes of models, prices and aliases.
 *
 * Every change is one transaction that begins by making the catalogue's version one more: the
 * lock of that row puts parallel changes into an order, so that what was checked stays true.
 * Errors are 422 (the message says what would be right), 404, 409 (taken, or still in use), or
 * the database's. */
#ifndef MG_CATALOGUE_EDIT_H
#define MG_CATALOGUE_EDIT_H

#include "base/err.h"
#include "base/pool.h"
#include "catalogue/catalogue.h"
#include "db/db.h"

/* Runs `fn` as a change of the catalogue: version, then fn, then COMMIT (see mg_db_txn). */
int mg_edit_run(struct mg_db *db, const char *name, mg_db_work *fn, void *arg,
                struct mg_err *err) __attribute__((nonnull(1, 2, 3, 5), warn_unused_result));

/* What the operator states of a model. For a change NULL and -1 mean "leave it". */
struct mg_edit_model {
    const char *id;
    const char *upstream;       /* name of the destination */
    const char *upstream_model; /* NULL when adding: the same as id */
    const char *label;
    const char *capabilities;   /* words; NULL when adding: any */
    const char *thinking, *efforts; /* words, "" or NULL when adding: not stated */
    int premium;                /* 0 or 1 */
    int64_t context, max_output;/* tokens, 0 = not stated */
    int64_t token_factor;       /* thousandths */
};

/* A price as it is typed: decimal credits per million tokens. NULL for a cache price means that
 * such tokens cost what plain input costs; a long-lived write costs what a short-lived one
 * does when only that is given. */
struct mg_edit_price {
    const char *input, *output, *cache_read, *cache_write_5m, *cache_write_1h;
};

/* Reads a typed price; input and output are needed. 0 or -1. */
int mg_edit_price_read(const struct mg_edit_price *typed, struct mg_price *price,
                       struct mg_err *err) __attribute__((nonnull, warn_unused_result));

/* Models. 0 or -1. */
int mg_edit_model_add(struct mg_db *db, const struct mg_edit_model *model,
                      const struct mg_price *price, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
int mg_edit_model_set(struct mg_db *db, const struct mg_edit_model *model, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Refused while an alias means it. Its prices stay for old bills. */
int mg_edit_model_remove(struct mg_db *db, const char *id, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Gives a model a new price: a row of its own, *version is its id. 0 or -1. */
int mg_edit_price_set(struct mg_db *db, const char *model, const struct mg_price *price,
                      uint64_t *version, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Makes `id` mean `model` from now on (made if it is not there). 0 or -1. */
int mg_edit_alias_set(struct mg_db *db, const char *id, const char *model, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
int mg_edit_alias_remove(struct mg_db *db, const char *id, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* The history of prices, newest first; `model` NULL: of all models. *rows in the pool. */
struct mg_edit_price_row {
    const char *model;
    struct mg_price price;
    int64_t created_ms;
};
int mg_edit_price_list(struct mg_db *db, const char *model, struct mg_pool *pool,
                       struct mg_edit_price_row **rows, size_t *count, struct mg_err *err)
    __attribute__((nonnull(1, 3, 4, 5, 6), warn_unused_result));

#endif
