#include "identity/keyring.h"

#include "base/clock.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

#define COLUMNS                                                                                  \
    "SELECT k.id, k.kind = 'system', k.name, k.expires_ms, k.models, k.monthly_limit, k.last4,"  \
    " k.created_ms, k.revoked_ms, k.last_used_ms, COALESCE(SUM(IF(m.month = ?, m.spent, 0)), 0)," \
    " COALESCE(SUM(m.spent), 0) FROM api_key k LEFT JOIN key_month m ON m.key_id = k.id"

enum query { LOCK_ACCOUNT, COUNT_ACTIVE, LIST, ONE, STATE, CHANGE, REVOKE };

static const char *const sql[] = {
    [LOCK_ACCOUNT] = "SELECT id FROM account WHERE id = ? FOR UPDATE",
    [COUNT_ACTIVE] = "SELECT COUNT(*) FROM api_key WHERE account_id = ? AND kind = 'user'"
                     " AND revoked_ms IS NULL AND (expires_ms IS NULL OR expires_ms > ?)",
    [LIST] = COLUMNS " WHERE k.account_id = ? GROUP BY k.id ORDER BY k.id",
    [ONE] = COLUMNS " WHERE k.account_id = ? AND k.id = ? GROUP BY k.id",
    [STATE] = "SELECT revoked_ms IS NOT NULL FROM api_key WHERE id = ? AND account_id = ?"
              " AND kind = 'user'",
    [CHANGE] = "UPDATE api_key SET name = ?, expires_ms = ?, models = ?, monthly_limit = ?"
               " WHERE id = ?",
    [REVOKE] = "UPDATE api_key SET revoked_ms = ? WHERE id = ? AND account_id = ?"
               " AND kind = 'user' AND revoked_ms IS NULL",
};

int
mg_keyring_name(struct mg_key_options *options, const char *name, struct mg_err *err)
{
    size_t n = strlen(name);
    if (n == 0)
        return mg_err_field(err, "too_short", "A key needs a name", "body/name");
    if (n >= sizeof(options->name))
        return mg_err_field(err, "too_long", "Input should be at most 63 bytes", "body/name");
    bool plain = mg_utf8_valid(name, n);
    for (const char *c = name; *c != '\0'; c++)
        plain = plain && (unsigned char)*c >= 0x20 && *c != 0x7f;
    if (!plain)
        return mg_err_field(err, "value_error", "Input should be text without control characters",
                            "body/name");
    memcpy(options->name, name, n + 1);
    return 0;
}

static struct mg_db_value
or_null(int64_t value)
{
    return value != 0 ? mg_db_i64(value) : mg_db_null();
}

static const char *
models_of(const struct mg_key_options *options)
{
    return *options->models != '\0' ? options->models : NULL;
}

struct work {
    uint64_t account_id, key_id;
    const struct mg_key_options *options;
    mg_keyring_edit *edit;
    void *arg;
    struct mg_key *key;
    char *secret;
    bool found;
};

/* Locks the account, so that parallel requests cannot pass the limit together. 1, 0, -1. */
static int
lock_account(struct mg_db *db, const struct work *w, struct mg_err *err)
{
    const struct mg_db_value account = mg_db_u64(w->account_id);
    return mg_db_number(db, sql[LOCK_ACCOUNT], &account, 1, NULL, err);
}

/* 0, or -1: more keys than an account may have are active now. */
static int
check_count(struct mg_db *db, const struct work *w, struct mg_err *err)
{
    const struct mg_db_value who[] = {mg_db_u64(w->account_id), mg_db_i64(mg_now_ms())};
    uint64_t n = 0;
    if (mg_db_number(db, sql[COUNT_ACTIVE], who, 2, &n, err) < 0)
        return -1;
    if (n <= MG_KEYS_PER_ACCOUNT)
        return 0;
    return mg_err_set(err, 409, "too_many_keys",
                      "The account has %d active User API Keys; revoke one first.",
                      MG_KEYS_PER_ACCOUNT);
}

static int
create(struct mg_db *db, void *arg, struct mg_err *err)
{
    struct work *w = arg;
    int found = lock_account(db, w, err);
    if (found == 0)
        return mg_err_set(err, 404, "not_found", "There is no such account.");
    if (found < 0)
        return -1;
    mg_key_make(w->secret);
    const struct mg_key_row row = {
        .account_id = w->account_id,
        .version = 1,
        .name = w->options->name,
        .secret = w->secret,
        .created_ms = mg_now_ms(),
        .expires_ms = w->options->expires_ms,
        .models = models_of(w->options),
        .monthly_limit = w->options->monthly_limit,
    };
    if (mg_key_insert(db, &row, err) != 0)
        return -1;
    *w->key = (struct mg_key){
        .id = mg_db_insert_id(db),
        .options = *w->options,
        .created_ms = row.created_ms,
    };
    snprintf(w->key->last4, sizeof(w->key->last4), "%s", w->secret + MG_KEY_SIZE - 5);
    return check_count(db, w, err);
}

int
mg_keyring_create(struct mg_db *db, uint64_t account_id, const struct mg_key_options *options,
                  struct mg_key *key, char secret[MG_KEY_SIZE], struct mg_err *err)
{
    struct work w = {.account_id = account_id, .options = options, .key = key, .secret = secret};
    return mg_db_txn(db, "key create", create, &w, err);
}

static int64_t
or_zero(struct mg_db *db, unsigned column)
{
    return mg_db_is_null(db, column) ? 0 : mg_db_get_i64(db, column);
}

static void
read_key(struct mg_db *db, struct mg_key *key)
{
    struct mg_key_options *o = &key->options;
    key->id = mg_db_get_u64(db, 0);
    key->system = mg_db_get_i64(db, 1) != 0;
    snprintf(o->name, sizeof(o->name), "%s", mg_db_get_bytes(db, 2, NULL));
    o->expires_ms = or_zero(db, 3);
    snprintf(o->models, sizeof(o->models), "%s", mg_db_get_bytes(db, 4, NULL));
    o->monthly_limit = or_zero(db, 5);
    snprintf(key->last4, sizeof(key->last4), "%s", mg_db_get_bytes(db, 6, NULL));
    key->created_ms = mg_db_get_i64(db, 7);
    key->revoked_ms = or_zero(db, 8);
    key->last_used_ms = or_zero(db, 9);
    key->spent_month = mg_db_get_i64(db, 10);
    key->spent_total = mg_db_get_i64(db, 11);
}

int
mg_keyring_list(struct mg_db *db, uint64_t account_id, struct mg_pool *pool, struct mg_key **keys,
                size_t *count, struct mg_err *err)
{
    const struct mg_db_value values[] = {mg_db_i64(mg_utc_month(mg_now_ms())),
                                         mg_db_u64(account_id)};
    struct mg_key *list = NULL;
    size_t n = 0;
    if (mg_db_query(db, sql[LIST], values, 2, err) != 0)
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
mg_keyring_find(struct mg_db *db, uint64_t account_id, uint64_t key_id, struct mg_key *key,
                struct mg_err *err)
{
    const struct mg_db_value values[] = {mg_db_i64(mg_utc_month(mg_now_ms())),
                                         mg_db_u64(account_id), mg_db_u64(key_id)};
    if (mg_db_query(db, sql[ONE], values, 3, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1)
        read_key(db, key);
    mg_db_done(db);
    return found;
}

static int
change(struct mg_db *db, void *arg, struct mg_err *err)
{
    struct work *w = arg;
    struct mg_key_options *o = &w->key->options;
    int found = lock_account(db, w, err);
    if (found == 1)
        found = mg_keyring_find(db, w->account_id, w->key_id, w->key, err);
    w->found = found == 1 && !w->key->system;
    if (!w->found)
        return found < 0 ? -1 : 0;
    if (w->key->revoked_ms != 0)
        return mg_err_set(err, 409, "key_revoked",
                          "The key is revoked and stays as it is; make a new one.");
    if (w->edit(o, w->arg, err) != 0)
        return -1;
    const struct mg_db_value values[] = {
        mg_db_text(o->name), or_null(o->expires_ms), mg_db_text(models_of(o)),
        or_null(o->monthly_limit), mg_db_u64(w->key_id)};
    if (mg_db_exec(db, sql[CHANGE], values, 5, err) != 0)
        return -1;
    return check_count(db, w, err);
}

int
mg_keyring_change(struct mg_db *db, uint64_t account_id, uint64_t key_id,
                  mg_keyring_edit *edit, void *arg, struct mg_key *key, struct mg_err *err)
{
    struct work w = {
        .account_id = account_id, .key_id = key_id, .edit = edit, .arg = arg, .key = key};
    return mg_db_txn(db, "key change", change, &w, err) != 0 ? -1 : w.found;
}

int
mg_keyring_revoke(struct mg_db *db, uint64_t account_id, uint64_t key_id, struct mg_err *err)
{
    const struct mg_db_value values[] = {mg_db_i64(mg_now_ms()), mg_db_u64(key_id),
                                         mg_db_u64(account_id)};
    if (mg_db_exec(db, sql[REVOKE], values, 3, err) != 0)
        return -1;
    if (mg_db_affected(db) > 0)
        return 1;
    return mg_db_number(db, sql[STATE], values + 1, 2, NULL, err);
}
