/* mgctl order: top-ups as support sees them. */
#include "ctl/command.h"
#include "ctl/sheet.h"
#include "ctl/who.h"
#include "payment/checkout.h"
#include "payment/rate.h"

#include <stdlib.h>

#define LIST_MOST 1000

static const struct mg_option list_options[] = {
    {"account", "ACCOUNT", "only this account's", false},
    {"flagged", NULL, "only those that need a look", false},
    {"limit", "N", "at most so many, newest first (default: 50)", false},
    {0},
};

static int
list(struct mg_ctl *ctl)
{
    static const struct mg_column columns[] = {
        {"order", "ORDER"},       {"account_id", "ACCOUNT"}, {"provider", "PROVIDER"},
        {"cents", "CENTS"},       {"currency", "CURRENCY"},  {"rate", "RATE"},
        {"status", "STATUS"},     {"created", "CREATED"},    {"paid", "PAID"},
        {"problem", "PROBLEM"}};
    const char *word = mg_ctl_option(ctl, "account");
    struct mg_order_filter filter = {.flagged = mg_ctl_option(ctl, "flagged") != NULL};
    struct mg_account account;
    struct mg_order *orders;
    struct mg_sheet t;
    char id[MG_ORDER_ID_SIZE];
    size_t count;
    bool more;
    int64_t limit = 50;
    if (mg_ctl_number(ctl, "limit", &limit) != 0 || limit < 1 || limit > LIST_MOST)
        return mg_ctl_misuse(ctl, "--limit: 1 to %d", LIST_MOST);
    if (word != NULL && mg_who_find(ctl, word, &account) != 0)
        return -1;
    filter.wallet_id = word != NULL ? account.id : 0;
    if (mg_order_list(ctl->db, &filter, (size_t)limit, ctl->pool, &orders, &count, &more,
                      &ctl->err) != 0)
        return -1;
    mg_sheet_init(&t, ctl, columns, 10);
    for (size_t i = 0; i < count; i++) {
        mg_sheet_text(&t, mg_order_id(orders[i].id, id));
        mg_sheet_int(&t, (int64_t)orders[i].wallet_id);
        mg_sheet_text(&t, orders[i].provider);
        mg_sheet_int(&t, orders[i].cents);
        mg_sheet_text(&t, orders[i].currency);
        mg_sheet_int(&t, orders[i].rate);
        mg_sheet_text(&t, mg_order_status(&orders[i]));
        mg_sheet_time(&t, orders[i].created_ms);
        mg_sheet_time(&t, orders[i].paid_ms);
        mg_sheet_text(&t, orders[i].problem);
    }
    return mg_sheet_print(&t);
}

static int
find(struct mg_ctl *ctl, struct mg_order *order)
{
    const char *word = ctl->operand[0];
    uint8_t id[MG_ID_BYTES];
    if (mg_order_id_parse(word, id) != 0)
        return mg_ctl_misuse(ctl, "'%s' is no order (ord_ and 32 hexadecimal digits)", word);
    int found = mg_order_read(ctl->db, id, 0, order, &ctl->err);
    if (found == 0)
        return mg_err_set(&ctl->err, 404, "not_found", "there is no order %.40s", word);
    return found < 0 ? -1 : 0;
}

static int
print(struct mg_ctl *ctl, const struct mg_order *o)
{
    static const struct mg_column columns[] = {
        {"order", "order"},         {"account_id", "account"},
        {"provider", "provider"},   {"status", "status"},
        {"cents", "cents"},         {"currency", "currency"},
        {"rate", "rate"},           {"credit", "credit"},
        {"refunded_cents", "refunded cents"}, {"disputed_cents", "disputed cents"},
        {"clawed_back", "clawed back"}, {"session", "session"},
        {"payment", "payment"},     {"created", "created"},
        {"paid", "paid"},           {"problem", "problem"}};
    struct mg_sheet t;
    char id[MG_ORDER_ID_SIZE];
    mg_sheet_init(&t, ctl, columns, sizeof(columns) / sizeof(columns[0]));
    mg_sheet_text(&t, mg_order_id(o->id, id));
    mg_sheet_int(&t, (int64_t)o->wallet_id);
    mg_sheet_text(&t, o->provider);
    mg_sheet_text(&t, mg_order_status(o));
    mg_sheet_int(&t, o->cents);
    mg_sheet_text(&t, o->currency);
    mg_sheet_int(&t, o->rate);
    mg_sheet_money(&t, mg_rate_credit(o->cents, o->rate));
    mg_sheet_int(&t, o->refunded_cents);
    mg_sheet_int(&t, o->disputed_cents);
    mg_sheet_money(&t, o->clawed);
    mg_sheet_text(&t, o->session_id);
    mg_sheet_text(&t, o->payment_id);
    mg_sheet_time(&t, o->created_ms);
    mg_sheet_time(&t, o->paid_ms);
    mg_sheet_text(&t, o->problem);
    return mg_sheet_print_record(&t);
}

static int
show(struct mg_ctl *ctl)
{
    struct mg_order order;
    int rc = find(ctl, &order);
    return rc == 0 ? print(ctl, &order) : rc;
}

static int
check(struct mg_ctl *ctl)
{
    struct mg_payment *payment = NULL;
    struct mg_order order;
    int rc = find(ctl, &order);
    if (rc != 0)
        return rc;
    struct mg_db_pool *db = mg_db_pool_new(&ctl->conf, 1);
    rc = mg_payment_open(&ctl->conf, &ctl->vault, db, &payment, &ctl->err);
    if (rc == 0)
        rc = mg_checkout_check(payment, &order, true, ctl->pool, &ctl->err);
    mg_payment_close(&payment);
    mg_db_pool_free(&db);
    return rc == 0 ? print(ctl, &order) : -1;
}

static int
clear(struct mg_ctl *ctl)
{
    struct mg_order order;
    int rc = find(ctl, &order);
    if (rc != 0)
        return rc;
    int cleared = mg_order_clear(ctl->db, order.id, &ctl->err);
    if (cleared == 0)
        return mg_err_set(&ctl->err, 409, "not_flagged", "this order has no problem");
    return cleared < 0 ? -1 : show(ctl);
}

const struct mg_command mg_order_commands[] = {
    {"order", "list", "", 0, 0, MG_NEEDS_DB, list, NULL, list_options, "list top-ups", NULL},
    {"order", "show", "ORDER", 1, 1, MG_NEEDS_DB, show, NULL, NULL,
     "show what is known of a top-up", NULL},
    {"order", "check", "ORDER", 1, 1, MG_NEEDS_DB | MG_NEEDS_VAULT, check, NULL, NULL,
     "ask its payment provider and take in the answer",
     "Credits a payment whose event was lost, and takes back what was refunded meanwhile.\n"
     "Safe to repeat. Refunds themselves are made at the provider."},
    {"order", "clear", "ORDER", 1, 1, MG_NEEDS_DB, clear, NULL, NULL,
     "take an order off the list of those that need a look",
     "For when its problem is dealt with: a payment that was not what was ordered was given\n"
     "back at the provider, or credited by `account credit`. Moves no money. An order that is\n"
     "still to be paid counts as failed from then on; the right payment of it would still be\n"
     "credited. `order check` finds the problem again if the provider still reports it."},
    {0},
};
