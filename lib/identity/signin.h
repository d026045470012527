/* Signing in: a name and a password become an account.
 *
 * A name is a username, an address that an account owns, or the address that the newest
 * unconfirmed account has stated. Whoever is wrong about the password learns nothing more: a
 * name that is not known costs as many hashes as one that is. */
#ifndef MG_IDENTITY_SIGNIN_H
#define MG_IDENTITY_SIGNIN_H

#include "db/db.h"
#include "identity/account.h"
#include "identity/password.h"

/* Tries a sign-in. 1: *account is filled; 0: wrong name or password, err is a 401
 * `invalid_credentials`; -1 (429 `busy`, 503). A hash that was made with less work than today's
 * is replaced. No connection is kept while a hash is computed. */
int mg_signin_try(struct mg_db_pool *pool, struct mg_hasher *hasher, const char *name,
                  const char *password, struct mg_account *account, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Whether this is the password of the account, for changes that ask for it again. 1; 0 with a 401
 * `invalid_credentials`; -1. */
int mg_signin_confirm(struct mg_db_pool *pool, struct mg_hasher *hasher, uint64_t account_id,
                      const char *password, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Gives the account a password by its hash; a step of the caller's transaction. 1, 0 no such
 * account, -1. */
int mg_signin_set(struct mg_db *db, uint64_t account_id, const char *hash, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
