/* Reading the catalogue whole: one snapshot in one piece of memory, counted.
 *
 * Private to this room and to the operator's lists; requests use catalogue.h. */
#ifndef MG_CATALOGUE_SNAPSHOT_H
#define MG_CATALOGUE_SNAPSHOT_H

#include "base/pool.h"
#include "base/vault.h"
#include "catalogue/catalogue.h"
#include "db/db.h"

#include <stdatomic.h>

struct mg_snapshot {
    struct mg_catalogue catalogue; /* first, so that one pointer serves for both */
    atomic_uint refs;
    struct mg_upstream *upstreams; /* all of them, their credentials to be wiped */
    size_t upstream_count;
    struct mg_pool *pool;          /* owns all of it */
};

/* Reads a snapshot of at least `version`, with one reference. Everything in it is of one and
 * the same version. A NULL vault leaves the credentials out. NULL with err. */
struct mg_snapshot *mg_snapshot_load(struct mg_db *db, const struct mg_vault *vault,
                                     uint64_t version, struct mg_err *err)
    __attribute__((nonnull(1, 4), warn_unused_result));
void mg_snapshot_ref(struct mg_snapshot *snapshot) __attribute__((nonnull));
/* Gives a reference back; the last one wipes and frees. NULL is allowed. */
void mg_snapshot_unref(struct mg_snapshot *snapshot);

#endif
