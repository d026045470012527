/* Keys, accounts and principals against a real database. */
#include "base/clock.h"
#include "identity/account.h"
#include "identity/allowance.h"
#include "identity/key.h"
#include "identity/keyring.h"
#include "scratch.h"
#include "tap.h"

#include <pthread.h>

static struct scratch scratch;
static struct mg_db *db;
static const struct mg_vault vault = {.key = "0123456789abcdef0123456789abcde", .mark = "mark"};

static void
test_key_form(void)
{
    char secret[MG_KEY_SIZE], other[MG_KEY_SIZE];
    bool accepted = true, unlike = true, refused = true;
    for (int i = 0; i < 1000; i++) {
        mg_key_make(secret);
        accepted = accepted && mg_key_well_formed(secret) && strlen(secret) == MG_KEY_SIZE - 1;
    }
    ok(accepted, "every key that is made is well-formed");
    mg_key_make(other);
    ok(strcmp(secret, other) != 0, "and another one");
    for (size_t at = 0; at < MG_KEY_SIZE - 1; at++) {
        memcpy(other, secret, sizeof(other));
        other[at] = other[at] == 'x' ? 'y' : 'x';
        unlike = unlike && !mg_key_well_formed(other);
        memcpy(other, secret, sizeof(other));
        other[at] = '\0';
        refused = refused && !mg_key_well_formed(other);
    }
    ok(unlike, "one wrong character, wherever, is noticed");
    ok(refused, "a key that is cut anywhere is none");
    static const char *const foreign[] = {
        "", "sk-mg-", "sk-ant-api03-0000000000000000000000000000000000000000000",
        "sk-proj-00000000000000000000000000000000000000000000000", "Bearer x",
        "sk-mg-0000000000000000000000000000000000000000000000000",
    };
    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
        ok(!mg_key_well_formed(foreign[i]), "'%s' is no key of ours", foreign[i]);
    char longer[MG_KEY_SIZE + 1];
    snprintf(longer, sizeof(longer), "%sx", secret);
    ok(!mg_key_well_formed(longer), "nor is one with something behind it");
}

/* Every character is as likely as the others, or 43 of them would not be 256 bits. */
static void
test_key_spread(void)
{
    static int seen[256];
    char secret[MG_KEY_SIZE];
    int least = 1 << 30, most = 0, kinds = 0;
    for (int i = 0; i < 10000; i++) {
        mg_key_make(secret);
        for (size_t k = 6; k < 49; k++)
            seen[(unsigned char)secret[k]]++;
    }
    for (int c = 0; c < 256; c++) {
        kinds += seen[c] > 0;
        least = seen[c] > 0 && seen[c] < least ? seen[c] : least;
        most = seen[c] > most ? seen[c] : most;
    }
    is_int(kinds, 62, "a key is made of 62 characters");
    ok(least > 6935 * 9 / 10 && most < 6935 * 11 / 10, "each of them as likely as the others");
}

static int
no_wallet(struct mg_db *conn, uint64_t id, void *arg, struct mg_err *err)
{
    (void)conn, (void)id;
    ++*(int *)arg;
    return mg_err_set(err, 500, "x", "the wallet cannot be made");
}

static uint64_t
create(const char *username, const char *email, char secret[MG_KEY_SIZE])
{
    const struct mg_account_spec spec = {.username = username, .email = email};
    struct mg_account account;
    struct mg_err err = MG_ERR_INIT;
    if (mg_account_create(db, &vault, &spec, &account, secret, &err) != 0) {
        printf("Bail out! %s %s\n", err.message, err.detail);
        exit(1);
    }
    return account.id;
}

static void
test_create(void)
{
    char secret[MG_KEY_SIZE];
    struct mg_account a;
    struct mg_err err = MG_ERR_INIT;
    uint64_t id = create("alice", "alice@example.com", secret);
    ok(mg_key_well_formed(secret), "a new account has a System Key");
    is_int(mg_account_by_id(db, id, &a, &err), 1, "it is found by its id");
    ok(strcmp(a.username, "alice") == 0 && !a.suspended && *a.default_model == '\0' &&
           a.created_ms > mg_now_ms() - 60000,
       "and is as it was made");
    is_int(mg_account_by_name(db, "ALICE", &a, &err), 1, "by its name in any case");
    is_int(mg_account_by_name(db, "Alice@Example.COM", &a, &err), 1, "by its address");
    is_int(mg_account_by_name(db, "bob", &a, &err), 0, "another one is not");
    is_int(mg_account_by_name(db, "b\xc3\xb6" "b", &a, &err), 0, "nor a name that cannot be one");
    is_int(mg_account_by_name(db, "", &a, &err), 0, "nor none");
    is_int(mg_account_by_id(db, 999, &a, &err), 0, "nor an unknown id");

    int called = 0;
    struct mg_account_spec spec = {.username = "carol", .also = no_wallet, .arg = &called};
    is_int(mg_account_create(db, &vault, &spec, &a, secret, &err), -1,
           "an account whose wallet cannot be made is not made");
    ok(called == 1 && mg_account_by_name(db, "carol", &a, &err) == 0, "not even half");
    spec = (struct mg_account_spec){.username = "Alice"};
    is_int(mg_account_create(db, &vault, &spec, &a, secret, &err), -1, "a name twice");
    ok(err.status == 409 && strcmp(err.code, "username_taken") == 0, "is a conflict");
    spec = (struct mg_account_spec){.username = "alice2", .email = "ALICE@example.com"};
    is_int(mg_account_create(db, &vault, &spec, &a, secret, &err), -1, "an address twice");
    ok(err.status == 409 && strcmp(err.code, "email_taken") == 0, "is another one");
    spec = (struct mg_account_spec){.username = "1", .email = "x"};
    is_int(mg_account_create(db, &vault, &spec, &a, secret, &err), -1, "two wrong fields");
    ok(err.status == 422 && err.fields == 2, "are both named");
    mg_err_free(&err);
}

static void
test_change(void)
{
    char secret[MG_KEY_SIZE];
    struct mg_account a;
    struct mg_err err = MG_ERR_INIT;
    uint64_t id = create("changing", NULL, secret);
    is_int(mg_account_suspend(db, id, true, &err), 1, "an account is suspended");
    is_int(mg_account_suspend(db, id, true, &err), 1, "again is no error");
    ok(mg_account_by_id(db, id, &a, &err) == 1 && a.suspended, "it is so");
    is_int(mg_account_suspend(db, id, false, &err), 1, "and resumed");
    is_int(mg_account_suspend(db, 999, true, &err), 0, "one that is not there is not");
    is_int(mg_account_set_default_model(db, id, "vendor/model:x", &err), 1, "a default model");
    ok(mg_account_by_id(db, id, &a, &err) == 1 && strcmp(a.default_model, "vendor/model:x") == 0,
       "is kept");
    is_int(mg_account_set_default_model(db, id, "", &err), 1, "and taken away");
    is_int(mg_account_set_default_model(db, id, "a b", &err), -1, "one with a space is refused");
    is_int(err.status, 422, "as a wrong value");
    char big[200];
    memset(big, 'x', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    is_int(mg_account_set_default_model(db, id, big, &err), -1, "so is a long one");
    mg_err_free(&err);
}

static void
test_list(void)
{
    struct mg_pool *pool = mg_pool_new();
    struct mg_account *list;
    struct mg_err err = MG_ERR_INIT;
    char name[16], secret[MG_KEY_SIZE];
    size_t n;
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof(name), "many%d", i);
        create(name, NULL, secret);
    }
    is_int(mg_account_list(db, 0, 1000, pool, &list, &n, &err), 0, "accounts are listed");
    bool ordered = n >= 22;
    for (size_t i = 1; i < n; i++)
        ordered = ordered && list[i - 1].id < list[i].id;
    ok(ordered, "all of them, in the order of their ids");
    uint64_t third = list[2].id;
    is_int(mg_account_list(db, third, 5, pool, &list, &n, &err), 0, "a page");
    ok(n == 5 && list[0].id > third, "has its size and begins behind the one before");
    is_int(mg_account_list(db, UINT64_MAX, 5, pool, &list, &n, &err), 0, "behind the end");
    is_int((long long)n, 0, "there is none");
    mg_pool_free(&pool);
}

static int
make_key(struct mg_db *on, uint64_t account, const char *name, int64_t expires_ms,
         struct mg_key *key, char secret[MG_KEY_SIZE], struct mg_err *err)
{
    struct mg_key_options options = {.expires_ms = expires_ms};
    if (mg_keyring_name(&options, name, err) != 0)
        return -1;
    return mg_keyring_create(on, account, &options, key, secret, err);
}

static int
who_is(const char *secret, struct mg_principal *who, struct mg_err *err)
{
    mg_err_free(err);
    return mg_principal_of_key(db, secret, who, err);
}

static void
test_principal(void)
{
    char system_key[MG_KEY_SIZE], secret[MG_KEY_SIZE], spoilt[MG_KEY_SIZE];
    struct mg_principal who;
    struct mg_err err = MG_ERR_INIT;
    struct mg_key key;
    uint64_t id = create("caller", NULL, system_key);
    is_int(who_is(system_key, &who, &err), 1, "a System Key is known");
    ok(who.account_id == id && who.system_key && !who.suspended && who.catalogue >= 1 &&
           strcmp(who.username, "caller") == 0 && *who.default_model == '\0',
       "with its account and the version of the catalogue");
    is_int(make_key(db, id, "laptop", 0, &key, secret, &err), 0, "a User API Key");
    is_int(who_is(secret, &who, &err), 1, "is known");
    ok(who.key_id == key.id && !who.system_key && who.account_id == id, "as what it is");
    is_int(mg_account_suspend(db, id, true, &err), 1, "when the account is suspended");
    ok(who_is(secret, &who, &err) == 1 && who.suspended, "the key is known, and that too");
    is_int(mg_keyring_revoke(db, id, key.id, &err), 1, "when it is revoked");
    is_int(who_is(secret, &who, &err), 0, "the next look-up refuses it");
    ok(err.status == 401 && strcmp(err.code, "invalid_api_key") == 0 && err.no_retry,
       "with a 401 that is not to be tried again");
    char text[512];
    snprintf(text, sizeof(text), "%s", err.message);
    memcpy(spoilt, secret, sizeof(spoilt));
    spoilt[10] ^= 1;
    ok(who_is(spoilt, &who, &err) == 0 && strcmp(err.message, text) == 0,
       "a mistyped key is told the same");
    mg_key_make(spoilt);
    ok(who_is(spoilt, &who, &err) == 0 && strcmp(err.message, text) == 0, "so is an unknown one");
    ok(who_is("sk-other", &who, &err) == 0 && strcmp(err.message, text) == 0, "or a foreign one");
    ok(strstr(err.message, secret) == NULL, "no answer repeats a key");
    is_int(who_is(NULL, &who, &err), 0, "no key is refused");
    ok(strcmp(err.code, "invalid_api_key") == 0 && strstr(err.message, "Authorization: Bearer"),
       "with the same code and a text that says how to send one");
    is_int(who_is("", &who, &err), 0, "so is an empty one");
    is_int(make_key(db, id, "short", mg_now_ms() + 60000, &key, secret, &err), 0,
           "a key that ends");
    is_int(who_is(secret, &who, &err), 1, "is known before");
    scratch_sql(&scratch, "USE scratch; UPDATE api_key SET expires_ms = 1 WHERE name = 'short'");
    is_int(who_is(secret, &who, &err), 0, "and refused after");
    mg_err_free(&err);
}

static void
test_last_use(void)
{
    char secret[MG_KEY_SIZE];
    struct mg_principal who;
    struct mg_err err = MG_ERR_INIT;
    create("seen", NULL, secret);
    static const char used[] = "SELECT COALESCE(MAX(last_used_ms), 0) FROM api_key k"
                               " JOIN account a ON a.id = k.account_id WHERE username = 'seen'";
    is_int(scratch_number(&scratch, used), 0, "a new key was never used");
    int64_t before = mg_now_ms();
    who_is(secret, &who, &err);
    int64_t first = scratch_number(&scratch, used);
    ok(first >= before, "its first use is noted");
    who_is(secret, &who, &err);
    is_int(scratch_number(&scratch, used), first, "the next one is not written at once");
    scratch_sql(&scratch, "USE scratch; UPDATE api_key SET last_used_ms = last_used_ms - 400000");
    who_is(secret, &who, &err);
    ok(scratch_number(&scratch, used) >= first, "but after some minutes");
}

static void
test_system_key(void)
{
    char secret[MG_KEY_SIZE], shown[MG_KEY_SIZE], rotated[MG_KEY_SIZE];
    static const struct mg_vault other = {.key = "another key of thirty-two bytes", .mark = "othr"};
    struct mg_principal who;
    struct mg_err err = MG_ERR_INIT;
    uint64_t id = create("owner", NULL, secret);
    is_int(mg_key_reveal_system(db, &vault, id, shown, &err), 1, "the System Key can be read");
    is_str(shown, secret, "and is the right one");
    is_int(mg_key_reveal_system(db, &vault, 999, shown, &err), 0, "nobody has none");
    is_int(mg_key_reveal_system(db, &other, id, shown, &err), -1, "another master key opens none");
    is_int(mg_key_rotate_system(db, &vault, id, rotated, &err), 1, "it is rotated");
    is_int(who_is(secret, &who, &err), 0, "the old one is refused at once");
    is_int(who_is(rotated, &who, &err), 1, "the new one is known");
    is_int(mg_key_rotate_system(db, &vault, 999, rotated, &err), 0, "nobody's is not rotated");
    is_int(mg_keyring_revoke(db, id, who.key_id, &err), 0, "a System Key cannot be revoked");
    is_int(scratch_number(&scratch, "SELECT COUNT(*) FROM api_key WHERE revoked_ms IS NOT NULL"
                                    " AND sealed IS NOT NULL"),
           0, "a retired key leaves no secret behind");
    mg_err_free(&err);
}

static void
test_keys(void)
{
    char secret[MG_KEY_SIZE];
    struct mg_pool *pool = mg_pool_new();
    struct mg_key key, *list;
    struct mg_err err = MG_ERR_INIT;
    size_t n;
    uint64_t id = create("keys", NULL, secret), other = create("keys2", NULL, secret);
    is_int(make_key(db, id, "caf\xc3\xa9", 5000000000000, &key, secret, &err), 0,
           "a key has a name and an end");
    is_int(mg_keyring_list(db, id, pool, &list, &n, &err), 0, "keys are listed");
    ok(n == 2 && list[0].system && !list[1].system && list[1].id == key.id &&
           strcmp(list[1].options.name, "caf\xc3\xa9") == 0 &&
           list[1].options.expires_ms == 5000000000000 &&
           strcmp(list[1].last4, secret + MG_KEY_SIZE - 5) == 0 && list[1].revoked_ms == 0,
       "the System Key first, each as it was made");
    is_int(mg_keyring_revoke(db, other, key.id, &err), 0, "another account cannot revoke it");
    is_int(mg_keyring_revoke(db, id, key.id, &err), 1, "its own can");
    is_int(mg_keyring_revoke(db, id, key.id, &err), 1, "twice");
    is_int(make_key(db, id, "", 0, &key, secret, &err), -1, "a key needs a name");
    is_int(make_key(db, id, "a\x1b[2J", 0, &key, secret, &err), -1, "without controls");
    is_int(make_key(db, id, "\xff", 0, &key, secret, &err), -1, "in UTF-8");
    is_int(err.status, 422, "or it is a wrong value");
    is_int(make_key(db, 999, "x", 0, &key, secret, &err), -1, "nobody gets none");
    is_int(err.status, 404, "because there is no such account");
    mg_err_free(&err);
    mg_pool_free(&pool);
}

static void
test_allowance(void)
{
    struct mg_principal who = {.models = ""};
    struct mg_err err = MG_ERR_INIT;
    char small[8] = "";
    int64_t november = 1795164237999;
    ok(mg_allowance_has("", "gpt-5"), "an empty list allows every model");
    ok(mg_allowance_has("a gpt-5 b", "gpt-5") && mg_allowance_has("gpt-5", "gpt-5") &&
           mg_allowance_has("a gpt-5", "gpt-5"),
       "another one what it holds");
    ok(!mg_allowance_has("gpt-5-mini", "gpt-5") && !mg_allowance_has("gpt-5", "gpt-5-mini") &&
           !mg_allowance_has("a b", "a b") && !mg_allowance_has("a", ""),
       "and nothing else");
    ok(mg_allowance_add(small, sizeof(small), "abc") == 0 &&
           mg_allowance_add(small, sizeof(small), "abc") == 0 &&
           mg_allowance_add(small, sizeof(small), "def") == 0 && strcmp(small, "abc def") == 0,
       "ids are added once, to the last byte");
    ok(mg_allowance_add(small, sizeof(small), "g") != 0 && strcmp(small, "abc def") == 0,
       "and not past it");
    *small = '\0';
    ok(mg_allowance_add(small, sizeof(small), "a b") != 0 &&
           mg_allowance_add(small, sizeof(small), "") != 0 &&
           mg_allowance_add(small, sizeof(small), "\xc3\xa9") != 0 && *small == '\0',
       "no id is empty, has a space or other bytes");
    is_int(mg_allowance_check(&who, "gpt-5", november, &err), 0, "no options, no limits");
    snprintf(who.models, sizeof(who.models), "power-ai");
    is_int(mg_allowance_check(&who, "gpt-5", november, &err), -1, "a model that is not listed");
    ok(err.status == 403 && strcmp(err.code, "model_not_allowed") == 0 && err.no_retry &&
           strstr(err.message, "power-ai"),
       "is refused with 403 and what would be allowed");
    mg_err_free(&err);
    who.monthly_limit = 2500000000;
    who.spent_month = 2499999999;
    is_int(mg_allowance_check(&who, "power-ai", november, &err), 0, "below the limit");
    who.spent_month = 2500000000;
    is_int(mg_allowance_check(&who, "power-ai", november, &err), -1, "at the limit");
    ok(err.status == 402 && strcmp(err.code, "key_limit_reached") == 0 && err.no_retry &&
           strstr(err.message, "2.5 of 2.5") && strstr(err.message, "2026-12-01T00:00:00Z"),
       "402 says how much and until when");
    mg_err_free(&err);
}

static int
assign(struct mg_key_options *options, void *arg, struct mg_err *err)
{
    (void)err;
    *options = *(const struct mg_key_options *)arg;
    return 0;
}

/* A change of the limit alone, and what it saw meanwhile. */
struct limit {
    uint64_t account_id;
    char name[64];
    bool alone;
};

static int
set_limit(struct mg_key_options *options, void *arg, struct mg_err *err)
{
    struct limit *limit = arg;
    const struct mg_db_value account = mg_db_u64(limit->account_id);
    struct mg_err refused = MG_ERR_INIT;
    struct mg_db *other = mg_db_open(&scratch.conf, MG_DB_SERVICE, err);
    if (other == NULL)
        return -1;
    snprintf(limit->name, sizeof(limit->name), "%s", options->name);
    limit->alone = mg_db_query(other, "SELECT id FROM account WHERE id = ? FOR UPDATE NOWAIT",
                               &account, 1, &refused) != 0;
    mg_err_free(&refused);
    mg_db_close(&other);
    options->monthly_limit = 9;
    return 0;
}

/* Of two changes of different options at once none undoes the other. */
static void
test_edit(void)
{
    char secret[MG_KEY_SIZE];
    struct mg_key key;
    struct mg_err err = MG_ERR_INIT;
    struct mg_key_options o = {.name = "edited"};
    struct limit limit = {.account_id = create("edit", NULL, secret)};
    is_int(mg_keyring_create(db, limit.account_id, &o, &key, secret, &err), 0, "a key is made");
    scratch_sql(&scratch, "USE scratch; UPDATE api_key SET name = 'by another' WHERE name ="
                          " 'edited'");
    is_int(mg_keyring_change(db, limit.account_id, key.id, set_limit, &limit, &key, &err), 1,
           "one of its options is changed");
    is_str(limit.name, "by another", "over those that it has at that moment");
    ok(limit.alone, "while nobody else can change them");
    ok(mg_keyring_find(db, limit.account_id, key.id, &key, &err) == 1 &&
           strcmp(key.options.name, "by another") == 0 && key.options.monthly_limit == 9,
       "and the others stay as they are");
    mg_err_free(&err);
}

static void
test_options(void)
{
    char secret[MG_KEY_SIZE];
    struct mg_key key, found;
    struct mg_principal who;
    struct mg_err err = MG_ERR_INIT;
    struct mg_key_options o = {.name = "ci", .models = "power-ai gpt-5", .monthly_limit = 7};
    uint64_t id = create("options", NULL, secret), other = create("options2", NULL, secret);
    is_int(mg_keyring_create(db, id, &o, &key, secret, &err), 0, "a key with options is made");
    ok(mg_keyring_find(db, id, key.id, &found, &err) == 1 &&
           strcmp(found.options.models, o.models) == 0 && found.options.monthly_limit == 7 &&
           found.options.expires_ms == 0 && found.spent_month == 0 && found.spent_total == 0,
       "and has them");
    is_int(mg_keyring_find(db, other, key.id, &found, &err), 0, "for its own account only");
    ok(who_is(secret, &who, &err) == 1 && strcmp(who.models, o.models) == 0 &&
           who.monthly_limit == 7 && who.spent_month == 0,
       "they come with who is calling");
    const struct mg_db_value months[] = {mg_db_u64(key.id), mg_db_i64(mg_utc_month(mg_now_ms()))};
    if (mg_db_exec(db, "INSERT INTO key_month VALUES (?, ?, 5)", months, 2, &err) != 0 ||
        mg_db_exec(db, "INSERT INTO key_month VALUES (?, 202001, 11)", months, 1, &err) != 0)
        printf("# %s\n", err.detail);
    ok(mg_keyring_find(db, id, key.id, &found, &err) == 1 && found.spent_month == 5 &&
           found.spent_total == 16,
       "what it spent this month and ever is told");
    ok(who_is(secret, &who, &err) == 1 && who.spent_month == 5,
       "the look-up knows what it spent this month");
    o = (struct mg_key_options){.name = "renamed"};
    is_int(mg_keyring_change(db, id, key.id, assign, &o, &found, &err), 1, "they are taken away");
    ok(who_is(secret, &who, &err) == 1 && *who.models == '\0' && who.monthly_limit == 0,
       "from the next request on");
    is_int(mg_keyring_change(db, id, key.id, assign, &o, &found, &err), 1, "twice");
    is_int(mg_keyring_change(db, other, key.id, assign, &o, &found, &err), 0,
           "not by another account");
    o.expires_ms = 1;
    is_int(mg_keyring_change(db, id, key.id, assign, &o, &found, &err), 1, "it is made to end");
    is_int(who_is(secret, &who, &err), 0, "and is refused");
    o.expires_ms = 0;
    is_int(mg_keyring_change(db, id, key.id, assign, &o, &found, &err), 1, "it may live again");
    is_int(who_is(secret, &who, &err), 1, "and is known");
    mg_err_free(&err);
    is_int(mg_keyring_revoke(db, id, key.id, &err), 1, "once revoked");
    is_int(mg_keyring_change(db, id, key.id, assign, &o, &found, &err), -1, "it cannot be changed");
    is_str(err.code, "key_revoked", "and that is why");
    mg_err_free(&err);
    uint64_t system = (uint64_t)scratch_number(
        &scratch, "SELECT k.id FROM api_key k JOIN account a ON a.id = k.account_id"
                  " WHERE a.username = 'options' AND kind = 'system'");
    is_int(mg_keyring_change(db, id, system, assign, &o, &found, &err), 0,
           "a System Key has no options");
}

#define ROUNDS 30
static uint64_t greedy;
static pthread_barrier_t together;

static void *
take_key(void *made)
{
    struct mg_err err = MG_ERR_INIT;
    struct mg_db *own = mg_db_open(&scratch.conf, MG_DB_SERVICE, &err);
    struct mg_key key;
    char secret[MG_KEY_SIZE];
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&together); /* one key is free again */
        pthread_barrier_wait(&together);
        ((int *)made)[round] =
            own != NULL && make_key(own, greedy, "x", 0, &key, secret, &err) == 0;
    }
    mg_db_close(&own);
    mg_err_free(&err);
    return NULL;
}

/* Again and again four threads want the last key that the limit allows. */
static void
test_limit(void)
{
    char secret[MG_KEY_SIZE];
    pthread_t threads[4];
    int made[4][ROUNDS], winners = 0;
    struct mg_err err = MG_ERR_INIT;
    struct mg_key key;
    greedy = create("greedy", NULL, secret);
    for (int i = 0; i < MG_KEYS_PER_ACCOUNT; i++)
        if (make_key(db, greedy, "x", 0, &key, secret, &err) != 0)
            break;
    is_int(make_key(db, greedy, "x", 0, &key, secret, &err), -1,
           "one key more than the limit is refused");
    is_str(err.code, "too_many_keys", "and told why");
    pthread_barrier_init(&together, NULL, 5);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, take_key, made[i]);
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&together);
        scratch_sql(&scratch, "USE scratch; UPDATE api_key SET revoked_ms = 1 WHERE id ="
                              " (SELECT MAX(id) FROM api_key WHERE revoked_ms IS NULL)");
        pthread_barrier_wait(&together);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        for (int round = 0; round < ROUNDS; round++)
            winners += made[i][round];
    }
    is_int(winners, ROUNDS, "of four at once only one gets the last key");
    pthread_barrier_destroy(&together);
    mg_err_free(&err);
}

int
main(void)
{
    struct mg_err err = MG_ERR_INIT;
    plan(0);
    test_key_form();
    test_key_spread();
    scratch_start(&scratch);
    scratch_identity_tables(&scratch);
    db = mg_db_open(&scratch.conf, MG_DB_SERVICE, &err);
    if (db == NULL) {
        printf("Bail out! %s\n", err.detail);
        return 1;
    }
    test_create();
    test_change();
    test_list();
    test_principal();
    test_last_use();
    test_system_key();
    test_keys();
    test_allowance();
    test_options();
    test_edit();
    test_limit();
    mg_db_close(&db);
    scratch_stop(&scratch);
    return done();
}
