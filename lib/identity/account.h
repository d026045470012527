/* Accounts: who the customers are.
 *
 * A mail address belongs to one account only, but not before its owner has confirmed it: stating
 * somebody else's address takes nothing from anybody, and tells nobody whether it is known here.
 *
 * An account has one System Key and one wallet, made together with it. Owns the account table;
 * knows nothing of credit, so the wallet is opened by a function that the caller passes. */
#ifndef MG_IDENTITY_ACCOUNT_H
#define MG_IDENTITY_ACCOUNT_H

#include "base/err.h"
#include "base/pool.h"
#include "base/vault.h"
#include "db/db.h"
#include "identity/key.h"

#include <stdbool.h>
#include <stdint.h>

struct mg_account {
    uint64_t id;             /* also of its wallet */
    char username[64];
    char email[255];         /* the address it has, or, while it has none, the one it stated */
    bool email_verified;     /* its owner has shown that mail to `email` arrives */
    char pending_email[255]; /* another one that waits to be confirmed; "" = none */
    bool suspended;
    char default_model[128]; /* "" = the managed alias */
    int64_t created_ms;
};

/* Called inside the transaction that makes the account: opens the wallet and whatever else has
 * to be there from the beginning. Repeatable. 0, or -1 to make nothing. */
typedef int mg_account_also(struct mg_db *db, uint64_t account_id, void *arg,
                            struct mg_err *err);

struct mg_account_spec {
    const char *username;    /* 1 to 63 of letters, digits, `.`, `_`, `-`; a letter first */
    const char *email;       /* its own from now on, confirmed or not; NULL = none */
    const char *pending_email; /* stated, and nobody's own until it is confirmed; NULL = none */
    const char *password;    /* hash (identity/password.h); NULL = nobody can sign in */
    mg_account_also *also;   /* NULL = nothing */
    void *arg;
};

/* 0 when the text can be a username or an address; -1 with a 422 that names `username` or
 * `email` and says what is wrong. */
int mg_account_check_username(const char *username, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
int mg_account_check_email(const char *email, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Makes an account with its System Key in one transaction: *account and `secret` are filled.
 * -1: 422 as above, 409 `username_taken` or `email_taken`, or the database's error. */
int mg_account_create(struct mg_db *db, const struct mg_vault *vault,
                      const struct mg_account_spec *spec, struct mg_account *account,
                      char secret[MG_KEY_SIZE], struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Looks an account up. 1 found, 0 none, -1 error. `name`: a username, or an address (it holds
 * an @); case does not count in either. */
int mg_account_by_id(struct mg_db *db, uint64_t id, struct mg_account *account,
                     struct mg_err *err) __attribute__((nonnull, warn_unused_result));
int mg_account_by_name(struct mg_db *db, const char *name, struct mg_account *account,
                       struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* Up to `limit` accounts with an id above `after`, by id: *accounts in the pool. 0 or -1. */
int mg_account_list(struct mg_db *db, uint64_t after, unsigned limit, struct mg_pool *pool,
                    struct mg_account **accounts, size_t *count, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Suspends or resumes. 1 done (or it was so), 0 no such account, -1. */
int mg_account_suspend(struct mg_db *db, uint64_t id, bool suspended, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Sets the model of requests that name none; "" = the managed alias. Whether there is such a
 * model is for the caller to check with the catalogue. 1, 0 no such account, -1 (422 when the
 * text cannot be a model id). */
int mg_account_set_default_model(struct mg_db *db, uint64_t id, const char *model,
                                 struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
