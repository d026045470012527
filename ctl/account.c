/* mgctl account: customers, their state and their credit. */
#include "base/clock.h"
#include "base/money.h"
#include "ctl/command.h"
#include "ctl/sheet.h"
#include "ctl/signin.h"
#include "ctl/who.h"
#include "ledger/grant.h"
#include "ledger/usage.h"
#include "ledger/vip.h"
#include "ledger/wallet.h"
#include "ledger/window.h"

#include <stdio.h>
#include <string.h>

#define CREDIT_PLACES 9 /* nano-credits */
#define LOTS_MOST 1000
#define LIST_MOST 1000

static const struct mg_option create_options[] = {
    {"email", "ADDRESS", "for sign-in and mail", false},
    {"credit", "N", "credit to begin with", false},
    {"password-file", "FILE", "password of its dashboard, on the first line; - is standard input",
     false},
    {0},
};

static const struct mg_option credit_options[] = {
    {"reason", "TEXT", "shown in the customer's history", false},
    {"expires", "DATE", "when what is left of it ends: 2026-12-31 or 2026-12-31T18:00:00Z, UTC",
     false},
    {"ref", "ID", "your own name for it: given once, however often the command runs", false},
    {0},
};

static const struct mg_option list_options[] = {
    {"after", "ID", "begin behind this account id", false},
    {"limit", "N", "at most so many (default and most: 1000)", false},
    {0},
};

static const struct mg_option history_options[] = {
    {"limit", "N", "at most so many rows (default: 20, most: 500)", false},
    {"before", "SEQ", "rows before this one", false},
    {0},
};

/* Reads an amount of credit. 0, or MG_CTL_USAGE. */
static int
read_amount(const struct mg_ctl *ctl, const char *text, int64_t *nano)
{
    if (mg_money_parse(text, CREDIT_PLACES, nano) == 0 && *nano != 0)
        return 0;
    return mg_ctl_misuse(ctl, "'%s' is no amount of credit; write a decimal such as 5 or 12.50, "
                              "with at most %d places", text, CREDIT_PLACES);
}

struct opening {
    int64_t credit;
};

/* Inside the transaction that makes the account. */
static int
open_wallet(struct mg_db *db, uint64_t id, void *arg, struct mg_err *err)
{
    const struct opening *o = arg;
    struct mg_grant grant = {
        .wallet_id = id, .kind = MG_GRANT_ADJUST, .amount = o->credit, .note = "opening credit"};
    if (mg_wallet_create(db, id, err) != 0)
        return -1;
    mg_grant_ref("opening", id, grant.ref);
    return o->credit != 0 ? mg_grant_post(db, &grant, NULL, err) : 0;
}

static int
create(struct mg_ctl *ctl)
{
    static const struct mg_column columns[] = {
        {"id", "id"}, {"username", "username"}, {"email", "email"}, {"system_key", "System Key"}};
    const char *credit = mg_ctl_option(ctl, "credit");
    struct opening opening = {0};
    struct mg_account account;
    struct mg_sheet t;
    char secret[MG_KEY_SIZE], hash[MG_PASSWORD_HASH];
    if (credit != NULL && read_amount(ctl, credit, &opening.credit) != 0)
        return MG_CTL_USAGE;
    struct mg_account_spec spec = {.username = ctl->operand[0],
                                   .email = mg_ctl_option(ctl, "email"),
                                   .also = open_wallet,
                                   .arg = &opening};
    if (mg_ctl_option(ctl, "password-file") != NULL) {
        if (mg_signin_read(ctl, spec.username, spec.email, hash) != 0)
            return -1;
        spec.password = hash;
    }
    if (mg_account_create(ctl->db, &ctl->vault, &spec, &account, secret, &ctl->err) != 0)
        return -1;
    mg_sheet_init(&t, ctl, columns, 4);
    mg_sheet_int(&t, (int64_t)account.id);
    mg_sheet_text(&t, account.username);
    mg_sheet_text(&t, *account.email ? account.email : NULL);
    mg_sheet_text(&t, secret);
    return mg_sheet_print_record(&t);
}

static int
show(struct mg_ctl *ctl)
{
    static const struct mg_column columns[] = {
        {"id", "id"},
        {"username", "username"},
        {"email", "email"},
        {"email_verified", "email confirmed"},
        {"pending_email", "email to confirm"},
        {"state", "state"},
        {"default_model", "default model"},
        {"created", "created"},
        {"balance", "balance"},
        {"held", "held"},
        {"available", "available"},
        {"rows", "ledger rows"},
        {"next_expiry", "next expiry"},
        {"unlimited", "Unlimited"},
        {"connections", "connections"},
        {"vip_until", "VIP until"}};
    struct mg_account a;
    struct mg_wallet w;
    struct mg_window window;
    struct mg_vip vip;
    struct mg_sheet t;
    if (mg_who_find(ctl, ctl->operand[0], &a) != 0)
        return -1;
    int found = mg_wallet_read(ctl->db, a.id, &w, &ctl->err);
    if (found <= 0)
        return found < 0 ? -1 : mg_err_internal(&ctl->err, "account %s has no wallet", a.username);
    if (mg_window_read(ctl->db, a.id, mg_now_ms(), &window, &ctl->err) != 0 ||
        mg_vip_read(ctl->db, a.id, mg_now_ms(), &vip, &ctl->err) != 0)
        return -1;
    mg_sheet_init(&t, ctl, columns, sizeof(columns) / sizeof(columns[0]));
    mg_sheet_int(&t, (int64_t)a.id);
    mg_sheet_text(&t, a.username);
    mg_sheet_text(&t, *a.email ? a.email : NULL);
    mg_sheet_bool(&t, a.email_verified);
    mg_sheet_text(&t, *a.pending_email ? a.pending_email : NULL);
    mg_sheet_text(&t, a.suspended ? "suspended" : "active");
    mg_sheet_text(&t, *a.default_model ? a.default_model : NULL);
    mg_sheet_time(&t, a.created_ms);
    mg_sheet_money(&t, w.balance);
    mg_sheet_money(&t, w.held);
    mg_sheet_money(&t, w.available);
    mg_sheet_int(&t, (int64_t)w.seq);
    mg_sheet_time(&t, w.next_expiry_ms);
    mg_sheet_text(&t, mg_window_state_name(window.state));
    mg_sheet_int(&t, window.connections);
    mg_sheet_time(&t, vip.until_ms);
    return mg_sheet_print_record(&t);
}

static int
list(struct mg_ctl *ctl)
{
    static const struct mg_column columns[] = {{"id", "ID"},       {"username", "USERNAME"},
                                               {"email", "EMAIL"}, {"state", "STATE"},
                                               {"created", "CREATED"}};
    struct mg_account *accounts;
    struct mg_sheet t;
    size_t count;
    int64_t after = 0, limit = LIST_MOST;
    int status = mg_ctl_number(ctl, "after", &after);
    if (status == 0)
        status = mg_ctl_number(ctl, "limit", &limit);
    if (status != 0)
        return status;
    if (limit < 1 || limit > LIST_MOST)
        return mg_ctl_misuse(ctl, "--limit is from 1 to %d", LIST_MOST);
    if (mg_account_list(ctl->db, (uint64_t)after, (unsigned)limit, ctl->pool, &accounts, &count,
                        &ctl->err) != 0)
        return -1;
    mg_sheet_init(&t, ctl, columns, 5);
    for (size_t i = 0; i < count; i++) {
        mg_sheet_int(&t, (int64_t)accounts[i].id);
        mg_sheet_text(&t, accounts[i].username);
        mg_sheet_text(&t, *accounts[i].email ? accounts[i].email : NULL);
        mg_sheet_text(&t, accounts[i].suspended ? "suspended" : "active");
        mg_sheet_time(&t, accounts[i].created_ms);
    }
    return mg_sheet_print(&t);
}

/* Fills what the options say. 0, or MG_CTL_USAGE. */
static int
read_grant(const struct mg_ctl *ctl, struct mg_grant *grant)
{
    const char *expires = mg_ctl_option(ctl, "expires");
    *grant = (struct mg_grant){.kind = MG_GRANT_ADJUST, .note = mg_ctl_option(ctl, "reason")};
    if (read_amount(ctl, ctl->operand[1], &grant->amount) != 0)
        return MG_CTL_USAGE;
    if (grant->note != NULL && strlen(grant->note) >= MG_GRANT_NOTE)
        return mg_ctl_misuse(ctl, "--reason has at most %d bytes", MG_GRANT_NOTE - 1);
    if (expires == NULL)
        return 0;
    if (mg_rfc3339_parse(expires, &grant->expires_ms) != 0)
        return mg_ctl_misuse(ctl, "--expires: '%s' is no date such as 2026-12-31", expires);
    if (grant->expires_ms <= mg_now_ms())
        return mg_ctl_misuse(ctl, "--expires: %s is over already", expires);
    if (grant->amount < 0)
        return mg_ctl_misuse(ctl, "only credit that is given can expire");
    return 0;
}

static int
credit(struct mg_ctl *ctl)
{
    static const struct mg_column columns[] = {{"account", "account"}, {"amount", "amount"},
                                               {"balance", "balance"}, {"row", "ledger row"},
                                               {"applied", "applied now"}};
    const char *ref = mg_ctl_option(ctl, "ref");
    struct mg_account account;
    struct mg_grant grant;
    struct mg_granted granted;
    struct mg_sheet t;
    int status = read_grant(ctl, &grant);
    if (status != 0)
        return status;
    if (mg_who_find(ctl, ctl->operand[0], &account) != 0)
        return -1;
    grant.wallet_id = account.id;
    if (ref != NULL)
        mg_grant_ref(mg_pool_printf(ctl->pool, "operator credit %s", ref), account.id, grant.ref);
    else
        mg_id_new(grant.ref);
    if (mg_grant_apply(ctl->db, &grant, &granted, &ctl->err) != 0)
        return -1;
    mg_sheet_init(&t, ctl, columns, 5);
    mg_sheet_text(&t, account.username);
    mg_sheet_money(&t, granted.amount);
    mg_sheet_money(&t, granted.balance);
    mg_sheet_int(&t, (int64_t)granted.seq);
    mg_sheet_bool(&t, granted.applied);
    return mg_sheet_print_record(&t);
}

static int
lots(struct mg_ctl *ctl)
{
    static const struct mg_column columns[] = {{"row", "ROW"},
                                               {"kind", "KIND"},
                                               {"granted", "GRANTED"},
                                               {"remaining", "REMAINING"},
                                               {"created", "CREATED"},
                                               {"expires", "EXPIRES"}};
    struct mg_wallet_lot *found;
    struct mg_account account;
    struct mg_sheet t;
    size_t count;
    if (mg_who_find(ctl, ctl->operand[0], &account) != 0)
        return -1;
    found = mg_pool_alloc(ctl->pool, LOTS_MOST * sizeof(*found));
    if (mg_wallet_lots(ctl->db, account.id, found, LOTS_MOST, &count, &ctl->err) != 0)
        return -1;
    mg_sheet_init(&t, ctl, columns, 6);
    for (size_t i = 0; i < count; i++) {
        mg_sheet_int(&t, (int64_t)found[i].seq);
        mg_sheet_text(&t, found[i].kind);
        mg_sheet_money(&t, found[i].granted);
        mg_sheet_money(&t, found[i].remaining);
        mg_sheet_time(&t, found[i].created_ms);
        mg_sheet_time(&t, found[i].expires_ms);
    }
    return mg_sheet_print(&t);
}

static void
add_row(struct mg_sheet *t, const struct mg_usage_row *r)
{
    char request[MG_REQUEST_ID_SIZE] = "";
    bool charge = strcmp(r->kind, "charge") == 0;
    mg_sheet_int(t, (int64_t)r->seq);
    mg_sheet_time(t, r->created_ms);
    mg_sheet_text(t, r->kind);
    mg_sheet_money(t, r->amount);
    mg_sheet_money(t, r->balance_after);
    mg_sheet_text(t, charge ? r->model : NULL);
    mg_sheet_int(t, r->input + r->cache_read + r->cache_write_5m + r->cache_write_1h);
    mg_sheet_int(t, r->output);
    mg_sheet_text(t, charge ? mg_request_id(r->ref, request) : r->note);
}

static int
history(struct mg_ctl *ctl)
{
    static const struct mg_column columns[] = {{"row", "ROW"},         {"time", "TIME"},
                                               {"kind", "KIND"},       {"amount", "AMOUNT"},
                                               {"balance", "BALANCE"}, {"model", "MODEL"},
                                               {"input", "INPUT"},     {"output", "OUTPUT"},
                                               {"what", "REQUEST OR REASON"}};
    static const struct mg_usage_filter everything = {.all_kinds = true};
    struct mg_account account;
    struct mg_sheet t;
    size_t count;
    int64_t limit = 20, before = 0;
    bool more;
    int status = mg_ctl_number(ctl, "limit", &limit);
    if (status == 0)
        status = mg_ctl_number(ctl, "before", &before);
    if (status != 0)
        return status;
    if (limit < 1 || limit > MG_USAGE_PAGE)
        return mg_ctl_misuse(ctl, "--limit is from 1 to %d", MG_USAGE_PAGE);
    struct mg_usage_row *rows = mg_pool_alloc(ctl->pool, (size_t)limit * sizeof(*rows));
    if (mg_who_find(ctl, ctl->operand[0], &account) != 0 ||
        mg_usage_page(ctl->db, account.id, &everything, (uint64_t)before, rows, (size_t)limit,
                      &count, &more, &ctl->err) != 0)
        return -1;
    mg_sheet_init(&t, ctl, columns, 9);
    for (size_t i = 0; i < count; i++)
        add_row(&t, &rows[i]);
    return mg_sheet_print(&t);
}

static int
set_state(struct mg_ctl *ctl, bool suspended)
{
    struct mg_account account;
    if (mg_who_find(ctl, ctl->operand[0], &account) != 0 ||
        mg_account_suspend(ctl->db, account.id, suspended, &ctl->err) < 0)
        return -1;
    mg_ctl_say(ctl, "account %s is %s", account.username, suspended ? "suspended" : "active");
    return 0;
}

static int
suspend(struct mg_ctl *ctl)
{
    return set_state(ctl, true);
}

static int
resume(struct mg_ctl *ctl)
{
    return set_state(ctl, false);
}

const struct mg_command mg_account_commands[] = {
    {"account", "create", "USERNAME", 1, 1, MG_NEEDS_DB | MG_NEEDS_VAULT, create, NULL,
     create_options, "make an account with its wallet and print its System Key",
     "A username begins with a letter and holds letters, digits, '.', '_' and '-'. Elsewhere an\n"
     "ACCOUNT is named by its username, its mail address or its id."},
    {"account", "show", "ACCOUNT", 1, 1, MG_NEEDS_DB, show, NULL, NULL,
     "show an account and its wallet", NULL},
    {"account", "list", "", 0, 0, MG_NEEDS_DB, list, NULL, list_options, "list accounts by id",
     NULL},
    {"account", "credit", "ACCOUNT AMOUNT", 2, 2, MG_NEEDS_DB, credit, NULL, credit_options,
     "give credit, or take it with a negative amount",
     "With --ref the same command given again changes nothing, so that it may be repeated after\n"
     "a failure."},
    {"account", "lots", "ACCOUNT", 1, 1, MG_NEEDS_DB, lots, NULL, NULL,
     "list the grants of which something is left, in the order of their use", NULL},
    {"account", "history", "ACCOUNT", 1, 1, MG_NEEDS_DB, history, NULL, history_options,
     "list the ledger rows of an account, newest first", NULL},
    {"account", "suspend", "ACCOUNT", 1, 1, MG_NEEDS_DB, suspend, NULL, NULL,
     "refuse the account's coding requests from now on", NULL},
    {"account", "resume", "ACCOUNT", 1, 1, MG_NEEDS_DB, resume, NULL, NULL,
     "serve the account again", NULL},
    {0},
};
