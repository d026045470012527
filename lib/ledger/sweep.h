/* What dead processes leave behind: their holds are released, their row is removed.
 *
 * A process is dead when it ran on this machine and its pid is gone, or when its row has not
 * changed for stale_ms while this process was watching. Nobody's clock is compared with anybody
 * else's, and an outage of the database, during which nobody can give a sign of life, starts
 * the watch anew. Whoever is taken for dead by mistake loses nothing: its settles are charged
 * all the same and flagged as late. Inside of this room. */
#ifndef MG_LEDGER_SWEEP_H
#define MG_LEDGER_SWEEP_H

#include "db/db.h"
#include "ledger/proc.h"

struct mg_sweeper;

/* `self` is copied. */
struct mg_sweeper *mg_sweeper_new(const struct mg_proc *self, int64_t stale_ms)
    __attribute__((nonnull, warn_unused_result));
void mg_sweeper_free(struct mg_sweeper **sweeper) __attribute__((nonnull));

/* Forgets how long the others were silent: call when the database was out of reach. */
void mg_sweeper_restart(struct mg_sweeper *sweeper) __attribute__((nonnull));
/* Looks at all processes and sweeps the dead ones. 0 or -1. */
int mg_sweeper_pass(struct mg_sweeper *sweeper, struct mg_db *db, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Releases every hold of one owner and removes its row, without asking whether it lives: for a
 * process that ends. 0 or -1. */
int mg_sweep_owner(struct mg_db *db, uint64_t owner, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
