/* mgctl window and vip: what an account has besides credit. */
#include "base/clock.h"
#include "ctl/command.h"
#include "ctl/sheet.h"
#include "ctl/who.h"
#include "ledger/vip.h"
#include "ledger/window.h"

#include <string.h>

static const struct mg_option give_options[] = {
    {"seconds", "N", "how long it lasts once a request has started it", true},
    {0},
};
static const struct mg_option grant_options[] = {
    {"days", "N", "how many (default: the setting vip_days)", false},
    {0},
};

struct gift {
    uint64_t wallet_id;
    int64_t seconds;
    uint8_t ref[MG_ID_BYTES];
};

static int
give_step(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct gift *g = arg;
    return mg_window_give(db, g->wallet_id, MG_WINDOW_OPERATOR, g->ref, g->seconds, NULL, err);
}

static int
print_windows(struct mg_ctl *ctl, uint64_t wallet_id)
{
    static const struct mg_column columns[] = {
        {"id", "ID"},           {"source", "SOURCE"},   {"seconds", "SECONDS"},
        {"state", "STATE"},     {"given", "GIVEN"},     {"started", "STARTED"},
        {"expires", "EXPIRES"}};
    struct mg_window w;
    struct mg_sheet t;
    if (mg_window_read(ctl->db, wallet_id, mg_now_ms(), &w, &ctl->err) != 0)
        return -1;
    mg_sheet_init(&t, ctl, columns, 7);
    for (size_t i = 0; i < w.count; i++) {
        const struct mg_benefit *b = &w.benefit[i];
        mg_sheet_int(&t, (int64_t)b->seq);
        mg_sheet_text(&t, b->source);
        mg_sheet_int(&t, b->seconds);
        mg_sheet_text(&t, mg_window_state_name(b->state));
        mg_sheet_time(&t, b->given_ms);
        mg_sheet_time(&t, b->started_ms);
        mg_sheet_time(&t, b->expires_ms);
    }
    return mg_sheet_print(&t);
}

static int
give(struct mg_ctl *ctl)
{
    struct mg_account a;
    struct gift g = {.seconds = 0};
    int status = mg_ctl_number(ctl, "seconds", &g.seconds);
    if (status != 0)
        return status;
    if (g.seconds < 1 || g.seconds > MG_WINDOW_MOST_S)
        return mg_ctl_misuse(ctl, "--seconds is from 1 to %d", MG_WINDOW_MOST_S);
    if (mg_who_find(ctl, ctl->operand[0], &a) != 0)
        return -1;
    g.wallet_id = a.id;
    mg_id_new(g.ref);
    if (mg_db_txn(ctl->db, "window give", give_step, &g, &ctl->err) != 0)
        return -1;
    mg_ctl_say(ctl, "%s has %lld seconds of Unlimited more", a.username, (long long)g.seconds);
    return ctl->json ? print_windows(ctl, a.id) : MG_CTL_OK;
}

static int
list(struct mg_ctl *ctl)
{
    struct mg_account a;
    return mg_who_find(ctl, ctl->operand[0], &a) != 0 ? -1 : print_windows(ctl, a.id);
}

static int
print_vip(struct mg_ctl *ctl, const struct mg_account *a)
{
    static const struct mg_column columns[] = {
        {"username", "username"}, {"entitled", "entitled"}, {"until", "until"}};
    struct mg_vip vip;
    struct mg_sheet t;
    if (mg_vip_read(ctl->db, a->id, mg_now_ms(), &vip, &ctl->err) != 0)
        return -1;
    mg_sheet_init(&t, ctl, columns, 3);
    mg_sheet_text(&t, a->username);
    mg_sheet_bool(&t, vip.entitled);
    mg_sheet_time(&t, vip.until_ms);
    return mg_sheet_print_record(&t);
}

static int
grant_vip(struct mg_ctl *ctl)
{
    struct mg_account a;
    int64_t days = ctl->conf.vip_days;
    int status = mg_ctl_number(ctl, "days", &days);
    if (status != 0)
        return status;
    if (days < 1 || days > 3650)
        return mg_ctl_misuse(ctl, "--days is from 1 to 3650");
    if (mg_who_find(ctl, ctl->operand[0], &a) != 0 ||
        mg_vip_grant(ctl->db, a.id, days, mg_now_ms(), &ctl->err) != 0)
        return -1;
    return print_vip(ctl, &a);
}

static int
revoke_vip(struct mg_ctl *ctl)
{
    struct mg_account a;
    if (mg_who_find(ctl, ctl->operand[0], &a) != 0 ||
        mg_vip_revoke(ctl->db, a.id, mg_now_ms(), &ctl->err) != 0)
        return -1;
    return print_vip(ctl, &a);
}

const struct mg_command mg_benefit_commands[] = {
    {"window", "give", "ACCOUNT", 1, 1, MG_NEEDS_DB, give, NULL, give_options,
     "give an account a length of Unlimited",
     "It begins with the account's first billable request, when no other one runs; while it runs\n"
     "requests cost nothing, two at a time."},
    {"window", "list", "ACCOUNT", 1, 1, MG_NEEDS_DB, list, NULL, NULL,
     "list the Unlimited benefits of an account", NULL},
    {"vip", "grant", "ACCOUNT", 1, 1, MG_NEEDS_DB, grant_vip, NULL, grant_options,
     "add days of VIP access", NULL},
    {"vip", "revoke", "ACCOUNT", 1, 1, MG_NEEDS_DB, revoke_vip, NULL, NULL,
     "take all VIP access away, paid or given", NULL},
    {0},
};
