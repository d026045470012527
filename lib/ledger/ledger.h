/* The money path of a process: reserve, extend, settle.
 *
 * One writer thread with one connection takes everything that is queued, does it in one
 * transaction of single statements, and tells the callers after COMMIT. A settle is
 * unconditional and idempotent by request id; it may exceed its hold and may take the balance
 * below zero. When the database is away, settles are written to a journal in state_dir (fsync)
 * and replayed, by this process or the next one; new reserves are refused with 503.
 *
 * All amounts are nano-credits, all times ms. Knows nothing of models, prices or HTTP. */
#ifndef MG_LEDGER_LEDGER_H
#define MG_LEDGER_LEDGER_H

#include "base/conf.h"
#include "base/err.h"
#include "base/id.h"

#include <stdbool.h>
#include <stdint.h>

struct mg_ledger;

/* Starts the writer and the heartbeat/sweeper threads and registers this process. `role` is a
 * name for the proc row ("chat"). The database need not answer yet. NULL with err only when
 * the journal folder is unusable. */
struct mg_ledger *mg_ledger_start(const struct mg_conf *conf, const char *role,
                                  struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* Lands or journals everything queued, removes the process row, ends the threads. */
void mg_ledger_stop(struct mg_ledger **ledger) __attribute__((nonnull));

enum mg_reserve_outcome {
    MG_RESERVE_GRANTED,
    MG_RESERVE_REFUSED,    /* not enough credit: 402 */
    MG_RESERVE_UNAVAILABLE,/* the database is away: 503 */
    MG_RESERVE_BUSY,       /* the Unlimited window has as many requests as it allows: 429 */
    MG_RESERVE_OVER        /* no credit, and the last request was covered by a window, which is
                            * over: 429 */
};

struct mg_reserve {
    uint8_t request_id[MG_ID_BYTES];
    uint64_t wallet_id;
    int64_t want;  /* granted when the available credit covers it … */
    int64_t least; /* … else this much is granted when it is covered, else refused */
    bool all;      /* between least and want: grant all that is available */
};

struct mg_reserved {
    enum mg_reserve_outcome outcome;
    int64_t granted;   /* held now for this request (after an extend: in all) */
    int64_t available; /* balance minus holds after it */
    bool unlimited;    /* a window covers it, until it settles: nothing is held, nothing will be
                        * charged, nothing needs to be extended */
};

/* Called on the writer thread after COMMIT (or refusal). Must be quick and must not block. */
typedef void mg_reserve_done(void *arg, const struct mg_reserved *result);

/* Holds credit for a request, or finds that an Unlimited window covers it (ledger/window.h; not
 * asked by a request that wants nothing, since that is not billable), and waits for the commit.
 * For worker threads. */
void mg_ledger_reserve(struct mg_ledger *ledger, const struct mg_reserve *reserve,
                       struct mg_reserved *result) __attribute__((nonnull));
/* The same without waiting: `done` is called on the writer thread after the commit, or at once
 * on the caller's when the database is known to be away. */
void mg_ledger_hold(struct mg_ledger *ledger, const struct mg_reserve *reserve,
                    mg_reserve_done *done, void *arg) __attribute__((nonnull(1, 2, 3)));
/* Makes an existing hold larger by `want` (or `least`); does not wait. REFUSED leaves the hold
 * as it is. */
void mg_ledger_extend(struct mg_ledger *ledger, const struct mg_reserve *reserve,
                      mg_reserve_done *done, void *arg) __attribute__((nonnull(1, 2, 3)));

/* Flags of a ledger row. */
enum {
    MG_ROW_ESTIMATED = 1,   /* tokens were counted by us, the upstream did not state them */
    MG_ROW_CLIENT_GONE = 2, /* the client left before the end */
    MG_ROW_CUT = 4,         /* the upstream broke off or failed after it had begun */
    MG_ROW_LATE = 8,        /* the hold had been swept before the settle came */
    MG_ROW_PREMIUM = 16,    /* a model with the premium billing label */
    MG_ROW_STREAM = 32,     /* the reply was streamed */
    MG_ROW_NO_CREDIT = 64,  /* ended by us because the hold could not grow */
    MG_ROW_UNLIMITED = 128  /* covered by an Unlimited window: nothing was held, charge is 0 */
};

struct mg_settle {
    uint8_t request_id[MG_ID_BYTES];
    uint64_t wallet_id;
    uint64_t api_key_id;
    int64_t charge;        /* nano-credits, >= 0 */
    bool release;          /* nothing happened upstream: give the hold back, write no row */
    char model[128];       /* the id the client asked for (or the account's default) */
    char served_by[128];   /* the catalogue model that answered (an alias resolved) */
    char label[64];        /* customer-facing label, "" = none */
    char family[16];       /* "chat", "responses", "completions", "messages" */
    int64_t input, cache_read, cache_write_5m, cache_write_1h, output, reasoning; /* tokens */
    uint64_t price_version;
    uint32_t flags;
    int32_t status;        /* HTTP status the client saw */
    int32_t first_ms;      /* to the first byte of the reply, -1 = none */
    int32_t total_ms;
};

struct mg_settled {
    bool landed;          /* committed; false: journalled, will land when the database is back */
    bool durable;         /* landed or on disk; false: the disk refused it too, it is only kept
                             in memory and tried again */
    int64_t charge;       /* as in the row (an earlier settle of the same id wins) */
    int64_t balance;      /* after it; meaningless unless landed */
};
typedef void mg_settle_done(void *arg, const struct mg_settled *result);

/* Ends a hold with a charge; does not wait. `done` (may be NULL) is called on the writer
 * thread after COMMIT, or after the journal has it on disk (at most ~2 s when the database is
 * away). */
void mg_ledger_settle(struct mg_ledger *ledger, const struct mg_settle *settle,
                      mg_settle_done *done, void *arg) __attribute__((nonnull(1, 2)));

/* This process in the table of processes: proc.owner. */
uint64_t mg_ledger_owner(const struct mg_ledger *ledger) __attribute__((nonnull));
/* True while the database answers; for /api/health and early refusals. */
bool mg_ledger_healthy(struct mg_ledger *ledger) __attribute__((nonnull));

#endif
