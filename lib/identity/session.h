/* Dashboard sessions: who is signed in, from where, until when.
 *
 * A session is a row; its token is a secret of identity/token.h that begins with "mgs_", known to
 * the database by its hash. It ends when it was not used for a while, when its time is over
 * (settings session_idle_minutes, session_days), or when somebody ends it: the row is gone, and
 * the very next request anywhere is refused. Owns the session table; knows nothing of passwords,
 * cookies or HTTP. */
#ifndef MG_IDENTITY_SESSION_H
#define MG_IDENTITY_SESSION_H

#include "base/conf.h"
#include "base/err.h"
#include "base/pool.h"
#include "db/db.h"
#include "identity/principal.h"

#include <stddef.h>
#include <stdint.h>

#define MG_SESSION_SIZE 54         /* "mgs_" + 43 + 6 + NUL */
#define MG_SESSIONS_PER_ACCOUNT 50 /* one more ends the oldest */

/* A session as lists show it. */
struct mg_session {
    uint64_t id;
    int64_t created_ms;
    int64_t seen_ms;      /* last request, at most a minute behind */
    int64_t expires_ms;   /* when it ends whatever happens */
    char user_agent[256]; /* as the program called itself; UTF-8 */
    char address[46];     /* of the sign-in, "" unknown */
};

/* Makes a session. `user_agent` is taken as it comes (cut, cleaned), "" or NULL = unknown.
 * `token` receives the secret, *expires_ms its latest end. Runs inside the caller's transaction
 * or alone. 0 or -1. */
int mg_session_open(struct mg_db *db, const struct mg_conf *conf, uint64_t account_id,
                    const char *user_agent, const char *address, char token[MG_SESSION_SIZE],
                    int64_t *expires_ms, struct mg_err *err)
    __attribute__((nonnull(1, 2, 5, 6, 7, 8), warn_unused_result));

/* Whose token this is: *who is filled, with session_id. 1; 0 with a 401 `invalid_session` (none,
 * malformed, unknown, ended, too old: one text); -1. `token` may be NULL. */
int mg_session_find(struct mg_db *db, const struct mg_conf *conf, const char *token,
                    struct mg_principal *who, struct mg_err *err)
    __attribute__((nonnull(1, 2, 4, 5), warn_unused_result));

/* The live sessions of an account, newest first: *sessions in the pool. 0 or -1. */
int mg_session_list(struct mg_db *db, const struct mg_conf *conf, uint64_t account_id,
                    struct mg_pool *pool, struct mg_session **sessions, size_t *count,
                    struct mg_err *err) __attribute__((nonnull, warn_unused_result));

/* Ends one session of this account. 1 ended, 0 the account has no such session, -1. */
int mg_session_end(struct mg_db *db, uint64_t account_id, uint64_t session_id,
                   struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* Ends all sessions of the account but `keep` (0 = all). *ended: how many (NULL allowed). 0, -1. */
int mg_session_end_all(struct mg_db *db, uint64_t account_id, uint64_t keep, uint64_t *ended,
                       struct mg_err *err) __attribute__((nonnull(1, 5), warn_unused_result));

/* Removes rows of sessions that are over. 0 or -1. */
int mg_session_tidy(struct mg_db *db, const struct mg_conf *conf, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
