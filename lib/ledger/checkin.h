/* The daily check-in of a wallet: its state, and the transaction that checks in.
 *
 * The rules are in ledger/checkin_path.h, the rewards in the setting checkin_path. Checking in
 * needs checkin_minimum credits available; it gives the reward as a ledger row of kind
 * `reward`, and benefits as ledger/window.h has them. Amounts are nano-credits. */
#ifndef MG_LEDGER_CHECKIN_H
#define MG_LEDGER_CHECKIN_H

#include "db/db.h"
#include "ledger/checkin_path.h"

enum mg_checkin_mark { MG_CHECKIN_UPCOMING, MG_CHECKIN_TODAY, MG_CHECKIN_CLAIMED, MG_CHECKIN_PASS };

struct mg_checkin {
    bool eligible;              /* the wallet has enough credit */
    int64_t minimum, shortfall; /* nano-credits */
    bool done;                  /* checked in today */
    unsigned day;               /* of the path: today's, done or not */
    unsigned streak;            /* days up to the last check-in; 0 once two days were missed */
    bool pass;                  /* the Free Pass is still there */
    int64_t next_ms;            /* when the next check-in is possible; 0 = now */
    const char *warning;        /* what a miss means; NULL = nothing to say */
    struct mg_checkin_table table;
    enum mg_checkin_mark mark[MG_CHECKIN_DAYS];
};

/* Reads the state at `now_ms`; changes nothing. 0 or -1. */
int mg_checkin_read(struct mg_db *db, uint64_t wallet_id, int64_t now_ms, struct mg_checkin *state,
                    struct mg_err *err) __attribute__((nonnull, warn_unused_result));

struct mg_checkin_result {
    bool again;       /* this day was checked in before; the figures are those of then */
    unsigned day;     /* of the path */
    int64_t reward;   /* with that of a day that the pass made good */
    int64_t seconds;  /* of Unlimited, likewise */
    bool used_pass;
};

/* Checks in, once a UTC day however often and from wherever it is called. 0; -1 with err: 403
 * `checkin_not_eligible`, 404, 503. */
int mg_checkin_do(struct mg_db *db, uint64_t wallet_id, int64_t now_ms,
                  struct mg_checkin_result *result, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
