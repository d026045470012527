/* Credit that comes or goes without a request: trial, top-up, reward, correction, claw-back.
 *
 * Every grant is one ledger row, unique by (ref, kind): giving the same one again, from any
 * process and at the same time, changes nothing. A grant first repays a negative balance; the
 * rest is a lot of its own with its own expiry. Amounts are nano-credits. Knows nothing of
 * payments or of why somebody deserves credit. */
#ifndef MG_LEDGER_GRANT_H
#define MG_LEDGER_GRANT_H

#include "base/err.h"
#include "base/id.h"
#include "db/db.h"

#include <stdbool.h>
#include <stdint.h>

enum mg_grant_kind {
    MG_GRANT_TRIAL,   /* amount > 0 */
    MG_GRANT_TOPUP,   /* amount > 0 */
    MG_GRANT_REWARD,  /* amount > 0 */
    MG_GRANT_ADJUST,  /* by the operator, either sign, not 0 */
    MG_GRANT_CLAWBACK /* amount < 0: a payment was returned; the balance may become negative */
};

#define MG_GRANT_NOTE 128 /* bytes of a note, with its NUL */

struct mg_grant {
    uint64_t wallet_id;
    enum mg_grant_kind kind;
    uint8_t ref[MG_ID_BYTES]; /* what it is for; see mg_grant_ref */
    int64_t amount;
    int64_t expires_ms;       /* 0 = never; only for amount > 0 */
    const char *note;         /* for people, shown in the history; NULL = none */
    const uint8_t *of;        /* claw-back: ref of the top-up whose own lot pays first; or NULL */
};

struct mg_granted {
    bool applied;    /* false: this (ref, kind) was there before and nothing changed */
    uint64_t seq;    /* of its ledger row */
    int64_t amount;  /* of that row */
    int64_t balance; /* of that row: balance after it */
};

/* A ref for things that have no 16-byte id of their own: the first half is `space` (a short
 * constant such as "checkin"), the second `number`; e.g. ("trial", account id). Longer names
 * are hashed. */
void mg_grant_ref(const char *space, uint64_t number, uint8_t ref[MG_ID_BYTES])
    __attribute__((nonnull));

/* Gives a grant in a transaction of its own. 0 with *result (NULL allowed), or -1 with err:
 * 503 when the database is away, 404 `not_found` when there is no such wallet, 400 for an
 * amount of the wrong sign or one that no wallet can hold. */
int mg_grant_apply(struct mg_db *db, const struct mg_grant *grant, struct mg_granted *result,
                   struct mg_err *err) __attribute__((nonnull(1, 2, 4), warn_unused_result));

/* The same as a step of the caller's transaction (inside the function given to mg_db_txn), so
 * that for instance a payment's state and its credit change together. */
int mg_grant_post(struct mg_db *db, const struct mg_grant *grant, struct mg_granted *result,
                  struct mg_err *err) __attribute__((nonnull(1, 2, 4), warn_unused_result));

#endif
