/* mg-account: the handlers of its route table (fcgi/account.c), by topic, one file each, and
 * what they share. A handler reads the request, calls into one room and replies. */
#ifndef MG_FCGI_ACCOUNT_H
#define MG_FCGI_ACCOUNT_H

#include "http/reply.h"
#include "ledger/usage.h"
#include "service/account_json.h"
#include "service/service.h"

#define ACCOUNT_REPLY_MAX ((size_t)4 << 20) /* bytes of a JSON reply */

/* Sends the JSON text with status 200 and frees it. Returns 0, what a handler returns. */
int account_reply(struct mg_request *req, struct mg_str *out) __attribute__((nonnull));
/* A time in the query under `name`, RFC 3339 or epoch seconds; *ms stays when it is absent. 0, or
 * -1 with a 422 field added to err. */
int account_query_time(struct mg_request *req, const char *name, int64_t *ms, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Which ledger rows the query asks for. */
struct account_usage_query {
    struct mg_usage_filter filter;
    int64_t limit, before, key;
    uint8_t request_id[MG_ID_BYTES];
};
/* Reads it: limit, before, from, to, model, api_key_id, request_id. 0, or -1 with 422 fields added
 * to err. */
int account_usage_query(struct mg_request *req, struct account_usage_query *q, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Reads what there is to say about a wallet. 0 or -1. */
int account_wallet(struct mg_db *db, uint64_t id, struct mg_wallet_view *view, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* The id that requests without a model get: the account's choice, or the managed alias. */
const char *account_model(const struct mg_app *app, const char *chosen) __attribute__((nonnull));

/* account_health.c */
mg_handler show_health;
/* account_keys.c */
mg_handler list_keys, create_key, change_key, delete_key;
/* account_me.c */
mg_handler show_me, show_overview;
/* account_model.c */
mg_handler list_models, show_model, put_model;
/* account_setup.c */
mg_handler show_setup, make_setup_command, fetch_setup;
/* account_totals.c */
mg_handler show_summary, show_totals;
/* account_wallet.c */
mg_handler show_wallet;
/* account_benefit.c */
mg_handler show_vip, show_checkin, check_in, show_alerts, put_alerts;
/* account_usage.c */
mg_handler list_usage;
/* account_topup.c */
mg_handler show_topup_options, quote_topup, start_checkout, list_orders, show_order;
/* account_webhook.c */
mg_handler take_webhook, show_sandbox, act_sandbox;
/* account_ledger.c */
mg_handler list_ledger, export_ledger, export_usage;

#endif
