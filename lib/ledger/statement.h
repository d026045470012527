/* The statement of a wallet over a period: what there was, what came, what went, what there is.
 *
 * opening + in - out = closing, exactly and always, also when the clocks of hosts differ: the
 * closing balance is today's less what came after the period, all read at the same instant. Read
 * only. Amounts are nano-credits, times ms since the epoch. */
#ifndef MG_LEDGER_STATEMENT_H
#define MG_LEDGER_STATEMENT_H

#include "base/err.h"
#include "db/db.h"

#include <stdint.h>

struct mg_statement {
    int64_t opening, closing; /* balances */
    int64_t in, out;          /* sums of what came (>= 0) and of what went (>= 0) */
    int64_t rows;             /* ledger rows of the period */
};

/* Reads the statement of all rows at or after `from_ms` (0 = the beginning) and before `to_ms`
 * (0 = now). 0 or -1. */
int mg_statement_read(struct mg_db *db, uint64_t wallet_id, int64_t from_ms, int64_t to_ms,
                      struct mg_statement *statement, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
