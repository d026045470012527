#include "identity/principal.h"

#include "base/clock.h"
#include "base/log.h"
#include "db/list.h"
#include "identity/key.h"

#include <stdio.h>
#include <string.h>

#define SEEN_EVERY_MS 300000 /* how far last_used_ms may be behind */

enum query { SEEN };

static const char *const sql[] = {
    [SEEN] = "UPDATE api_key SET last_used_ms = ? WHERE id = ?"
             " AND (last_used_ms IS NULL OR last_used_ms < ?)",
};
static const char look_up_head[] =
    "SELECT k.hash, a.id, k.id, k.kind = 'system', a.state = 'suspended', a.username,"
    " a.default_model, v.version, COALESCE(k.last_used_ms, 0), k.models,"
    " COALESCE(k.monthly_limit, 0), COALESCE(m.spent, 0)"
    " FROM api_key k JOIN account a ON a.id = k.account_id"
    " JOIN catalogue_version v ON v.id = 1"
    " LEFT JOIN key_month m ON m.key_id = k.id AND m.month = ?"
    " WHERE k.revoked_ms IS NULL AND (k.expires_ms IS NULL OR k.expires_ms > ?)"
    " AND k.hash IN (";

#define FIXED 2 /* places before the list: the month, the time */

/* A 401 that trying again does not mend. */
static int
refuse(struct mg_err *err, const char *text)
{
    mg_err_set(err, 401, "invalid_api_key", "%s", text);
    err->no_retry = true;
    return 0;
}

/* Remembers that the key is in use. One write in five minutes, not one a request; a failure
 * here is no reason to refuse anybody. */
static void
mark_seen(struct mg_db *db, uint64_t key_id, int64_t now)
{
    const struct mg_db_value values[] = {mg_db_i64(now), mg_db_u64(key_id),
                                         mg_db_i64(now - SEEN_EVERY_MS)};
    struct mg_err err = MG_ERR_INIT;
    if (mg_db_exec(db, sql[SEEN], values, 3, &err) != 0)
        mg_warn("last use of key %llu not noted: %s", (unsigned long long)key_id, err.detail);
    mg_err_free(&err);
}

static const char unknown[] =
    "The API key is not valid here: it is unknown, revoked, expired or belongs to another "
    "service. Copy the System Key or an active User API Key from the dashboard.";

/* Answers what needs no query: no key at all, or one that cannot be ours. */
static void
begin(struct mg_principal_look *look)
{
    look->asked = false;
    if (look->secret == NULL || *look->secret == '\0') {
        look->found = refuse(look->err,
                             "No API key was sent. Send the System Key or a User API Key in the "
                             "header `Authorization: Bearer <key>` or `x-api-key: <key>`.");
    } else if (!mg_key_well_formed(look->secret)) {
        look->found = refuse(look->err, unknown);
    } else {
        mg_key_hash(look->secret, look->hash);
        look->asked = true;
        look->found = 0;
    }
}

/* The current row, given to everybody who asked for its key. */
static void
take_row(struct mg_db *db, struct mg_principal_look *const *looks, size_t count, int64_t *seen)
{
    struct mg_principal who = {
        .account_id = mg_db_get_u64(db, 1),
        .key_id = mg_db_get_u64(db, 2),
        .system_key = mg_db_get_i64(db, 3) != 0,
        .suspended = mg_db_get_i64(db, 4) != 0,
        .catalogue = mg_db_get_u64(db, 7),
        .monthly_limit = mg_db_get_i64(db, 10),
        .spent_month = mg_db_get_i64(db, 11),
    };
    size_t n;
    snprintf(who.username, sizeof(who.username), "%s", mg_db_get_bytes(db, 5, NULL));
    snprintf(who.default_model, sizeof(who.default_model), "%s", mg_db_get_bytes(db, 6, NULL));
    snprintf(who.models, sizeof(who.models), "%s", mg_db_get_bytes(db, 9, NULL));
    const char *hash = mg_db_get_bytes(db, 0, &n);
    for (size_t i = 0; i < count; i++) {
        if (!looks[i]->asked || n != MG_SHA256_BYTES || memcmp(looks[i]->hash, hash, n) != 0)
            continue;
        *looks[i]->who = who;
        looks[i]->found = 1;
        seen[i] = mg_db_get_i64(db, 8);
    }
}

static int
ask(struct mg_db *db, struct mg_principal_look *const *looks, size_t count, int64_t now,
    int64_t *seen, struct mg_err *err)
{
    struct mg_db_value values[FIXED + MG_PRINCIPAL_LOOKS] = {mg_db_i64(mg_utc_month(now)),
                                                             mg_db_i64(now)};
    size_t n = 0, length;
    for (size_t i = 0; i < count; i++)
        if (looks[i]->asked)
            values[FIXED + n++] = mg_db_bytes(looks[i]->hash, MG_SHA256_BYTES);
    if (n == 0)
        return 0;
    for (length = mg_list_round(n); n < length; n++)
        values[FIXED + n] = values[FIXED];
    struct mg_str text;
    mg_str_init(&text, 4096);
    int more = mg_db_query(db, mg_list_sql(&text, look_up_head, "?", length, ")"), values,
                           FIXED + length, err);
    mg_str_free(&text);
    if (more != 0)
        return -1;
    while ((more = mg_db_next(db, err)) == 1)
        take_row(db, looks, count, seen);
    return more;
}

void
mg_principal_of_keys(struct mg_db *db, struct mg_principal_look *const *looks, size_t count)
{
    int64_t now = mg_now_ms(), seen[MG_PRINCIPAL_LOOKS];
    struct mg_err err = MG_ERR_INIT;
    for (size_t i = 0; i < count; i++) {
        begin(looks[i]);
        seen[i] = now;
    }
    int rc = ask(db, looks, count, now, seen, &err);
    for (size_t i = 0; i < count; i++) {
        struct mg_principal_look *look = looks[i];
        if (!look->asked)
            continue;
        if (rc != 0) {
            look->found = mg_err_set(look->err, err.status, err.code, "%s", err.message);
            look->err->retry_after_s = err.retry_after_s;
            mg_err_detail(look->err, "%s", err.detail);
        } else if (look->found == 0) {
            refuse(look->err, unknown);
        } else if (seen[i] < now - SEEN_EVERY_MS) {
            mark_seen(db, look->who->key_id, now);
        }
    }
    mg_err_free(&err);
}

int
mg_principal_of_key(struct mg_db *db, const char *secret, struct mg_principal *who,
                    struct mg_err *err)
{
    struct mg_principal_look look = {.secret = secret, .who = who, .err = err};
    struct mg_principal_look *const looks[] = {&look};
    mg_principal_of_keys(db, looks, 1);
    return look.found;
}
