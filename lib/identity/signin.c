#include "identity/signin.h"

#include <stdio.h>
#include <string.h>

#define CANDIDATES 2 /* an address may be one account's own and stated by another */

enum query { BY_ID, BY_USERNAME, BY_EMAIL, BY_PENDING, SET };

static const char *const sql[] = {
    [BY_ID] = "SELECT id, password FROM account WHERE id = ?",
    [BY_USERNAME] = "SELECT id, password FROM account WHERE username = ?",
    [BY_EMAIL] = "SELECT id, password FROM account WHERE email = ?",
    [BY_PENDING] = "SELECT id, password FROM account WHERE pending_email = ? AND email IS NULL"
                   " ORDER BY id DESC LIMIT 1",
    [SET] = "UPDATE account SET password = ? WHERE id = ?",
};

/* Somebody whose password it could be; `hash` is "" when there is nobody. */
struct candidate {
    uint64_t id;
    char hash[MG_PASSWORD_HASH];
};

static int
read_candidate(struct mg_db *db, enum query query, struct mg_db_value value, struct candidate *c,
               struct mg_err *err)
{
    *c = (struct candidate){0};
    if (mg_db_query(db, sql[query], &value, 1, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1) {
        c->id = mg_db_get_u64(db, 0);
        snprintf(c->hash, sizeof(c->hash), "%s", mg_db_get_bytes(db, 1, NULL));
    }
    mg_db_done(db);
    return found < 0 ? -1 : 0;
}

/* Who could be meant. *count depends on the form of the name alone. */
static int
read_candidates(struct mg_db_pool *pool, const char *name, struct candidate c[CANDIDATES],
                size_t *count, struct mg_err *err)
{
    struct mg_err bad = MG_ERR_INIT;
    bool email = strchr(name, '@') != NULL;
    int fits = email ? mg_account_check_email(name, &bad) : mg_account_check_username(name, &bad);
    mg_err_free(&bad);
    c[0] = c[1] = (struct candidate){0};
    *count = email ? 2 : 1;
    if (fits != 0) /* other alphabets would make the server compare row by row */
        return 0;
    struct mg_db *db = mg_db_pool_get(pool, err);
    if (db == NULL)
        return -1;
    int rc = read_candidate(db, email ? BY_EMAIL : BY_USERNAME, mg_db_text(name), &c[0], err);
    if (rc == 0 && email)
        rc = read_candidate(db, BY_PENDING, mg_db_text(name), &c[1], err);
    mg_db_pool_put(pool, db);
    return rc;
}

/* Compares with all of them, whatever the first one says. The index that matched, or -1; `again`
 * receives a hash of today when that one's is old, else "". */
static int
compare(struct mg_hasher *hasher, const struct candidate *c, size_t count, const char *password,
        char again[MG_PASSWORD_HASH])
{
    int match = -1;
    *again = '\0';
    for (size_t i = 0; i < count; i++) {
        const char *hash = c[i].hash[0] != '\0' ? c[i].hash : NULL;
        if (mg_hasher_matches(hasher, hash, password) && match < 0)
            match = (int)i;
    }
    if (match >= 0 && mg_hasher_is_old(hasher, c[match].hash))
        mg_hasher_hash(hasher, password, again);
    return match;
}

static int
refuse(struct mg_err *err)
{
    mg_err_set(err, 401, "invalid_credentials", "Name or password is wrong.");
    err->no_retry = true;
    return 0;
}

/* Reads the account whose password was right. Its hash is renewed on the way, if need be. */
static int
admit(struct mg_db_pool *pool, uint64_t id, const char *again, struct mg_account *account,
      struct mg_err *err)
{
    struct mg_db *db = mg_db_pool_get(pool, err);
    if (db == NULL)
        return -1;
    int found = mg_account_by_id(db, id, account, err);
    if (found == 1 && *again != '\0' && mg_signin_set(db, id, again, err) < 0)
        found = -1;
    mg_db_pool_put(pool, db);
    return found;
}

int
mg_signin_try(struct mg_db_pool *pool, struct mg_hasher *hasher, const char *name,
              const char *password, struct mg_account *account, struct mg_err *err)
{
    struct candidate c[CANDIDATES];
    char again[MG_PASSWORD_HASH];
    size_t count;
    if (read_candidates(pool, name, c, &count, err) != 0 || mg_hasher_enter(hasher, err) != 0)
        return -1;
    int match = compare(hasher, c, count, password, again);
    mg_hasher_leave(hasher);
    if (match < 0)
        return refuse(err);
    int found = admit(pool, c[match].id, again, account, err);
    return found != 0 ? found : refuse(err);
}

int
mg_signin_confirm(struct mg_db_pool *pool, struct mg_hasher *hasher, uint64_t account_id,
                  const char *password, struct mg_err *err)
{
    struct candidate c;
    char again[MG_PASSWORD_HASH];
    struct mg_db *db = mg_db_pool_get(pool, err);
    if (db == NULL)
        return -1;
    int rc = read_candidate(db, BY_ID, mg_db_u64(account_id), &c, err);
    mg_db_pool_put(pool, db);
    if (rc != 0 || mg_hasher_enter(hasher, err) != 0)
        return -1;
    int match = compare(hasher, &c, 1, password, again);
    mg_hasher_leave(hasher);
    if (match == 0)
        return 1;
    mg_err_set(err, 401, "invalid_credentials", "The password is wrong.");
    err->no_retry = true;
    return 0;
}

int
mg_signin_set(struct mg_db *db, uint64_t account_id, const char *hash, struct mg_err *err)
{
    const struct mg_db_value values[] = {mg_db_text(hash), mg_db_u64(account_id)};
    if (mg_db_exec(db, sql[SET], values, 2, err) != 0)
        return -1;
    return mg_db_affected(db) > 0;
}
