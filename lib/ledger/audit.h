/* Proof that the books are right, at any time, also while requests run.
 *
 * Everything is read from one consistent snapshot without a lock, so traffic neither waits nor
 * shows half a transaction. What must hold for every wallet:
 *   - its ledger rows are numbered 1 … seq without a gap, and each balance_after is the one
 *     before it plus the amount;
 *   - balance = sum of the ledger amounts; the lots together hold max(balance, 0), each between
 *     0 and what was granted, each with its granting row; next_expiry is the earliest expiry of
 *     a lot that still holds credit;
 *   - held = sum of its holds;
 *   - a request has at most one charge row, and none while its hold stands;
 *   - its connections are its holds under an Unlimited window, at most as many as that allows,
 *     without credit and without a charge; its benefits are those that wait or run, one at a time;
 *   - what a key spent in a month is the sum of its charges;
 *   - every hold, lot and ledger row belongs to a wallet. */
#ifndef MG_LEDGER_AUDIT_H
#define MG_LEDGER_AUDIT_H

#include "base/err.h"
#include "db/db.h"

#include <stdint.h>

/* One broken promise. `what` is a short sentence for people. */
struct mg_audit_finding {
    uint64_t wallet_id;
    uint64_t seq;             /* ledger row, lot or key, 0 = the wallet as a whole */
    const char *what;
    int64_t expected, found;  /* nano-credits or a count, as `what` says */
};
/* Called for every finding, on the calling thread. The finding is borrowed. */
typedef void mg_audit_report(void *arg, const struct mg_audit_finding *finding);

struct mg_audit_result {
    uint64_t wallets, rows, lots, holds; /* looked at */
    uint64_t findings;                   /* 0: the books are right */
    int64_t balance, held;               /* over all wallets, nano-credits */
};

/* Checks one wallet (id != 0) or all (0). `report` may be NULL. 0 when the check ran (also
 * with findings), -1 when it could not be made. */
int mg_audit_run(struct mg_db *db, uint64_t wallet_id, mg_audit_report *report, void *arg,
                 struct mg_audit_result *result, struct mg_err *err)
    __attribute__((nonnull(1, 5, 6), warn_unused_result));

#endif
