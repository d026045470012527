/* Upstream destinations as the operator sees them: added, changed, listed, removed.
 *
 * Requests never come here, they read the snapshot. Every change makes the catalogue's version
 * one more in the same transaction. Errors are 422 (the message says what would be right), 404
 * (no such upstream), 409 (taken, or still in use), or the database's. */
#ifndef MG_CATALOGUE_DESTINATION_H
#define MG_CATALOGUE_DESTINATION_H

#include "base/pool.h"
#include "base/vault.h"
#include "catalogue/catalogue.h"
#include "db/db.h"

#define MG_DESTINATION_KEY 4096  /* longest credential toward an upstream */

/* What the operator states; NULL leaves a value as it is (change) or out (add). */
struct mg_destination {
    const char *name;    /* at most 63 bytes */
    const char *url;     /* see mg_words_url */
    const char *formats; /* "chat,responses,messages", the preferred one first */
    const char *key;     /* credential; "" = none */
};

/* One row of the list. */
struct mg_destination_row {
    uint64_t id;
    const char *name, *url, *formats;
    bool has_key;
    int64_t models; /* how many models it serves */
    int64_t created_ms;
};

/* Adds; url and formats are needed. 0 or -1. */
int mg_destination_add(struct mg_db *db, const struct mg_vault *vault,
                       const struct mg_destination *spec, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Changes what is not NULL. 0 or -1. */
int mg_destination_set(struct mg_db *db, const struct mg_vault *vault,
                       const struct mg_destination *spec, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Removes; refused while a model is served by it. 0 or -1. */
int mg_destination_remove(struct mg_db *db, const char *name, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* All of them by name: *rows in the pool. 0 or -1. */
int mg_destination_list(struct mg_db *db, struct mg_pool *pool, struct mg_destination_row **rows,
                        size_t *count, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Reads all destinations with their credentials: *list in the pool, by id. With a NULL vault
 * the credentials stay "". A destination that cannot be used (its credential does not open)
 * has formats 0, and the log says why. Wipe the credentials with mg_destination_wipe. 0 or -1. */
int mg_destination_read(struct mg_db *db, const struct mg_vault *vault, struct mg_pool *pool,
                        struct mg_upstream **list, size_t *count, struct mg_err *err)
    __attribute__((nonnull(1, 3, 4, 5, 6), warn_unused_result));

/* Overwrites the credentials of such a list before its pool goes. */
void mg_destination_wipe(struct mg_upstream *list, size_t count);

#endif
