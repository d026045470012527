/* Permission to fetch one setup script once, for some minutes.
 *
 * `curl … | sh` cannot send a cookie, and a key must not stand in a shell's history; so the
 * dashboard makes an address with a token that is worth nothing any more when it is read there.
 * The database knows a token by its hash. Owns the setup_token table. */
#ifndef MG_IDENTITY_SETUP_TOKEN_H
#define MG_IDENTITY_SETUP_TOKEN_H

#include "base/err.h"
#include "db/db.h"

#include <stdint.h>

#define MG_SETUP_TOKEN_SIZE 54       /* "mgt_" + 43 + 6 + NUL */
#define MG_SETUP_TOKEN_MS 600000     /* how long it is good */
#define MG_SETUP_TOKENS 20           /* of an account at a time; one more ends the oldest */

/* Makes a token for a target. 0 with its text and the end of its time, or -1. */
int mg_setup_token_make(struct mg_db *db, uint64_t account_id, const char *target,
                        char token[MG_SETUP_TOKEN_SIZE], int64_t *expires_ms, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Takes it: whoever comes first with it, for its target, gets the account. 1 with *account_id; 0
 * when it is unknown, used, too old or for another target; -1. */
int mg_setup_token_take(struct mg_db *db, const char *token, const char *target,
                        uint64_t *account_id, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
