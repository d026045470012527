#include "identity/setup_token.h"

#include "base/clock.h"
#include "identity/token.h"

#define PREFIX "mgt_"

enum query { INSERT, TAKE, TIDY };

static const char *const sql[] = {
    [INSERT] = "INSERT INTO setup_token (hash, account_id, target, expires_ms)"
               " VALUES (?, ?, ?, ?)",
    [TAKE] = "DELETE FROM setup_token WHERE hash = ? AND target = ?"
             " RETURNING account_id, expires_ms",
    /* What is over, and of the others all but the newest. */
    [TIDY] = "DELETE FROM setup_token WHERE account_id = ? AND expires_ms <="
             " GREATEST(?, COALESCE((SELECT expires_ms FROM (SELECT expires_ms FROM setup_token"
             " WHERE account_id = ? ORDER BY expires_ms DESC LIMIT 1 OFFSET ?) AS t), 0))",
};

int
mg_setup_token_make(struct mg_db *db, uint64_t account_id, const char *target,
                    char token[MG_SETUP_TOKEN_SIZE], int64_t *expires_ms, struct mg_err *err)
{
    uint8_t hash[MG_SHA256_BYTES];
    int64_t now = mg_now_ms();
    *expires_ms = now + MG_SETUP_TOKEN_MS;
    mg_token_make(PREFIX, token);
    mg_token_hash(token, hash);
    const struct mg_db_value tidy[] = {mg_db_u64(account_id), mg_db_i64(now),
                                       mg_db_u64(account_id), mg_db_i64(MG_SETUP_TOKENS - 1)};
    const struct mg_db_value row[] = {mg_db_bytes(hash, sizeof(hash)), mg_db_u64(account_id),
                                      mg_db_text(target), mg_db_i64(*expires_ms)};
    if (mg_db_exec(db, sql[TIDY], tidy, 4, err) != 0)
        return -1;
    return mg_db_exec(db, sql[INSERT], row, 4, err);
}

int
mg_setup_token_take(struct mg_db *db, const char *token, const char *target,
                    uint64_t *account_id, struct mg_err *err)
{
    uint8_t hash[MG_SHA256_BYTES];
    if (!mg_token_well_formed(PREFIX, token))
        return 0;
    mg_token_hash(token, hash);
    const struct mg_db_value values[] = {mg_db_bytes(hash, sizeof(hash)), mg_db_text(target)};
    if (mg_db_query(db, sql[TAKE], values, 2, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1) {
        *account_id = mg_db_get_u64(db, 0);
        found = mg_db_get_i64(db, 1) > mg_now_ms();
    }
    mg_db_done(db);
    return found;
}
