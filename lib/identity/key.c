#include "identity/key.h"

#include "base/clock.h"
#include "identity/token.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "sk-mg-"

_Static_assert(sizeof(PREFIX) + MG_TOKEN_TAIL == MG_KEY_SIZE, "a key has this many characters");

enum query { INSERT_KEY, LOCK_ACCOUNT, SYSTEM_KEY, LAST_SYSTEM, RETIRE_SYSTEM };

static const char *const sql[] = {
    [LOCK_ACCOUNT] = "SELECT id FROM account WHERE id = ? FOR UPDATE",
    [INSERT_KEY] = "INSERT INTO api_key (account_id, kind, version, name, hash, last4, sealed,"
                   " created_ms, expires_ms, models, monthly_limit)"
                   " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [SYSTEM_KEY] = "SELECT version, sealed FROM api_key WHERE system_of = ?",
    [LAST_SYSTEM] = "SELECT COALESCE(MAX(version), 0) FROM api_key WHERE account_id = ?"
                    " AND kind = 'system'",
    [RETIRE_SYSTEM] = "UPDATE api_key SET revoked_ms = ?, sealed = NULL WHERE system_of = ?",
};

void
mg_key_make(char secret[MG_KEY_SIZE])
{
    mg_token_make(PREFIX, secret);
}

bool
mg_key_well_formed(const char *secret)
{
    return mg_token_well_formed(PREFIX, secret);
}

void
mg_key_hash(const char *secret, uint8_t hash[MG_SHA256_BYTES])
{
    mg_token_hash(secret, hash);
}

int
mg_key_insert(struct mg_db *db, const struct mg_key_row *row, struct mg_err *err)
{
    uint8_t hash[MG_SHA256_BYTES];
    mg_key_hash(row->secret, hash);
    const struct mg_db_value values[] = {
        mg_db_u64(row->account_id),
        mg_db_text(row->sealed ? "system" : "user"),
        mg_db_u64(row->version),
        mg_db_text(row->name),
        mg_db_bytes(hash, sizeof(hash)),
        mg_db_text(row->secret + MG_KEY_SIZE - 5),
        row->sealed ? mg_db_bytes(row->sealed, MG_KEY_SIZE - 1 + MG_VAULT_OVERHEAD) : mg_db_null(),
        mg_db_i64(row->created_ms),
        row->expires_ms ? mg_db_i64(row->expires_ms) : mg_db_null(),
        mg_db_text(row->models),
        row->monthly_limit ? mg_db_i64(row->monthly_limit) : mg_db_null(),
    };
    return mg_db_exec(db, sql[INSERT_KEY], values, sizeof(values) / sizeof(values[0]), err);
}

static struct mg_vault_place
place_of(uint64_t account_id, uint64_t version)
{
    return (struct mg_vault_place){"system-key", account_id, version};
}

int
mg_key_create_system(struct mg_db *db, const struct mg_vault *vault, uint64_t account_id,
                     char secret[MG_KEY_SIZE], struct mg_err *err)
{
    uint8_t sealed[MG_KEY_SIZE - 1 + MG_VAULT_OVERHEAD];
    struct mg_db_value account = mg_db_u64(account_id);
    uint64_t last = 0;
    if (mg_db_number(db, sql[LAST_SYSTEM], &account, 1, &last, err) < 0)
        return -1;
    mg_key_make(secret);
    mg_vault_seal(vault, place_of(account_id, last + 1), secret, MG_KEY_SIZE - 1, sealed);
    const struct mg_key_row row = {
        .account_id = account_id,
        .version = (uint32_t)last + 1,
        .name = "System Key",
        .secret = secret,
        .sealed = sealed,
        .created_ms = mg_now_ms(),
    };
    return mg_key_insert(db, &row, err);
}

int
mg_key_reveal_system(struct mg_db *db, const struct mg_vault *vault, uint64_t account_id,
                     char secret[MG_KEY_SIZE], struct mg_err *err)
{
    struct mg_db_value account = mg_db_u64(account_id);
    if (mg_db_query(db, sql[SYSTEM_KEY], &account, 1, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1) {
        size_t n;
        uint64_t version = mg_db_get_u64(db, 0);
        const char *sealed = mg_db_get_bytes(db, 1, &n);
        char *text = mg_vault_unseal(vault, place_of(account_id, version), sealed, n, err);
        if (text != NULL) {
            snprintf(secret, MG_KEY_SIZE, "%s", text);
            mg_wipe(text, strlen(text));
        }
        found = text != NULL ? 1 : -1;
        free(text);
    }
    mg_db_done(db);
    return found;
}

struct rotation {
    const struct mg_vault *vault;
    uint64_t account_id;
    char *secret;
    bool found;
};

static int
rotate(struct mg_db *db, void *arg, struct mg_err *err)
{
    struct rotation *r = arg;
    const struct mg_db_value values[] = {mg_db_i64(mg_now_ms()), mg_db_u64(r->account_id)};
    int found = mg_db_number(db, sql[LOCK_ACCOUNT], values + 1, 1, NULL, err);
    r->found = found == 1;
    if (found <= 0)
        return found;
    if (mg_db_exec(db, sql[RETIRE_SYSTEM], values, 2, err) != 0)
        return -1;
    return mg_key_create_system(db, r->vault, r->account_id, r->secret, err);
}

int
mg_key_rotate_system(struct mg_db *db, const struct mg_vault *vault, uint64_t account_id,
                     char secret[MG_KEY_SIZE], struct mg_err *err)
{
    struct rotation r = {vault, account_id, secret, false};
    if (mg_db_txn(db, "key rotate-system", rotate, &r, err) != 0)
        return -1;
    return r.found;
}
