/* Low-balance alerts: balances below which a customer wants to be told.
 *
 * A threshold is armed while the balance is at it or above. The transaction that takes the
 * balance below it disarms it and posts one mail; the one that lifts the balance again arms it.
 * So a crossing is told once, however many requests cause it and whatever dies. The wallet row
 * carries the next threshold in each direction, so that a wallet without alerts, and one that
 * crosses none, cost nothing (ledger/table.c).
 *
 * Amounts are nano-credits. */
#ifndef MG_LEDGER_ALERT_H
#define MG_LEDGER_ALERT_H

#include "base/err.h"
#include "db/db.h"

#include <stddef.h>
#include <stdint.h>

#define MG_ALERT_MOST 5 /* thresholds of a wallet */

struct mg_alerts {
    int64_t threshold[MG_ALERT_MOST]; /* highest first */
    size_t count;
};

/* The thresholds of a wallet. 0 or -1. */
int mg_alert_read(struct mg_db *db, uint64_t wallet_id, struct mg_alerts *alerts,
                  struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* Replaces them; those that stay keep their state, new ones are armed if the balance is at them
 * or above. A transaction of its own. 0; -1 with err (404 no such wallet). */
int mg_alert_set(struct mg_db *db, uint64_t wallet_id, const struct mg_alerts *alerts,
                 struct mg_err *err) __attribute__((nonnull, warn_unused_result));

/* A balance has passed a threshold: disarms and mails (of several at once the lowest is named),
 * or arms, as a step of a transaction that holds the wallet's lock. 0 or -1. For
 * ledger/table.c. */
int mg_alert_cross(struct mg_db *db, uint64_t wallet_id, int64_t balance, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
