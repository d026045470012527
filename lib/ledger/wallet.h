/* A wallet as a customer sees it: what it holds, what is promised, what expires when.
 *
 * Reading changes nothing. Credit whose time is over is left out of every figure here, also
 * when no request has come by yet to write its `expire` row. The wallet of an account has the
 * account's id. Amounts are nano-credits, times ms since the epoch. Knows nothing of accounts,
 * models or HTTP. */
#ifndef MG_LEDGER_WALLET_H
#define MG_LEDGER_WALLET_H

#include "base/err.h"
#include "db/db.h"

#include <stddef.h>
#include <stdint.h>

struct mg_wallet {
    uint64_t id;
    int64_t balance;        /* may be negative: used, not yet paid */
    int64_t held;           /* promised to requests that run now, >= 0 */
    int64_t available;      /* balance - held; may be negative */
    uint64_t seq;           /* number of ledger rows */
    int64_t next_expiry_ms; /* the earliest expiry of a lot that still holds credit, 0 = none */
};

/* A grant of which something is left. */
struct mg_wallet_lot {
    uint64_t seq;       /* of the ledger row that granted it */
    char kind[16];      /* "trial", "topup", "reward", "adjust" */
    int64_t granted;    /* what it held at first (a debt that it repaid is not in it) */
    int64_t remaining;  /* > 0 */
    int64_t expires_ms; /* 0 = never */
    int64_t created_ms;
};

/* Makes an empty wallet; one that exists stays as it is. May run inside a transaction of the
 * caller (the account's own insert). 0 or -1. */
int mg_wallet_create(struct mg_db *db, uint64_t id, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Holds the wallet's lock until the caller's transaction ends: for whoever changes what hangs on it
 * without changing its balance. 0; -1, also (404) when there is none. */
int mg_wallet_lock(struct mg_db *db, uint64_t id, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Reads a wallet. 1 found, 0 no such wallet, -1 error. */
int mg_wallet_read(struct mg_db *db, uint64_t id, struct mg_wallet *wallet, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* The lots that still hold usable credit, in the order in which they will be used: earliest
 * expiry first, then oldest. Fills at most `most`; *count is how many were filled. 0 or -1. */
int mg_wallet_lots(struct mg_db *db, uint64_t id, struct mg_wallet_lot *lots, size_t most,
                   size_t *count, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
