/* API keys: how they look, how they are made, shown, listed and taken away.
 *
 * A secret is "sk-mg-", 43 random characters of 62 (256 bits) and six that check the others,
 * so that a mistyped or foreign key is refused without a query. The database knows a User API
 * Key by its SHA-256 alone (a keyed or slow hash adds nothing to 256 random bits, and a pepper
 * would tie every customer's key to one file); of the System Key it also has the secret, sealed
 * in the vault, because the dashboard shows it. Knows nothing of requests. */
#ifndef MG_IDENTITY_KEY_H
#define MG_IDENTITY_KEY_H

#include "base/digest.h"
#include "base/err.h"
#include "base/pool.h"
#include "base/vault.h"
#include "db/db.h"

#include <stdbool.h>
#include <stdint.h>

#define MG_KEY_SIZE 56         /* "sk-mg-" + 43 + 6 + NUL */
#define MG_KEYS_PER_ACCOUNT 100 /* active User API Keys */

/* A key as lists show it. */
struct mg_key {
    uint64_t id;
    bool system;
    char name[64];
    char last4[5];
    int64_t created_ms;
    int64_t revoked_ms;   /* 0 = active */
    int64_t expires_ms;   /* 0 = never */
    int64_t last_used_ms; /* 0 = never; at most five minutes behind */
};

/* Makes a secret. */
void mg_key_make(char secret[MG_KEY_SIZE]) __attribute__((nonnull));
/* True when `secret` has the form of a key of this service and its check characters fit. */
bool mg_key_well_formed(const char *secret) __attribute__((nonnull));
/* What the database knows a secret by. */
void mg_key_hash(const char *secret, uint8_t hash[MG_SHA256_BYTES]) __attribute__((nonnull));

/* Gives the account its System Key; `secret` receives it. Runs inside the caller's transaction.
 * 0 or -1. */
int mg_key_create_system(struct mg_db *db, const struct mg_vault *vault, uint64_t account_id,
                         char secret[MG_KEY_SIZE], struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Makes a User API Key (a transaction of its own). `expires_ms` 0 = never. *key and `secret`
 * are filled; the secret can never be read again. -1: 422 `name` that is empty, longer than 63
 * bytes or not plain text, 404 no such account, 409 `too_many_keys`, or the database's error. */
int mg_key_create_user(struct mg_db *db, uint64_t account_id, const char *name,
                       int64_t expires_ms, struct mg_key *key, char secret[MG_KEY_SIZE],
                       struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* All keys of an account, revoked ones too, oldest first: *keys in the pool. 0 or -1. */
int mg_key_list(struct mg_db *db, uint64_t account_id, struct mg_pool *pool,
                struct mg_key **keys, size_t *count, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Revokes a User API Key of this account. 1: it is revoked now (or was before); 0: the account
 * has no such User API Key (a System Key cannot be revoked); -1. */
int mg_key_revoke(struct mg_db *db, uint64_t account_id, uint64_t key_id, struct mg_err *err)
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
