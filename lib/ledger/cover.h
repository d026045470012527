/* Which requests an Unlimited window covers: the part of a batch that looks at benefits.
 *
 * A request that is covered has a hold of nothing, marked `unlimited`; it is a connection of its
 * wallet until that hold goes, by its settle, by a sweep, or here: when all connections are taken,
 * those of processes that are certainly dead are given back at once, without waiting for a
 * sweeper. Only wallets with benefits are looked at (wallet.benefits), so the others pay nothing.
 *
 * Used under the locks of the wallets. Inside of this room. */
#ifndef MG_LEDGER_COVER_H
#define MG_LEDGER_COVER_H

#include "ledger/proc.h"
#include "ledger/table.h"

struct mg_cover;

/* `self` must outlive it. */
struct mg_cover *mg_cover_new(const struct mg_proc *self) __attribute__((nonnull));
void mg_cover_free(struct mg_cover **cover) __attribute__((nonnull));

/* Forgets the last transaction. Then add every wallet of which a request wants to begin. */
void mg_cover_begin(struct mg_cover *cover) __attribute__((nonnull));
void mg_cover_add(struct mg_cover *cover, struct mg_book *book) __attribute__((nonnull));
/* Reads the open benefits of those wallets, and gives connections of dead processes back where
 * all are taken. Nothing is asked of the database when no wallet has a benefit. 0 or -1. */
int mg_cover_load(struct mg_cover *cover, struct mg_table *table, struct mg_db *db,
                  struct mg_err *err) __attribute__((nonnull, warn_unused_result));

enum mg_cover_answer {
    MG_COVER_NO,   /* no window: credit has to pay */
    MG_COVER_YES,  /* one runs, or has been started just now; the connection is counted */
    MG_COVER_FULL  /* there is one, but as many connections as it allows are under way */
};
/* Whether a window covers a request that begins at `now`. */
enum mg_cover_answer mg_cover_ask(struct mg_cover *cover, struct mg_book *book, int64_t now)
    __attribute__((nonnull));
/* Writes what was started and what was found to be over. 0 or -1. */
int mg_cover_save(struct mg_cover *cover, struct mg_db *db, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
