/* mgctl key: the credentials of an account. */
#include "base/clock.h"
#include "base/money.h"
#include "ctl/command.h"
#include "ctl/sheet.h"
#include "ctl/who.h"
#include "identity/allowance.h"
#include "identity/keyring.h"

#include <string.h>

static const struct mg_option create_options[] = {
    {"name", "NAME", "what it is for", true},
    {"expires", "DATE", "when it ends: 2026-12-31 or 2026-12-31T18:00:00Z, UTC", false},
    {"models", "LIST", "ids that it may ask for, commas between (default: all)", false},
    {"monthly-limit", "CREDITS", "what it may spend in a UTC month (default: no limit)", false},
    {0},
};

/* A secret that is shown on purpose, once. */
static int
show_secret(struct mg_ctl *ctl, const struct mg_account *account, uint64_t key_id,
            const char *secret)
{
    static const struct mg_column columns[] = {
        {"account", "account"}, {"key", "key"}, {"secret", "secret"}};
    struct mg_sheet t;
    mg_sheet_init(&t, ctl, columns, 3);
    mg_sheet_text(&t, account->username);
    if (key_id != 0)
        mg_sheet_int(&t, (int64_t)key_id);
    else
        mg_sheet_text(&t, "system");
    mg_sheet_text(&t, secret);
    return mg_sheet_print_record(&t);
}

/* The ids of a list with commas between. */
static int
read_models(struct mg_ctl *ctl, const char *list, struct mg_key_options *options)
{
    for (const char *at = list, *end; *at != '\0'; at = *end != '\0' ? end + 1 : end) {
        end = strchrnul(at, ',');
        const char *id = mg_pool_strndup(ctl->pool, at, (size_t)(end - at));
        if (mg_allowance_add(options->models, sizeof(options->models), id) != 0)
            return mg_ctl_misuse(ctl, "--models: '%s' is no model id", id);
    }
    return 0;
}

static int
read_options(struct mg_ctl *ctl, struct mg_key_options *options)
{
    const char *expires = mg_ctl_option(ctl, "expires"), *models = mg_ctl_option(ctl, "models");
    const char *limit = mg_ctl_option(ctl, "monthly-limit");
    if (expires != NULL && mg_rfc3339_parse(expires, &options->expires_ms) != 0)
        return mg_ctl_misuse(ctl, "--expires: '%s' is no date such as 2026-12-31", expires);
    if (expires != NULL && options->expires_ms <= mg_now_ms())
        return mg_ctl_misuse(ctl, "--expires: %s is over already", expires);
    if (limit != NULL &&
        (mg_money_parse(limit, 9, &options->monthly_limit) != 0 || options->monthly_limit <= 0))
        return mg_ctl_misuse(ctl, "--monthly-limit: '%s' is no amount such as 12.50", limit);
    if (models != NULL && read_models(ctl, models, options) != 0)
        return MG_CTL_USAGE;
    return mg_keyring_name(options, mg_ctl_option(ctl, "name"), &ctl->err);
}

static int
create(struct mg_ctl *ctl)
{
    struct mg_key_options options = {0};
    struct mg_account account;
    struct mg_key key;
    char secret[MG_KEY_SIZE];
    int rc = read_options(ctl, &options);
    if (rc != 0)
        return rc;
    if (mg_who_find(ctl, ctl->operand[0], &account) != 0 ||
        mg_keyring_create(ctl->db, account.id, &options, &key, secret, &ctl->err) != 0)
        return -1;
    return show_secret(ctl, &account, key.id, secret);
}

static const char *
state_of(const struct mg_key *key, int64_t now)
{
    if (key->revoked_ms != 0)
        return "revoked";
    return key->options.expires_ms != 0 && key->options.expires_ms <= now ? "expired" : "active";
}

static int
list(struct mg_ctl *ctl)
{
    static const struct mg_column columns[] = {
        {"key", "KEY"},         {"kind", "KIND"},       {"name", "NAME"},
        {"last4", "LAST4"},     {"state", "STATE"},     {"created", "CREATED"},
        {"expires", "EXPIRES"}, {"revoked", "REVOKED"}, {"last_used", "LAST USED"},
        {"models", "MODELS"},   {"limit", "LIMIT"},     {"month", "THIS MONTH"},
        {"total", "TOTAL"}};
    struct mg_account account;
    struct mg_key *keys;
    struct mg_sheet t;
    size_t count;
    int64_t now = mg_now_ms();
    if (mg_who_find(ctl, ctl->operand[0], &account) != 0 ||
        mg_keyring_list(ctl->db, account.id, ctl->pool, &keys, &count, &ctl->err) != 0)
        return -1;
    mg_sheet_init(&t, ctl, columns, 13);
    for (size_t i = 0; i < count; i++) {
        mg_sheet_int(&t, (int64_t)keys[i].id);
        mg_sheet_text(&t, keys[i].system ? "system" : "user");
        mg_sheet_text(&t, keys[i].options.name);
        mg_sheet_text(&t, keys[i].last4);
        mg_sheet_text(&t, state_of(&keys[i], now));
        mg_sheet_time(&t, keys[i].created_ms);
        mg_sheet_time(&t, keys[i].options.expires_ms);
        mg_sheet_time(&t, keys[i].revoked_ms);
        mg_sheet_time(&t, keys[i].last_used_ms);
        mg_sheet_text(&t, *keys[i].options.models != '\0' ? keys[i].options.models : NULL);
        if (keys[i].options.monthly_limit > 0)
            mg_sheet_money(&t, keys[i].options.monthly_limit);
        else
            mg_sheet_text(&t, NULL);
        mg_sheet_money(&t, keys[i].spent_month);
        mg_sheet_money(&t, keys[i].spent_total);
    }
    return mg_sheet_print(&t);
}

static int
revoke(struct mg_ctl *ctl)
{
    const char *word = ctl->operand[1];
    struct mg_account account;
    int64_t id;
    if (mg_money_parse(word, 0, &id) != 0 || id <= 0)
        return mg_ctl_misuse(ctl, "'%s' is no key; `mgctl key list` shows their numbers", word);
    if (mg_who_find(ctl, ctl->operand[0], &account) != 0)
        return -1;
    int found = mg_keyring_revoke(ctl->db, account.id, (uint64_t)id, &ctl->err);
    if (found == 0)
        return mg_err_set(&ctl->err, 404, "not_found",
                          "account %s has no User API Key %lld (a System Key is rotated, not "
                          "revoked)", account.username, (long long)id);
    if (found > 0)
        mg_ctl_say(ctl, "key %lld of %s is revoked", (long long)id, account.username);
    return found < 0 ? -1 : 0;
}

static int
system_key(struct mg_ctl *ctl,
           int (*act)(struct mg_db *, const struct mg_vault *, uint64_t, char *, struct mg_err *))
{
    struct mg_account account;
    char secret[MG_KEY_SIZE];
    if (mg_who_find(ctl, ctl->operand[0], &account) != 0)
        return -1;
    int found = act(ctl->db, &ctl->vault, account.id, secret, &ctl->err);
    if (found == 0)
        return mg_err_set(&ctl->err, 404, "not_found", "account %s has no System Key",
                          account.username);
    return found < 0 ? -1 : show_secret(ctl, &account, 0, secret);
}

static int
show_system(struct mg_ctl *ctl)
{
    return system_key(ctl, mg_key_reveal_system);
}

static int
rotate_system(struct mg_ctl *ctl)
{
    return system_key(ctl, mg_key_rotate_system);
}

const struct mg_command mg_key_commands[] = {
    {"key", "create", "ACCOUNT", 1, 1, MG_NEEDS_DB, create, NULL, create_options,
     "make a User API Key and print it, this once", NULL},
    {"key", "list", "ACCOUNT", 1, 1, MG_NEEDS_DB, list, NULL, NULL, "list the keys of an account",
     NULL},
    {"key", "revoke", "ACCOUNT KEY", 2, 2, MG_NEEDS_DB, revoke, NULL, NULL,
     "refuse a User API Key from the next request on", NULL},
    {"key", "show-system", "ACCOUNT", 1, 1, MG_NEEDS_DB | MG_NEEDS_VAULT, show_system, NULL, NULL,
     "print the System Key", NULL},
    {"key", "rotate-system", "ACCOUNT", 1, 1, MG_NEEDS_DB | MG_NEEDS_VAULT, rotate_system, NULL,
     NULL, "replace the System Key and print the new one",
     "The old one is refused from the next request on; the customer has to copy the new one\n"
     "into every configuration that holds it."},
    {0},
};
