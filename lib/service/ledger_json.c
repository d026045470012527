#include "service/ledger_json.h"

#include "ledger/ledger.h"
#include "payment/order.h"
#include "service/account_json.h"

#include <string.h>

static void
write_text(struct mg_jw *w, const char *key, const char *text)
{
    mg_jw_string(w, key, *text != '\0' ? text : NULL);
}

static void
write_entry(struct mg_jw *w, const struct mg_usage_row *row)
{
    char request[MG_REQUEST_ID_SIZE], order[MG_ORDER_ID_SIZE];
    bool charge = strcmp(row->kind, "charge") == 0, topup = strcmp(row->kind, "topup") == 0;
    mg_jw_object(w, NULL);
    mg_jw_string(w, "object", "ledger_entry");
    mg_jw_int(w, "seq", (int64_t)row->seq);
    mg_jw_string(w, "kind", row->kind);
    mg_json_time(w, "created_at", row->created_ms);
    mg_json_amount(w, "amount", row->amount);
    mg_json_amount(w, "balance_after", row->balance_after);
    write_text(w, "note", row->note);
    mg_jw_string(w, "request_id", charge ? mg_request_id(row->ref, request) : NULL);
    mg_jw_string(w, "order_id", topup ? mg_order_id(row->ref, order) : NULL);
    write_text(w, "model", row->model);
    write_text(w, "model_label", row->label);
    if (row->api_key_id != 0)
        mg_jw_int(w, "api_key_id", (int64_t)row->api_key_id);
    else
        mg_jw_null(w, "api_key_id");
    mg_jw_bool(w, "unlimited", row->flags & MG_ROW_UNLIMITED);
    mg_jw_end(w);
}

static void
write_period(struct mg_jw *w, const struct mg_statement *s, int64_t from_ms, int64_t to_ms)
{
    mg_jw_object(w, "period");
    mg_json_time(w, "from", from_ms);
    mg_json_time(w, "to", to_ms);
    mg_json_amount(w, "opening_balance", s->opening);
    mg_json_amount(w, "in", s->in);
    mg_json_amount(w, "out", s->out);
    mg_json_amount(w, "closing_balance", s->closing);
    mg_jw_int(w, "entries", s->rows);
    mg_jw_end(w);
}

void
mg_json_ledger(const struct mg_usage_row *rows, size_t count, bool more,
               const struct mg_statement *statement, int64_t from_ms, int64_t to_ms,
               struct mg_str *out)
{
    struct mg_jw w;
    mg_jw_init(&w, out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "list");
    write_period(&w, statement, from_ms, to_ms);
    mg_jw_array(&w, "data");
    for (size_t i = 0; i < count; i++)
        write_entry(&w, &rows[i]);
    mg_jw_end(&w);
    mg_json_page_end(&w, rows, count, more);
    mg_jw_end(&w);
}
