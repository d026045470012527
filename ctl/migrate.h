/* Bringing the database to the shape that this version needs.
 *
 * Applies the files NNNN-topic.sql of a folder in the order of their names, once each, then
 * grants.sql. MariaDB commits every DDL statement by itself, so each file can be run again from
 * its beginning: one that broke off half way is simply applied anew. */
#ifndef MG_CTL_MIGRATE_H
#define MG_CTL_MIGRATE_H

#include "ctl/command.h"

struct mg_migration {
    const char *name;  /* of the file */
    const char *state; /* "applied" just now, "done" before, "changed" since it was applied */
};

/* Makes the database if need be, waits for another migration to end, applies what is missing:
 * *list in ctl->pool, in order. 0, or -1 with ctl->err. */
int mg_migrate_run(struct mg_ctl *ctl, const char *dir, struct mg_migration **list, size_t *count)
    __attribute__((nonnull, warn_unused_result));
/* Gives the service's user its rights at every host it is known at: *hosts says how many. With
 * *hosts 0 there was nothing to do: the service uses the owner's account. 0 or -1. */
int mg_migrate_grant(struct mg_ctl *ctl, const char *dir, int *hosts)
    __attribute__((nonnull, warn_unused_result));

#endif
