/* Mail addresses of accounts: stated, confirmed, replaced; and the one trial of each.
 *
 * Owns the columns email, email_verified_ms and pending_email of an account (identity/account.h
 * says what they mean) and the trial table. Sends no mail and gives no credit. */
#ifndef MG_IDENTITY_ADDRESS_H
#define MG_IDENTITY_ADDRESS_H

#include "identity/account.h"

struct mg_confirmed {
    int64_t created_ms; /* of the account */
    char before[255];   /* the confirmed address that was replaced; "" = none, or the same */
};

/* The account holder states an address; NULL takes the statement back. 0 or -1. */
int mg_address_state(struct mg_db *db, uint64_t account_id, const char *email,
                     struct mg_err *err) __attribute__((nonnull(1, 4), warn_unused_result));
/* Forgets another address that waits to be confirmed: an account that has a confirmed one keeps
 * it. 0 or -1. */
int mg_address_keep(struct mg_db *db, uint64_t account_id, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* The account that waits for this address to be confirmed: the newest that stated it, or the one
 * that the operator gave it. 1, 0 or -1. */
int mg_address_claimant(struct mg_db *db, const char *email, struct mg_account *account,
                        struct mg_err *err) __attribute__((nonnull, warn_unused_result));

/* The address is the account's own from now on: a step of the caller's transaction. 1 with
 * *confirmed; 0 when the account does not state this address any more; -1 with err: 409
 * `email_taken` when another account was faster. */
int mg_address_confirm(struct mg_db *db, uint64_t account_id, const char *email,
                       struct mg_confirmed *confirmed, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Claims the trial: a step of the caller's transaction. 1: this account and this address had none
 * before; 0: one of them had; -1. The vault keys the hash by which addresses are remembered. */
int mg_address_claim_trial(struct mg_db *db, const struct mg_vault *vault, uint64_t account_id,
                           const char *email, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
