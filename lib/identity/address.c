#include "identity/address.h"

#include "base/clock.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum query { STATE, KEEP, BY_STATED, BY_UNCONFIRMED, LOCK, CONFIRM, CLAIM };

static const char *const sql[] = {
    [STATE] = "UPDATE account SET pending_email = ? WHERE id = ?",
    [KEEP] = "UPDATE account SET pending_email = NULL WHERE id = ?"
             " AND email_verified_ms IS NOT NULL",
    [BY_STATED] = "SELECT id FROM account WHERE pending_email = ? ORDER BY id DESC LIMIT 1",
    [BY_UNCONFIRMED] = "SELECT id FROM account WHERE email = ? AND email_verified_ms IS NULL",
    [LOCK] = "SELECT email, email_verified_ms, pending_email, created_ms FROM account WHERE id = ?"
             " FOR UPDATE",
    [CONFIRM] = "UPDATE account SET email = ?, email_verified_ms = ?, pending_email = NULL"
                " WHERE id = ?",
    [CLAIM] = "INSERT IGNORE INTO trial (address, account_id, created_ms) VALUES (?, ?, ?)",
};

int
mg_address_state(struct mg_db *db, uint64_t account_id, const char *email, struct mg_err *err)
{
    const struct mg_db_value values[] = {mg_db_text(email), mg_db_u64(account_id)};
    return mg_db_exec(db, sql[STATE], values, 2, err);
}

int
mg_address_keep(struct mg_db *db, uint64_t account_id, struct mg_err *err)
{
    const struct mg_db_value value = mg_db_u64(account_id);
    return mg_db_exec(db, sql[KEEP], &value, 1, err);
}

static int
find_id(struct mg_db *db, enum query query, const char *email, uint64_t *id, struct mg_err *err)
{
    const struct mg_db_value value = mg_db_text(email);
    return mg_db_number(db, sql[query], &value, 1, id, err);
}

int
mg_address_claimant(struct mg_db *db, const char *email, struct mg_account *account,
                    struct mg_err *err)
{
    uint64_t id;
    int found = find_id(db, BY_STATED, email, &id, err);
    if (found == 0)
        found = find_id(db, BY_UNCONFIRMED, email, &id, err);
    return found == 1 ? mg_account_by_id(db, id, account, err) : found;
}

/* Reads and locks what an account has. 1: it states `email`, or has it already. */
static int
lock(struct mg_db *db, uint64_t account_id, const char *email, struct mg_confirmed *c,
     struct mg_err *err)
{
    const struct mg_db_value value = mg_db_u64(account_id);
    if (mg_db_query(db, sql[LOCK], &value, 1, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1) {
        bool confirmed = !mg_db_is_null(db, 1);
        bool has = strcasecmp(mg_db_get_bytes(db, 0, NULL), email) == 0;
        bool states = strcasecmp(mg_db_get_bytes(db, 2, NULL), email) == 0;
        *c = (struct mg_confirmed){.created_ms = mg_db_get_i64(db, 3)};
        if (confirmed && !has)
            snprintf(c->before, sizeof(c->before), "%s", mg_db_get_bytes(db, 0, NULL));
        found = has || states;
    }
    mg_db_done(db);
    return found;
}

int
mg_address_confirm(struct mg_db *db, uint64_t account_id, const char *email,
                   struct mg_confirmed *confirmed, struct mg_err *err)
{
    const struct mg_db_value values[] = {mg_db_text(email), mg_db_i64(mg_now_ms()),
                                         mg_db_u64(account_id)};
    int found = lock(db, account_id, email, confirmed, err);
    if (found != 1)
        return found;
    if (mg_db_exec(db, sql[CONFIRM], values, 3, err) == 0)
        return 1;
    if (mg_db_why(db) == MG_DB_DUPLICATE)
        mg_err_set(err, 409, "email_taken", "This address belongs to another account by now.");
    return -1;
}

int
mg_address_claim_trial(struct mg_db *db, const struct mg_vault *vault, uint64_t account_id,
                       const char *email, struct mg_err *err)
{
    char text[300];
    uint8_t hash[MG_SHA256_BYTES];
    int n = snprintf(text, sizeof(text), "trial\n%s", email);
    for (char *c = text; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    mg_hmac_sha256(vault->key, sizeof(vault->key), text, (size_t)n, hash);
    const struct mg_db_value values[] = {mg_db_bytes(hash, sizeof(hash)), mg_db_u64(account_id),
                                         mg_db_i64(mg_now_ms())};
    if (mg_db_exec(db, sql[CLAIM], values, 3, err) != 0)
        return -1;
    return mg_db_affected(db) > 0;
}
