/* Unlimited benefits: lengths of time in which requests cost no credit.
 *
 * A benefit waits until the first billable request of its wallet starts it, then runs for its
 * length whether it is used or not, then is over. Several of a wallet run one after another, in
 * the order in which they were given: the next one starts with the first billable request that
 * finds none running. While one runs, MG_WINDOW_CONNECTIONS requests at a time are covered; a
 * request is covered by the state at its start and stays covered however long it takes.
 * Starting and covering happen in the writer's batch (ledger/cover.h).
 *
 * Times are ms since the epoch; a length of 0 is no benefit. */
#ifndef MG_LEDGER_WINDOW_H
#define MG_LEDGER_WINDOW_H

#include "base/err.h"
#include "base/id.h"
#include "db/db.h"

#include <stddef.h>
#include <stdint.h>

#define MG_WINDOW_CONNECTIONS 2 /* covered requests at a time (specification part 8) */
#define MG_WINDOW_BENEFITS 50   /* most that are shown */
#define MG_WINDOW_MOST_S 31536000 /* longest length of one, in seconds */

enum mg_window_state {
    MG_WINDOW_NONE,        /* of a wallet: it never had a benefit */
    MG_WINDOW_NOT_STARTED,
    MG_WINDOW_ACTIVE,
    MG_WINDOW_EXPIRED
};
/* "none", "not_started", "active", "expired". */
const char *mg_window_state_name(enum mg_window_state state) __attribute__((returns_nonnull));

enum mg_window_source { MG_WINDOW_TRIAL = 1, MG_WINDOW_CHECKIN, MG_WINDOW_OPERATOR };

struct mg_benefit {
    uint64_t seq;       /* its number in the wallet */
    char source[16];    /* "trial", "checkin", "operator" */
    int64_t seconds;    /* its length */
    enum mg_window_state state;
    int64_t given_ms;
    int64_t started_ms; /* 0 = not started */
    int64_t expires_ms; /* 0 = not started */
};

/* What a wallet has. */
struct mg_window {
    enum mg_window_state state; /* active if one runs, else not started if one waits, else
                                 * expired if there was one */
    int64_t remaining_ms;       /* of the one that runs; else 0 */
    unsigned connections;       /* covered requests under way */
    struct mg_benefit benefit[MG_WINDOW_BENEFITS]; /* those that run or wait first, in the order
                                                    * of use, then the others, newest first */
    size_t count;
};

/* Gives a benefit of `seconds`, once for each `ref`, as a step of the caller's transaction. *given
 * (may be NULL) tells whether it was new. 0; -1 with err: 404 no such wallet, 400 for a length that
 * is not possible. */
int mg_window_give(struct mg_db *db, uint64_t wallet_id, enum mg_window_source source,
                   const uint8_t ref[MG_ID_BYTES], int64_t seconds, bool *given,
                   struct mg_err *err) __attribute__((nonnull(1, 4, 7), warn_unused_result));
/* Gives the trial (setting trial_unlimited_s), once a wallet however often it is called, as a
 * step of the caller's transaction. 0 or -1. */
int mg_window_give_trial(struct mg_db *db, uint64_t wallet_id, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Reads what a wallet has at `now_ms`; changes nothing. 0 (a wallet without any is NONE) or -1. */
int mg_window_read(struct mg_db *db, uint64_t wallet_id, int64_t now_ms, struct mg_window *window,
                   struct mg_err *err) __attribute__((nonnull, warn_unused_result));

#endif
