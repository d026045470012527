/* The sign of life of a process, and the chores that come with it: landing journals that wait,
 * sweeping the dead. A thread with a connection of its own, so that a slow sweep never delays
 * a settle. Inside of this room. */
#ifndef MG_LEDGER_BEAT_H
#define MG_LEDGER_BEAT_H

#include "ledger/proc.h"
#include "ledger/writer.h"

struct mg_beat;

/* Writes or renews the row of a process. 0 or -1. */
int mg_beat_say(struct mg_db *db, const struct mg_proc *self, const char *role,
                struct mg_err *err) __attribute__((nonnull, warn_unused_result));

/* Starts the thread; it hands journalled settles to `writer`. conf, self and writer must
 * outlive it. */
struct mg_beat *mg_beat_start(const struct mg_conf *conf, const struct mg_proc *self,
                              const char *role, struct mg_writer *writer)
    __attribute__((nonnull, warn_unused_result));
/* Ends the thread. The object stays, so that a late poke does no harm, until it is freed. */
void mg_beat_stop(struct mg_beat *beat) __attribute__((nonnull));
void mg_beat_free(struct mg_beat **beat) __attribute__((nonnull));
/* Makes the thread do its round now. Does not block. */
void mg_beat_poke(struct mg_beat *beat) __attribute__((nonnull));

#endif
