/* Health, account, default model, wallet and usage (specification part 4, Health and account): the
 * table of the routes. Their handlers stand in account_TOPIC.c. */
#include "fcgi/account.h"

#include "base/clock.h"

int
account_reply(struct mg_request *req, struct mg_str *out)
{
    mg_reply_json(req, 200, out);
    mg_str_free(out);
    return 0;
}

int
account_query_time(struct mg_request *req, const char *name, int64_t *ms, struct mg_err *err)
{
    const char *text = mg_request_query(req, name);
    if (text == NULL || mg_rfc3339_parse(text, ms) == 0)
        return 0;
    return mg_err_field(err, "datetime_parsing",
                        "Input should be a time (2026-11-20T10:00:00Z) or epoch seconds",
                        "query/%s", name);
}

static const struct mg_route routes[] = {
    {"GET", "/api/health", MG_AUTH_NONE, 0, MG_CHAT, show_health},
    {"GET", "/api/v1/me", MG_AUTH_KEY, 0, MG_CHAT, show_me},
    {"GET", "/api/me", MG_AUTH_SESSION, 0, MG_CHAT, show_overview},
    {"GET", "/api/v1/model", MG_AUTH_KEY, 0, MG_CHAT, show_model},
    {"PUT", "/api/v1/model", MG_AUTH_KEY, MG_ROUTE_SMALL_BODY, MG_CHAT, put_model},
    {"POST", "/api/model", MG_AUTH_SESSION, MG_ROUTE_SMALL_BODY, MG_CHAT, put_model},
    {"GET", "/api/models", MG_AUTH_NONE, 0, MG_CHAT, list_models},
    {"GET", "/api/setup", MG_AUTH_SESSION, 0, MG_CHAT, show_setup},
    {"POST", "/api/setup/{target}", MG_AUTH_SESSION, 0, MG_CHAT, make_setup_command},
    {"GET", "/api/setup/{target}", MG_AUTH_NONE, 0, MG_CHAT, fetch_setup},
    {"GET", "/api/keys", MG_AUTH_SESSION, 0, MG_CHAT, list_keys},
    {"POST", "/api/keys", MG_AUTH_SESSION, MG_ROUTE_SMALL_BODY, MG_CHAT, create_key},
    {"PATCH", "/api/keys/{key_id}", MG_AUTH_SESSION, MG_ROUTE_SMALL_BODY, MG_CHAT, change_key},
    {"DELETE", "/api/keys/{key_id}", MG_AUTH_SESSION, 0, MG_CHAT, delete_key},
    {"GET", "/api/v1/wallet/status", MG_AUTH_KEY, 0, MG_CHAT, show_wallet},
    {"GET", "/api/v1/billing/token-usage", MG_AUTH_KEY, 0, MG_CHAT, list_usage},
    {"GET", "/api/usage", MG_AUTH_SESSION, 0, MG_CHAT, list_usage},
    {"GET", "/api/usage/totals", MG_AUTH_SESSION, 0, MG_CHAT, show_totals},
    {"GET", "/api/summary", MG_AUTH_SESSION, 0, MG_CHAT, show_summary},
    {"POST", "/api/v1/wallet/{payment_provider}/checkout", MG_AUTH_KEY, MG_ROUTE_SMALL_BODY,
     MG_CHAT, start_checkout},
    {"POST", "/api/wallet/{payment_provider}/checkout", MG_AUTH_SESSION, MG_ROUTE_SMALL_BODY,
     MG_CHAT, start_checkout},
    {"GET", "/api/wallet", MG_AUTH_SESSION, 0, MG_CHAT, show_wallet},
    {"GET", "/api/wallet/options", MG_AUTH_SESSION, 0, MG_CHAT, show_topup_options},
    {"POST", "/api/wallet/quote", MG_AUTH_SESSION, MG_ROUTE_SMALL_BODY, MG_CHAT, quote_topup},
    {"GET", "/api/v1/vip", MG_AUTH_KEY, 0, MG_CHAT, show_vip},
    {"GET", "/api/vip", MG_AUTH_SESSION, 0, MG_CHAT, show_vip},
    {"GET", "/api/checkin", MG_AUTH_SESSION, 0, MG_CHAT, show_checkin},
    {"POST", "/api/checkin", MG_AUTH_SESSION, 0, MG_CHAT, check_in},
    {"GET", "/api/alerts", MG_AUTH_SESSION, 0, MG_CHAT, show_alerts},
    {"PUT", "/api/alerts", MG_AUTH_SESSION, MG_ROUTE_SMALL_BODY, MG_CHAT, put_alerts},
    {"GET", "/api/orders", MG_AUTH_SESSION, 0, MG_CHAT, list_orders},
    {"GET", "/api/orders/{order_id}", MG_AUTH_SESSION, 0, MG_CHAT, show_order},
    {"GET", "/api/ledger", MG_AUTH_SESSION, 0, MG_CHAT, list_ledger},
    {"GET", "/api/ledger.csv", MG_AUTH_SESSION, 0, MG_CHAT, export_ledger},
    {"GET", "/api/usage.csv", MG_AUTH_SESSION, 0, MG_CHAT, export_usage},
    {"POST", "/api/webhooks/{payment_provider}", MG_AUTH_NONE, 0, MG_CHAT, take_webhook},
    {"GET", "/api/sandbox/{session_id}", MG_AUTH_NONE, 0, MG_CHAT, show_sandbox},
    {"POST", "/api/sandbox/{session_id}", MG_AUTH_NONE, MG_ROUTE_SMALL_BODY, MG_CHAT,
     act_sandbox},
};

int
main(int argc, char **argv)
{
    static const struct mg_service service = {
        "account", routes, sizeof(routes) / sizeof(routes[0]), MG_SELLS};
    return mg_service_main(&service, argc, argv);
}
