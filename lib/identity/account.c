#include "identity/account.h"

#include "base/clock.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS "SELECT id, username, COALESCE(email, pending_email), state = 'suspended'," \
                " default_model, created_ms, email IS NOT NULL AND email_verified_ms IS NOT NULL," \
                " IF(email IS NULL, NULL, pending_email) FROM account "

enum query { BY_ID, BY_USERNAME, BY_EMAIL, AFTER, INSERT, SET_STATE, SET_MODEL };

static const char *const sql[] = {
    [BY_ID] = COLUMNS "WHERE id = ?",
    [BY_USERNAME] = COLUMNS "WHERE username = ?",
    [BY_EMAIL] = COLUMNS "WHERE email = ?",
    [AFTER] = COLUMNS "WHERE id > ? ORDER BY id LIMIT ?",
    [INSERT] = "INSERT INTO account (username, email, pending_email, password, created_ms)"
               " VALUES (?, ?, ?, ?, ?)",
    [SET_STATE] = "UPDATE account SET state = ? WHERE id = ?",
    [SET_MODEL] = "UPDATE account SET default_model = ? WHERE id = ?",
};

int
mg_account_check_username(const char *username, struct mg_err *err)
{
    size_t n = strlen(username);
    if (n == 0 || n > 63)
        return mg_err_field(err, "value_error", "A username has 1 to 63 characters",
                            "body/username");
    bool good = isalpha((unsigned char)username[0]) && (unsigned char)username[0] < 0x80;
    for (const char *c = username; *c != '\0'; c++)
        good = good && (unsigned char)*c < 0x80 &&
               (isalnum((unsigned char)*c) || strchr("._-", *c) != NULL);
    if (!good)
        return mg_err_field(err, "value_error",
                            "A username begins with a letter and holds only letters, digits, "
                            "'.', '_' and '-'",
                            "body/username");
    return 0;
}

/* What stands before and behind the @ of an address: no empty labels, none of the characters
 * that would need quoting or could split a mail header. */
static bool
is_dotted(const char *p, size_t n, const char *extra)
{
    if (n == 0 || p[0] == '.' || p[n - 1] == '.')
        return false;
    for (size_t i = 0; i < n; i++) {
        bool dot = p[i] == '.';
        if (dot && p[i + 1] == '.')
            return false;
        if (!dot && !((unsigned char)p[i] < 0x80 && isalnum((unsigned char)p[i])) &&
            strchr(extra, p[i]) == NULL)
            return false;
    }
    return true;
}

int
mg_account_check_email(const char *email, struct mg_err *err)
{
    const char *at = strchr(email, '@');
    size_t n = strlen(email);
    if (n > 254 || at == NULL || at - email > 64 ||
        !is_dotted(email, (size_t)(at - email), "!#$%&'*+-/=?^_`{|}~") ||
        !is_dotted(at + 1, strlen(at + 1), "-") || strchr(at + 1, '.') == NULL)
        return mg_err_field(err, "value_error",
                            "Input should be a mail address such as name@example.com",
                            "body/email");
    return 0;
}

static void
read_account(struct mg_db *db, struct mg_account *account)
{
    account->id = mg_db_get_u64(db, 0);
    snprintf(account->username, sizeof(account->username), "%s", mg_db_get_bytes(db, 1, NULL));
    snprintf(account->email, sizeof(account->email), "%s", mg_db_get_bytes(db, 2, NULL));
    account->suspended = mg_db_get_i64(db, 3) != 0;
    snprintf(account->default_model, sizeof(account->default_model), "%s",
             mg_db_get_bytes(db, 4, NULL));
    account->created_ms = mg_db_get_i64(db, 5);
    account->email_verified = mg_db_get_i64(db, 6) != 0;
    snprintf(account->pending_email, sizeof(account->pending_email), "%s",
             mg_db_get_bytes(db, 7, NULL));
}

static int
find(struct mg_db *db, enum query query, struct mg_db_value value, struct mg_account *account,
     struct mg_err *err)
{
    if (mg_db_query(db, sql[query], &value, 1, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1)
        read_account(db, account);
    mg_db_done(db);
    return found;
}

int
mg_account_by_id(struct mg_db *db, uint64_t id, struct mg_account *account, struct mg_err *err)
{
    return find(db, BY_ID, mg_db_u64(id), account, err);
}

int
mg_account_by_name(struct mg_db *db, const char *name, struct mg_account *account,
                   struct mg_err *err)
{
    /* A text that cannot be in the table is not looked for: other alphabets would make the
     * server compare row by row. */
    struct mg_err bad = MG_ERR_INIT;
    bool email = strchr(name, '@') != NULL;
    int fits = email ? mg_account_check_email(name, &bad) : mg_account_check_username(name, &bad);
    mg_err_free(&bad);
    return fits != 0 ? 0 : find(db, email ? BY_EMAIL : BY_USERNAME, mg_db_text(name), account, err);
}

int
mg_account_list(struct mg_db *db, uint64_t after, unsigned limit, struct mg_pool *pool,
                struct mg_account **accounts, size_t *count, struct mg_err *err)
{
    const struct mg_db_value values[] = {mg_db_u64(after), mg_db_u64(limit)};
    struct mg_account *list = NULL;
    size_t n = 0;
    if (mg_db_query(db, sql[AFTER], values, 2, err) != 0)
        return -1;
    int more;
    while ((more = mg_db_next(db, err)) == 1) {
        list = mg_pool_grow(pool, list, n, sizeof(*list));
        read_account(db, &list[n++]);
    }
    mg_db_done(db);
    *count = more == 0 ? n : 0;
    *accounts = list;
    return more;
}

struct creation {
    const struct mg_vault *vault;
    const struct mg_account_spec *spec;
    struct mg_account *account;
    char *secret;
};

/* The unique keys refuse a second account of a name anyhow; asking first says which name. */
static int
check_free(struct mg_db *db, const struct mg_account_spec *spec, struct mg_account *other,
           struct mg_err *err)
{
    int found = find(db, BY_USERNAME, mg_db_text(spec->username), other, err);
    if (found == 1)
        return mg_err_param(err, 409, "username_taken", "username",
                            "The username '%s' is taken; choose another one.", spec->username);
    if (found == 0 && spec->email != NULL)
        found = find(db, BY_EMAIL, mg_db_text(spec->email), other, err);
    if (found == 1)
        return mg_err_param(err, 409, "email_taken", "email",
                            "An account with this mail address exists already.");
    return found;
}

static int
create(struct mg_db *db, void *arg, struct mg_err *err)
{
    struct creation *c = arg;
    const struct mg_account_spec *spec = c->spec;
    struct mg_account *a = c->account;
    if (check_free(db, spec, a, err) != 0)
        return -1;
    *a = (struct mg_account){.created_ms = mg_now_ms()};
    const struct mg_db_value values[] = {
        mg_db_text(spec->username), mg_db_text(spec->email), mg_db_text(spec->pending_email),
        mg_db_text(spec->password), mg_db_i64(a->created_ms)};
    if (mg_db_exec(db, sql[INSERT], values, 5, err) != 0) {
        if (mg_db_why(db) == MG_DB_DUPLICATE)
            return mg_err_param(err, 409, "username_taken", "username",
                                "The username or the mail address is taken.");
        return -1;
    }
    a->id = mg_db_insert_id(db);
    snprintf(a->username, sizeof(a->username), "%s", spec->username);
    const char *shown = spec->email != NULL ? spec->email : spec->pending_email;
    snprintf(a->email, sizeof(a->email), "%s", shown != NULL ? shown : "");
    if (mg_key_create_system(db, c->vault, a->id, c->secret, err) != 0)
        return -1;
    return spec->also != NULL ? spec->also(db, a->id, spec->arg, err) : 0;
}

int
mg_account_create(struct mg_db *db, const struct mg_vault *vault,
                  const struct mg_account_spec *spec, struct mg_account *account,
                  char secret[MG_KEY_SIZE], struct mg_err *err)
{
    struct creation c = {vault, spec, account, secret};
    int rc = mg_account_check_username(spec->username, err);
    const char *stated = spec->email != NULL ? spec->email : spec->pending_email;
    if (stated != NULL && mg_account_check_email(stated, err) != 0)
        rc = -1;
    return rc != 0 ? -1 : mg_db_txn(db, "account create", create, &c, err);
}

/* Changes one column. MariaDB does not count a row that had the value already, so a change of
 * nothing is told from an account that is not there by looking. */
static int
change(struct mg_db *db, enum query query, const char *value, uint64_t id, struct mg_err *err)
{
    const struct mg_db_value values[] = {mg_db_text(value), mg_db_u64(id)};
    struct mg_account account;
    if (mg_db_exec(db, sql[query], values, 2, err) != 0)
        return -1;
    return mg_db_affected(db) > 0 ? 1 : mg_account_by_id(db, id, &account, err);
}

int
mg_account_suspend(struct mg_db *db, uint64_t id, bool suspended, struct mg_err *err)
{
    return change(db, SET_STATE, suspended ? "suspended" : "active", id, err);
}

int
mg_account_set_default_model(struct mg_db *db, uint64_t id, const char *model,
                             struct mg_err *err)
{
    bool good = strlen(model) <= 127;
    for (const char *c = model; *c != '\0'; c++)
        good = good && *c > 0x20 && *c < 0x7f;
    if (!good)
        return mg_err_field(err, "value_error", "Input should be a model id", "body/model");
    return change(db, SET_MODEL, model, id, err);
}
