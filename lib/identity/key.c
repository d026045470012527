#include "identity/key.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "sk-mg-"
#define PREFIX_LEN (sizeof(PREFIX) - 1)
#define RANDOM_LEN 43
#define CHECK_LEN 6
#define BODY_LEN (PREFIX_LEN + RANDOM_LEN)

_Static_assert(BODY_LEN + CHECK_LEN + 1 == MG_KEY_SIZE, "the parts of a key fill it");

static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

enum query {
    COUNT_ACTIVE, INSERT_KEY, LIST, REVOKE, IS_USER_KEY, LOCK_ACCOUNT, SYSTEM_KEY, LAST_SYSTEM,
    RETIRE_SYSTEM
};

static const char *const sql[] = {
    [LOCK_ACCOUNT] = "SELECT id FROM account WHERE id = ? FOR UPDATE",
    [COUNT_ACTIVE] = "SELECT COUNT(*) FROM api_key WHERE account_id = ? AND kind = 'user'"
                     " AND revoked_ms IS NULL AND (expires_ms IS NULL OR expires_ms > ?)",
    [INSERT_KEY] = "INSERT INTO api_key (account_id, kind, version, name, hash, last4, sealed,"
                   " created_ms, expires_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [LIST] = "SELECT id, kind = 'system', name, last4, created_ms, revoked_ms, expires_ms,"
             " last_used_ms FROM api_key WHERE account_id = ? ORDER BY id",
    [REVOKE] = "UPDATE api_key SET revoked_ms = ? WHERE id = ? AND account_id = ?"
               " AND kind = 'user' AND revoked_ms IS NULL",
    [IS_USER_KEY] = "SELECT 1 FROM api_key WHERE id = ? AND account_id = ? AND kind = 'user'",
    [SYSTEM_KEY] = "SELECT version, sealed FROM api_key WHERE system_of = ?",
    [LAST_SYSTEM] = "SELECT COALESCE(MAX(version), 0) FROM api_key WHERE account_id = ?"
                    " AND kind = 'system'",
    [RETIRE_SYSTEM] = "UPDATE api_key SET revoked_ms = ?, sealed = NULL WHERE system_of = ?",
};

/* The characters that check the first BODY_LEN ones. */
static void
check_characters(const char *body, char check[CHECK_LEN])
{
    uint8_t hash[MG_SHA256_BYTES];
    mg_sha256(body, BODY_LEN, hash);
    uint32_t n = (uint32_t)hash[0] << 24 | (uint32_t)hash[1] << 16 | (uint32_t)hash[2] << 8 |
                 hash[3];
    for (int i = 0; i < CHECK_LEN; i++, n /= 62)
        check[i] = digits[n % 62];
}

void
mg_key_make(char secret[MG_KEY_SIZE])
{
    memcpy(secret, PREFIX, PREFIX_LEN);
    for (size_t i = PREFIX_LEN; i < BODY_LEN;) {
        uint8_t byte;
        mg_random(&byte, 1);
        if (byte < 4 * 62) /* the rest would make some characters likelier than others */
            secret[i++] = digits[byte % 62];
    }
    check_characters(secret, secret + BODY_LEN);
    secret[MG_KEY_SIZE - 1] = '\0';
}

bool
mg_key_well_formed(const char *secret)
{
    char check[CHECK_LEN];
    if (strnlen(secret, MG_KEY_SIZE) != MG_KEY_SIZE - 1 ||
        memcmp(secret, PREFIX, PREFIX_LEN) != 0 ||
        strspn(secret + PREFIX_LEN, digits) != RANDOM_LEN + CHECK_LEN)
        return false;
    check_characters(secret, check);
    return mg_same(check, secret + BODY_LEN, CHECK_LEN);
}

void
mg_key_hash(const char *secret, uint8_t hash[MG_SHA256_BYTES])
{
    mg_sha256(secret, strlen(secret), hash);
}

/* What a row of api_key is made from; `sealed` is NULL for a User API Key. */
struct row {
    uint64_t account_id;
    uint32_t version;
    const char *name, *secret;
    const uint8_t *sealed;
    int64_t created_ms, expires_ms;
};

static int
insert(struct mg_db *db, const struct row *row, struct mg_err *err)
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
    };
    return mg_db_exec(db, sql[INSERT_KEY], values, sizeof(values) / sizeof(values[0]), err);
}

/* One number of one row: 1 and *value, 0 no row, -1. */
static int
read_number(struct mg_db *db, const char *statement, const struct mg_db_value *values,
            size_t count, uint64_t *value, struct mg_err *err)
{
    if (mg_db_query(db, statement, values, count, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1)
        *value = mg_db_get_u64(db, 0);
    mg_db_done(db);
    return found;
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
    if (read_number(db, sql[LAST_SYSTEM], &account, 1, &last, err) < 0)
        return -1;
    mg_key_make(secret);
    mg_vault_seal(vault, place_of(account_id, last + 1), secret, MG_KEY_SIZE - 1, sealed);
    const struct row row = {
        .account_id = account_id,
        .version = (uint32_t)last + 1,
        .name = "System Key",
        .secret = secret,
        .sealed = sealed,
        .created_ms = mg_now_ms(),
    };
    return insert(db, &row, err);
}

static int
check_name(const char *name, struct mg_err *err)
{
    size_t n = strlen(name);
    if (n == 0)
        return mg_err_field(err, "too_short", "A key needs a name", "body/name");
    if (n > 63)
        return mg_err_field(err, "too_long", "Input should be at most 63 bytes", "body/name");
    bool plain = mg_utf8_valid(name, n);
    for (const char *c = name; *c != '\0'; c++)
        plain = plain && (unsigned char)*c >= 0x20 && *c != 0x7f;
    if (!plain)
        return mg_err_field(err, "value_error", "Input should be text without control characters",
                            "body/name");
    return 0;
}

struct creation {
    uint64_t account_id;
    const char *name;
    int64_t expires_ms;
    struct mg_key *key;
    char *secret;
};

/* The account row is locked, so that parallel requests cannot pass the limit together. */
static int
create_user(struct mg_db *db, void *arg, struct mg_err *err)
{
    struct creation *c = arg;
    int64_t now = mg_now_ms();
    const struct mg_db_value who[] = {mg_db_u64(c->account_id), mg_db_i64(now)};
    uint64_t n = 0;
    int found = read_number(db, sql[LOCK_ACCOUNT], who, 1, &n, err);
    if (found == 0)
        return mg_err_set(err, 404, "not_found", "There is no such account.");
    if (found < 0 || read_number(db, sql[COUNT_ACTIVE], who, 2, &n, err) < 0)
        return -1;
    if (n >= MG_KEYS_PER_ACCOUNT)
        return mg_err_set(err, 409, "too_many_keys",
                          "The account has %d active User API Keys; revoke one first.",
                          MG_KEYS_PER_ACCOUNT);
    mg_key_make(c->secret);
    const struct row row = {
        .account_id = c->account_id,
        .version = 1,
        .name = c->name,
        .secret = c->secret,
        .created_ms = now,
        .expires_ms = c->expires_ms,
    };
    if (insert(db, &row, err) != 0)
        return -1;
    *c->key = (struct mg_key){
        .id = mg_db_insert_id(db),
        .created_ms = now,
        .expires_ms = c->expires_ms,
    };
    snprintf(c->key->name, sizeof(c->key->name), "%s", c->name);
    snprintf(c->key->last4, sizeof(c->key->last4), "%s", c->secret + MG_KEY_SIZE - 5);
    return 0;
}

int
mg_key_create_user(struct mg_db *db, uint64_t account_id, const char *name, int64_t expires_ms,
                   struct mg_key *key, char secret[MG_KEY_SIZE], struct mg_err *err)
{
    struct creation c = {account_id, name, expires_ms, key, secret};
    if (check_name(name, err) != 0)
        return -1;
    return mg_db_txn(db, "key create", create_user, &c, err);
}

static void
read_key(struct mg_db *db, struct mg_key *key)
{
    key->id = mg_db_get_u64(db, 0);
    key->system = mg_db_get_i64(db, 1) != 0;
    snprintf(key->name, sizeof(key->name), "%s", mg_db_get_bytes(db, 2, NULL));
    snprintf(key->last4, sizeof(key->last4), "%s", mg_db_get_bytes(db, 3, NULL));
    key->created_ms = mg_db_get_i64(db, 4);
    key->revoked_ms = mg_db_is_null(db, 5) ? 0 : mg_db_get_i64(db, 5);
    key->expires_ms = mg_db_is_null(db, 6) ? 0 : mg_db_get_i64(db, 6);
    key->last_used_ms = mg_db_is_null(db, 7) ? 0 : mg_db_get_i64(db, 7);
}

int
mg_key_list(struct mg_db *db, uint64_t account_id, struct mg_pool *pool, struct mg_key **keys,
            size_t *count, struct mg_err *err)
{
    struct mg_db_value account = mg_db_u64(account_id);
    struct mg_key *list = NULL;
    size_t n = 0;
    if (mg_db_query(db, sql[LIST], &account, 1, err) != 0)
        return -1;
    int more;
    while ((more = mg_db_next(db, err)) == 1) {
        list = mg_pool_grow(pool, list, n, sizeof(*list));
        read_key(db, &list[n++]);
    }
    mg_db_done(db);
    *count = more == 0 ? n : 0;
    *keys = list;
    return more;
}

int
mg_key_revoke(struct mg_db *db, uint64_t account_id, uint64_t key_id, struct mg_err *err)
{
    const struct mg_db_value values[] = {mg_db_i64(mg_now_ms()), mg_db_u64(key_id),
                                         mg_db_u64(account_id)};
    uint64_t one;
    if (mg_db_exec(db, sql[REVOKE], values, 3, err) != 0)
        return -1;
    if (mg_db_affected(db) > 0)
        return 1;
    return read_number(db, sql[IS_USER_KEY], values + 1, 2, &one, err);
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
    uint64_t id;
    int found = read_number(db, sql[LOCK_ACCOUNT], values + 1, 1, &id, err);
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
