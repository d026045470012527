/* The generations of this process that wait for no client, and who wants them stopped.
 *
 * A wish to stop one comes from a request here (mg_roster_cancel) or, through the database, from
 * any process of any host: one statement several times a second asks which of ours are to be
 * stopped, as long as the list is not empty. Whoever is listed is stopped on the loop that it
 * belongs to; what stopping means is its own affair. */
#ifndef MG_INFER_ROSTER_H
#define MG_INFER_ROSTER_H

#include "infer/app.h"

#include <stdbool.h>
#include <stdint.h>

struct mg_roster;

/* An entry, inside the structure of what it stands for. Its owner fills the first four and works
 * with it on `loop` alone. */
struct mg_roster_entry {
    uint64_t seq;            /* of its object (store/object.h) */
    struct mg_loop *loop;
    mg_loop_fn *stop;        /* stop(arg) on that loop while it is listed; may be repeated */
    void *arg;
    bool listed;
    struct mg_roster_entry *next, **at; /* the roster's */
};

/* An empty one. `app` must outlive it; its ledger, clerks and side loop are used. */
struct mg_roster *mg_roster_new(struct mg_app *app) __attribute__((nonnull, returns_nonnull));
void mg_roster_free(struct mg_roster **roster) __attribute__((nonnull));

/* Lists it; from then on it may be stopped. */
void mg_roster_add(struct mg_roster *roster, struct mg_roster_entry *entry)
    __attribute__((nonnull));
/* Strikes it out; it is not stopped afterwards. Harmless when it is not listed. */
void mg_roster_remove(struct mg_roster *roster, struct mg_roster_entry *entry)
    __attribute__((nonnull));

/* Has it stopped if it is one of this process: true. From any thread. */
bool mg_roster_cancel(struct mg_roster *roster, uint64_t seq) __attribute__((nonnull));

#endif
