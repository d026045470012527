/* Settles on disk, for as long as the database is away.
 *
 * A journal is a file in the state folder that one process appends to, holding a lock on it;
 * the records of a call are on disk (fdatasync) when the call returns. When the writer closes
 * it, or dies, the lock goes and any process of this host may take the file, land its settles
 * and remove it. Landing twice is harmless: settles are idempotent. One record is one line, a
 * checksum and a JSON object, so that a person can read what is owed; a last line that was torn
 * by a crash was never acknowledged and is skipped.
 *
 * Knows nothing of the database. Inside of this room. */
#ifndef MG_LEDGER_JOURNAL_H
#define MG_LEDGER_JOURNAL_H

#include "base/err.h"
#include "ledger/ledger.h"

#include <stdbool.h>
#include <stddef.h>

struct mg_journal;

/* A journal that writes into folder `dir`, which is made when it is not there (0700). No file
 * yet. NULL with err when the folder cannot be used. */
struct mg_journal *mg_journal_new(const char *dir, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
void mg_journal_free(struct mg_journal **journal) __attribute__((nonnull));

/* Puts settles on disk, all or none. 0, or -1 (with a line in the log). */
int mg_journal_append(struct mg_journal *journal, const struct mg_settle *const *settles,
                      size_t count) __attribute__((nonnull, warn_unused_result));
/* Lets go of the current file, if any: it is ready to be replayed. */
void mg_journal_close(struct mg_journal *journal) __attribute__((nonnull));
/* Age of the current file in ms, 0 when there is none. */
int64_t mg_journal_age(const struct mg_journal *journal) __attribute__((nonnull));

/* A file that is being replayed. */
struct mg_replay;

/* Takes the oldest file in `dir` that nobody writes to or replays; NULL when there is none. */
struct mg_replay *mg_replay_take(const char *dir) __attribute__((nonnull, warn_unused_result));
/* Reads the next settle. 1, or 0 at the end. Lines that are not right are skipped (and said in
 * the log, unless it is a torn last one). */
int mg_replay_next(struct mg_replay *replay, struct mg_settle *settle)
    __attribute__((nonnull, warn_unused_result));
/* Ends it; `done`: everything in it is safe elsewhere, so the file is removed. One with a
 * damaged line is kept under another name, for a person to look at. */
void mg_replay_end(struct mg_replay **replay, bool done) __attribute__((nonnull));

#endif
