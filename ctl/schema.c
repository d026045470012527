/* mgctl migrate, config, audit: the house itself. */
#include "base/money.h"
#include "ctl/command.h"
#include "ctl/migrate.h"
#include "ctl/sheet.h"
#include "ctl/who.h"
#include "ledger/audit.h"
#include "payment/audit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct mg_option migrate_options[] = {
    {"sql-dir", "DIR", "folder of the migrations (default: " MG_PKGDATADIR "/sql)", false},
    {0},
};

static int
migrate(struct mg_ctl *ctl)
{
    static const struct mg_column columns[] = {{"migration", "MIGRATION"}, {"state", "STATE"}};
    const char *dir = mg_ctl_option(ctl, "sql-dir");
    struct mg_migration *list;
    struct mg_sheet t;
    size_t count;
    int hosts;
    dir = dir != NULL ? dir : MG_PKGDATADIR "/sql";
    if (mg_migrate_run(ctl, dir, &list, &count) != 0)
        return -1;
    mg_sheet_init(&t, ctl, columns, 2);
    for (size_t i = 0; i < count; i++) {
        mg_sheet_text(&t, list[i].name);
        mg_sheet_text(&t, list[i].state);
        if (strcmp(list[i].state, "changed") == 0)
            fprintf(stderr, "mgctl: %s is not the file that was applied here; a released "
                            "migration never changes\n", list[i].name);
    }
    mg_sheet_print(&t);
    if (mg_migrate_grant(ctl, dir, &hosts) != 0)
        return -1;
    if (hosts > 0)
        mg_ctl_say(ctl, "granted: %s has its rights (%d host%s)", ctl->conf.db_user, hosts,
                   hosts == 1 ? "" : "s");
    else
        mg_ctl_say(ctl, "no grants: the service uses the schema owner's account (set db_admin_user "
                        "to keep them apart)");
    return 0;
}

static void
add_setting(void *arg, const char *name, const char *value, const char *preset, const char *help)
{
    struct mg_sheet *t = arg;
    mg_sheet_text(t, name);
    mg_sheet_text(t, value);
    mg_sheet_text(t, preset);
    mg_sheet_text(t, help);
}

static int
config(struct mg_ctl *ctl)
{
    static const struct mg_column columns[] = {
        {"name", ""}, {"value", ""}, {"default", ""}, {"help", ""}};
    struct mg_sheet t;
    if (!ctl->json) {
        printf("# read from: %s, then the environment (MG_<NAME>)\n\n",
               ctl->config ? ctl->config : "no file");
        mg_conf_print(&ctl->conf, stdout);
        return 0;
    }
    mg_sheet_init(&t, ctl, columns, 4);
    mg_conf_each(&ctl->conf, add_setting, &t);
    return mg_sheet_print(&t);
}

static const struct mg_option audit_options[] = {
    {"watch", "SECONDS", "audit again and again, until something is wrong", false},
    {0},
};

static void
add_finding(void *arg, const struct mg_audit_finding *f)
{
    struct mg_sheet *t = arg;
    mg_sheet_int(t, (int64_t)f->wallet_id);
    mg_sheet_int(t, (int64_t)f->seq);
    mg_sheet_text(t, f->what);
    mg_sheet_int(t, f->expected);
    mg_sheet_int(t, f->found);
}

static void
summary(const struct mg_ctl *ctl, const struct mg_audit_result *r, uint64_t orders)
{
    static const struct mg_column columns[] = {
        {"wallets", ""}, {"rows", ""}, {"lots", ""}, {"holds", ""},
        {"orders", ""}, {"balance", ""}, {"held", ""}, {"findings", ""}};
    char balance[MG_MONEY_SIZE], held[MG_MONEY_SIZE];
    struct mg_sheet t;
    mg_ctl_say(ctl, "%s: %llu wallets, %llu ledger rows, %llu lots, %llu holds, %llu orders; "
                    "balance %s, held %s",
               r->findings == 0 ? "the books are right" : "THE BOOKS ARE WRONG",
               (unsigned long long)r->wallets, (unsigned long long)r->rows,
               (unsigned long long)r->lots, (unsigned long long)r->holds,
               (unsigned long long)orders,
               mg_money_text(r->balance, balance), mg_money_text(r->held, held));
    if (!ctl->json || r->findings > 0)
        return;
    mg_sheet_init(&t, ctl, columns, 8);
    mg_sheet_int(&t, (int64_t)r->wallets);
    mg_sheet_int(&t, (int64_t)r->rows);
    mg_sheet_int(&t, (int64_t)r->lots);
    mg_sheet_int(&t, (int64_t)r->holds);
    mg_sheet_int(&t, (int64_t)orders);
    mg_sheet_money(&t, r->balance);
    mg_sheet_money(&t, r->held);
    mg_sheet_int(&t, 0);
    mg_sheet_print_record(&t);
}

/* One audit: 0 the books are right, 1 they are not, -1. */
static int
audit_once(struct mg_ctl *ctl, uint64_t wallet_id)
{
    static const struct mg_column columns[] = {{"wallet", "WALLET"},
                                               {"seq", "SEQ"},
                                               {"what", "WHAT"},
                                               {"expected", "EXPECTED"},
                                               {"found", "FOUND"}};
    struct mg_audit_result result;
    struct mg_sheet t;
    mg_sheet_init(&t, ctl, columns, 5);
    uint64_t orders = 0;
    if (mg_audit_run(ctl->db, wallet_id, add_finding, &t, &result, &ctl->err) != 0 ||
        mg_payment_audit(ctl->db, wallet_id, add_finding, &t, &orders, &result.findings,
                         &ctl->err) != 0)
        return -1;
    if (result.findings > 0)
        mg_sheet_print(&t);
    summary(ctl, &result, orders);
    fflush(stdout);
    return result.findings > 0 ? MG_CTL_FAILED : 0;
}

static int
audit(struct mg_ctl *ctl)
{
    struct mg_account account = {0};
    int64_t seconds = 0;
    if (mg_ctl_number(ctl, "watch", &seconds) != 0)
        return MG_CTL_USAGE;
    if (ctl->operands > 0 && mg_who_find(ctl, ctl->operand[0], &account) != 0)
        return -1;
    int status = audit_once(ctl, account.id);
    while (status == 0 && seconds > 0) {
        sleep((unsigned)(seconds < 86400 ? seconds : 86400));
        status = audit_once(ctl, account.id);
    }
    return status;
}

const struct mg_command mg_schema_commands[] = {
    {"migrate", NULL, "", 0, 0, MG_NEEDS_DB, migrate, NULL, migrate_options,
     "make or bring up to date the tables and the rights of the service's user",
     "Runs every migration that this database has not seen, then grants.sql. It may be run at\n"
     "any time and again. The database is made when it does not exist; the user of the\n"
     "service (db_user) has to exist when db_admin_user is another one."},
    {"config", NULL, "", 0, 0, MG_NEEDS_CONF, config, NULL, NULL,
     "print every setting with its value, default and meaning",
     "The output is a configuration file. Each setting may be overridden by MG_<NAME> in the\n"
     "environment; secrets are in files of their own and are not printed."},
    {"audit", NULL, "[ACCOUNT]", 0, 1, MG_NEEDS_DB, audit, NULL, audit_options,
     "prove that the books are right",
     "Checks every wallet (or one account's) against its ledger, lots and holds, and its top-ups\n"
     "against the ledger, each in one consistent view, also while requests run. Exit status 1\n"
     "when something is wrong."},
    {0},
};
