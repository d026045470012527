/* API keys: how they are made; the System Key, its showing and rotation.
 *
 * A secret is a token (identity/token.h) that begins with "sk-mg-". The database knows a User API
 * Key by its hash alone (a pepper would tie every customer's key to one file); of the System Key
 * it also has the secret, sealed in the vault, because the dashboard shows it. User API Keys are
 * in identity/keyring.h. Knows nothing of requests. */
#ifndef MG_IDENTITY_KEY_H
#define MG_IDENTITY_KEY_H

#include "base/digest.h"
#include "base/err.h"
#include "base/vault.h"
#include "db/db.h"

#include <stdbool.h>
#include <stdint.h>

#define MG_KEY_SIZE 56         /* "sk-mg-" + 43 + 6 + NUL */

/* Makes a secret. */
void mg_key_make(char secret[MG_KEY_SIZE]) __attribute__((nonnull));
/* True when `secret` has the form of a key of this service and its check characters fit. */
bool mg_key_well_formed(const char *secret) __attribute__((nonnull));
/* What the database knows a secret by. */
void mg_key_hash(const char *secret, uint8_t hash[MG_SHA256_BYTES]) __attribute__((nonnull));

/* A key about to be stored. */
struct mg_key_row {
    uint64_t account_id;
    uint32_t version;
    const char *name, *secret;
    const uint8_t *sealed;  /* System Key: the sealed secret; NULL makes a User API Key */
    int64_t created_ms, expires_ms; /* 0 = never */
    const char *models;     /* NULL = all */
    int64_t monthly_limit;  /* nano-credits, 0 = none */
};
/* Stores it under the hash of its secret; a step of the caller's transaction. Inside of this
 * room. 0 or -1. */
int mg_key_insert(struct mg_db *db, const struct mg_key_row *row, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Gives the account its System Key; `secret` receives it. Runs inside the caller's transaction.
 * 0 or -1. */
int mg_key_create_system(struct mg_db *db, const struct mg_vault *vault, uint64_t account_id,
                         char secret[MG_KEY_SIZE], struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* The System Key of an account in clear. 1, 0 (no such account) or -1. */
int mg_key_reveal_system(struct mg_db *db, const struct mg_vault *vault, uint64_t account_id,
                         char secret[MG_KEY_SIZE], struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Replaces the System Key: the old one is refused from the next request on. An act of the
 * operator, never of the customer. 1: `secret` is the new one; 0: no such account; -1. */
int mg_key_rotate_system(struct mg_db *db, const struct mg_vault *vault, uint64_t account_id,
                         char secret[MG_KEY_SIZE], struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
