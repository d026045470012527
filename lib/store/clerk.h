/* Clerks: threads with database connections of their own that file what event loops hand them.
 *
 * A loop must not block and the ledger must not wait behind a body of megabytes, so neither does
 * this work. A job is run once, by one of a few threads, in the order of arrival but not one
 * after the other. While the database is away jobs fail at once: an answer is not kept back
 * for long because it cannot be stored. The clerks also sweep away objects whose time is over. */
#ifndef MG_STORE_CLERK_H
#define MG_STORE_CLERK_H

#include "base/conf.h"
#include "db/db.h"

struct mg_clerks;

/* What is to be done. Embed it and get back to your own by its address. `run` is called on a
 * clerk's thread with a connection, or with NULL while the database is away; afterwards the job
 * is the caller's again (it may be freed by `run`). `run` does not end transactions it did not
 * begin and answers to nobody but by posting to its loop. */
struct mg_clerk_job {
    void (*run)(struct mg_clerk_job *job, struct mg_db *db);
    struct mg_clerk_job *next; /* the clerks' */
};

/* Starts the threads. `conf` must outlive them. */
struct mg_clerks *mg_clerks_start(const struct mg_conf *conf)
    __attribute__((nonnull, returns_nonnull, warn_unused_result));
/* Runs what still waits, ends the threads, frees everything; NULL is allowed. */
void mg_clerks_stop(struct mg_clerks **clerks) __attribute__((nonnull));
/* Hands over a job. From any thread. */
void mg_clerks_do(struct mg_clerks *clerks, struct mg_clerk_job *job) __attribute__((nonnull));

#endif
