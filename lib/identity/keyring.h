/* The keys of an account as its owner sees and manages them.
 *
 * A User API Key spends the account's wallet like the System Key does; what may be said of it is a
 * name, an end, the models it may ask for and how much it may spend in a month. What it spent
 * comes from the ledger's key_month. The System Key is in the list, but cannot be changed. */
#ifndef MG_IDENTITY_KEYRING_H
#define MG_IDENTITY_KEYRING_H

#include "base/pool.h"
#include "identity/key.h"
#include "identity/principal.h"

#define MG_KEYS_PER_ACCOUNT 100 /* active User API Keys */

/* What the owner chooses. */
struct mg_key_options {
    char name[64];                   /* 1 to 63 bytes of plain text */
    int64_t expires_ms;              /* 0 = never */
    char models[MG_KEY_MODELS_SIZE]; /* identity/allowance.h; "" = all */
    int64_t monthly_limit;           /* nano-credits; 0 = none */
};

/* A key as lists show it. */
struct mg_key {
    uint64_t id;
    bool system;
    struct mg_key_options options;
    char last4[5];
    int64_t created_ms;
    int64_t revoked_ms;   /* 0 = active */
    int64_t last_used_ms; /* 0 = never; at most five minutes behind */
    int64_t spent_month;  /* nano-credits in this UTC month … */
    int64_t spent_total;  /* … and ever */
};

/* Copies a name into the options. 0, or -1 with a 422 `body/name`: empty, longer than 63 bytes,
 * or not plain text. */
int mg_keyring_name(struct mg_key_options *options, const char *name, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Makes a User API Key (a transaction of its own). *key and `secret` are filled; the secret can
 * never be read again. -1: 404 no such account, 409 `too_many_keys`, or the database's error. */
int mg_keyring_create(struct mg_db *db, uint64_t account_id, const struct mg_key_options *options,
                      struct mg_key *key, char secret[MG_KEY_SIZE], struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* All keys of an account, revoked ones too, oldest first: *keys in the pool. 0 or -1. */
int mg_keyring_list(struct mg_db *db, uint64_t account_id, struct mg_pool *pool,
                    struct mg_key **keys, size_t *count, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* One of them. 1, 0 (the account has no such key) or -1. */
int mg_keyring_find(struct mg_db *db, uint64_t account_id, uint64_t key_id, struct mg_key *key,
                    struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* Edits the options that a key has. 0, or -1 with err: they stay as they are. May be called again
 * with the options read again. */
typedef int mg_keyring_edit(struct mg_key_options *options, void *arg, struct mg_err *err);
/* Gives a User API Key other options, from the next request on: edit(…, arg) is called while
 * nobody else can change them, and *key is the key with what it made of them. 1: done; 0: the
 * account has no such User API Key; -1: 409 `key_revoked` or `too_many_keys` (an expired key that
 * would live again), the edit's error, or the database's. */
int mg_keyring_change(struct mg_db *db, uint64_t account_id, uint64_t key_id,
                      mg_keyring_edit *edit, void *arg, struct mg_key *key, struct mg_err *err)
    __attribute__((nonnull(1, 4, 6, 7), warn_unused_result));
/* Revokes a User API Key of this account. 1: it is revoked now (or was before); 0: the account
 * has no such User API Key (a System Key cannot be revoked); -1. */
int mg_keyring_revoke(struct mg_db *db, uint64_t account_id, uint64_t key_id, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
