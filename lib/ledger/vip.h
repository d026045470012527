/* VIP access: who may use the VIP endpoint, and until when.
 *
 * Access is the sum of terms. A term begins where the ones before it end, or when it is given if
 * there is no access then; so a top-up during VIP extends it. A top-up that was refunded below
 * the mark takes its term away, and the others move up. The rules are settings: vip_enabled,
 * vip_minimum_cents, vip_days, vip_account_days; an account also needs a verified address and
 * must not be suspended. Times are ms since the epoch. */
#ifndef MG_LEDGER_VIP_H
#define MG_LEDGER_VIP_H

#include "base/err.h"
#include "base/id.h"
#include "db/db.h"

#include <stddef.h>
#include <stdint.h>

struct mg_vip {
    bool entitled;     /* now */
    int64_t until_ms;  /* when access ends or ended; 0 = never had any */
    int64_t remaining_ms; /* 0 unless entitled */
};

/* A term, for the arithmetic below. */
struct mg_vip_term {
    int64_t given_ms, length_ms;
};

/* When access ends that is made of terms in the order in which they were given; 0 for none. */
int64_t mg_vip_until(const struct mg_vip_term *terms, size_t count) __attribute__((nonnull(1)));

/* A top-up was paid: adds vip_days if it is large enough and the account qualifies. Once for
 * each `ref` (the order's id), as a step of the caller's transaction. 0 or -1. */
int mg_vip_on_topup(struct mg_db *db, uint64_t wallet_id, const uint8_t ref[MG_ID_BYTES],
                    int64_t cents, int64_t now_ms, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Part of it was paid back or is disputed, and `remaining_cents` are left: below the mark its
 * term is revoked; at it or above (a dispute that was won) the term counts again. A step of the
 * caller's transaction, in any order and as often as one likes. 0 or -1. */
int mg_vip_on_refund(struct mg_db *db, uint64_t wallet_id, const uint8_t ref[MG_ID_BYTES],
                     int64_t remaining_cents, int64_t now_ms, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* The operator's: adds `days` (1 … 3650), or takes all access away. Transactions of their own. 0
 * or -1 (404: no such wallet). */
int mg_vip_grant(struct mg_db *db, uint64_t wallet_id, int64_t days, int64_t now_ms,
                 struct mg_err *err) __attribute__((nonnull, warn_unused_result));
int mg_vip_revoke(struct mg_db *db, uint64_t wallet_id, int64_t now_ms, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Reads the access of a wallet by its key. 0 (also when it never had any) or -1. */
int mg_vip_read(struct mg_db *db, uint64_t wallet_id, int64_t now_ms, struct mg_vip *vip,
                struct mg_err *err) __attribute__((nonnull, warn_unused_result));

#endif
