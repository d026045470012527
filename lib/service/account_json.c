#include "service/account_json.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/money.h"
#include "ledger/ledger.h"
#include "service/benefit_json.h"
#include "service/model_json.h"
#include "service/order_json.h"

#include <stdio.h>
#include <string.h>

void
mg_json_amount(struct mg_jw *w, const char *key, int64_t nano)
{
    char text[MG_MONEY_SIZE];
    mg_jw_object(w, key);
    mg_jw_string(w, "credits", mg_money_text(nano, text));
    mg_jw_int(w, "nano", nano);
    mg_jw_end(w);
}

void
mg_json_time(struct mg_jw *w, const char *key, int64_t ms)
{
    char text[MG_RFC3339_SIZE];
    mg_jw_string(w, key, ms > 0 ? mg_rfc3339(ms, text) : NULL);
}

void
mg_json_page_end(struct mg_jw *w, const struct mg_usage_row *rows, size_t count, bool more)
{
    mg_jw_bool(w, "has_more", more);
    if (more && count > 0)
        mg_jw_int(w, "next_before", (int64_t)rows[count - 1].seq);
    else
        mg_jw_null(w, "next_before");
}

static void
write_lot(struct mg_jw *w, const struct mg_wallet_lot *lot)
{
    mg_jw_object(w, NULL);
    mg_jw_string(w, "kind", lot->kind);
    mg_json_amount(w, "granted", lot->granted);
    mg_json_amount(w, "remaining", lot->remaining);
    mg_json_time(w, "created_at", lot->created_ms);
    mg_json_time(w, "expires_at", lot->expires_ms);
    mg_jw_end(w);
}

void
mg_json_lots(struct mg_jw *w, const struct mg_wallet_lot *lots, size_t count)
{
    mg_jw_array(w, "lots");
    for (size_t i = 0; i < count; i++)
        write_lot(w, &lots[i]);
    mg_jw_end(w);
}

static const char *
access_mode(const struct mg_wallet_view *view)
{
    if (view->window.state == MG_WINDOW_ACTIVE || view->window.state == MG_WINDOW_NOT_STARTED)
        return "unlimited";
    return view->wallet.available > 0 ? "wallet" : "none";
}

static void
write_wallet(struct mg_jw *w, const char *key, const struct mg_conf *conf,
             const struct mg_wallet_view *view)
{
    mg_jw_object(w, key);
    mg_jw_string(w, "object", "wallet");
    mg_jw_string(w, "unit", "api_coding_credit");
    mg_json_amount(w, "balance", view->wallet.balance);
    mg_json_amount(w, "held", view->wallet.held);
    mg_json_amount(w, "available", view->wallet.available);
    mg_jw_object(w, "access");
    mg_jw_string(w, "mode", access_mode(view));
    mg_jw_end(w);
    mg_json_lots(w, view->lots, view->count);
    mg_json_window(w, "unlimited", &view->window);
    mg_json_vip(w, "vip", conf, &view->vip);
    mg_json_rates(w, "rates");
    mg_jw_end(w);
}

void
mg_json_wallet(const struct mg_conf *conf, const struct mg_wallet_view *view, struct mg_str *out)
{
    struct mg_jw w;
    mg_jw_init(&w, out);
    write_wallet(&w, NULL, conf, view);
}

static void
write_tokens(struct mg_jw *w, const struct mg_usage_row *row)
{
    mg_jw_object(w, "usage");
    mg_jw_int(w, "input_tokens", row->input);
    mg_jw_int(w, "cache_read_tokens", row->cache_read);
    mg_jw_int(w, "cache_write_5m_tokens", row->cache_write_5m);
    mg_jw_int(w, "cache_write_1h_tokens", row->cache_write_1h);
    mg_jw_int(w, "output_tokens", row->output);
    mg_jw_int(w, "reasoning_tokens", row->reasoning);
    mg_jw_end(w);
}

static void
write_row(struct mg_jw *w, const struct mg_usage_row *row, const struct mg_price *rates)
{
    char request_id[MG_REQUEST_ID_SIZE];
    mg_jw_object(w, NULL);
    mg_jw_string(w, "object", "usage");
    mg_jw_int(w, "seq", (int64_t)row->seq);
    mg_jw_string(w, "request_id", mg_request_id(row->ref, request_id));
    mg_json_time(w, "created_at", row->created_ms);
    mg_jw_string(w, "model", row->model);
    mg_jw_string(w, "model_label", *row->label ? row->label : NULL);
    mg_jw_string(w, "served_by", row->served_by);
    mg_jw_string(w, "family", row->family);
    mg_jw_int(w, "api_key_id", (int64_t)row->api_key_id);
    write_tokens(w, row);
    mg_json_amount(w, "charge", -row->amount);
    mg_json_amount(w, "balance_after", row->balance_after);
    mg_jw_int(w, "price_version", (int64_t)row->price_version);
    if (rates != NULL)
        mg_json_prices(w, "rates", rates);
    mg_jw_bool(w, "unlimited", row->flags & MG_ROW_UNLIMITED);
    mg_jw_bool(w, "premium", row->flags & MG_ROW_PREMIUM);
    mg_jw_bool(w, "estimated", row->flags & MG_ROW_ESTIMATED);
    mg_jw_bool(w, "streamed", row->flags & MG_ROW_STREAM);
    mg_jw_bool(w, "client_left", row->flags & MG_ROW_CLIENT_GONE);
    mg_jw_bool(w, "cut", row->flags & (MG_ROW_CUT | MG_ROW_NO_CREDIT));
    mg_jw_int(w, "status", row->status);
    if (row->first_ms >= 0)
        mg_jw_int(w, "first_byte_ms", row->first_ms);
    else
        mg_jw_null(w, "first_byte_ms");
    mg_jw_int(w, "total_ms", row->total_ms);
    mg_jw_end(w);
}

void
mg_json_usage(const struct mg_conf *conf, const struct mg_wallet_view *wallet,
              const struct mg_usage_row *rows, size_t count, bool more,
              const struct mg_price *rates, struct mg_str *out)
{
    struct mg_jw w;
    mg_jw_init(&w, out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "list");
    if (wallet != NULL)
        write_wallet(&w, "wallet", conf, wallet);
    mg_jw_array(&w, "data");
    for (size_t i = 0; i < count; i++)
        write_row(&w, &rows[i], rates);
    mg_jw_end(&w);
    mg_json_page_end(&w, rows, count, more);
    mg_jw_end(&w);
}
