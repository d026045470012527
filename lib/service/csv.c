#include "service/csv.h"

#include "base/clock.h"
#include "base/money.h"
#include "ledger/ledger.h"
#include "payment/order.h"

#include <stdio.h>
#include <string.h>

static void
begin(struct mg_csv *csv)
{
    if (csv->begun)
        mg_str_addc(csv->out, ',');
    csv->begun = true;
}

void
mg_csv_text(struct mg_csv *csv, const char *text)
{
    bool formula = *text != '\0' && strchr("=+-@\t\r", *text) != NULL;
    bool quoted = strpbrk(text, ",\"\r\n") != NULL || *text == ' ';
    begin(csv);
    if (quoted)
        mg_str_addc(csv->out, '"');
    if (formula)
        mg_str_addc(csv->out, '\'');
    for (; *text != '\0'; text++) {
        if (*text == '"')
            mg_str_addc(csv->out, '"');
        mg_str_addc(csv->out, *text);
    }
    if (quoted)
        mg_str_addc(csv->out, '"');
}

void
mg_csv_int(struct mg_csv *csv, int64_t number)
{
    begin(csv);
    mg_str_addf(csv->out, "%lld", (long long)number);
}

void
mg_csv_amount(struct mg_csv *csv, int64_t nano)
{
    char text[MG_MONEY_SIZE];
    begin(csv);
    mg_str_addz(csv->out, mg_money_text(nano, text));
}

void
mg_csv_time(struct mg_csv *csv, int64_t ms)
{
    char text[MG_RFC3339_SIZE];
    begin(csv);
    if (ms > 0)
        mg_str_addz(csv->out, mg_rfc3339(ms, text));
}

void
mg_csv_end(struct mg_csv *csv)
{
    mg_str_addz(csv->out, "\r\n");
    csv->begun = false;
}

static void
write_head(struct mg_csv *csv, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        mg_csv_text(csv, names[i]);
    mg_csv_end(csv);
}

void
mg_csv_ledger_head(struct mg_csv *csv)
{
    static const char *const names[] = {
        "seq", "time_utc", "kind", "amount_credits", "balance_after_credits", "note",
        "request_id", "order_id", "model", "api_key_id", "api_key"};
    write_head(csv, names, sizeof(names) / sizeof(names[0]));
}

void
mg_csv_ledger_row(struct mg_csv *csv, const struct mg_usage_row *row, const char *key)
{
    char request[MG_REQUEST_ID_SIZE], order[MG_ORDER_ID_SIZE];
    bool charge = strcmp(row->kind, "charge") == 0, topup = strcmp(row->kind, "topup") == 0;
    mg_csv_int(csv, (int64_t)row->seq);
    mg_csv_time(csv, row->created_ms);
    mg_csv_text(csv, row->kind);
    mg_csv_amount(csv, row->amount);
    mg_csv_amount(csv, row->balance_after);
    mg_csv_text(csv, row->note);
    mg_csv_text(csv, charge ? mg_request_id(row->ref, request) : "");
    mg_csv_text(csv, topup ? mg_order_id(row->ref, order) : "");
    mg_csv_text(csv, row->model);
    if (row->api_key_id != 0)
        mg_csv_int(csv, (int64_t)row->api_key_id);
    else
        mg_csv_text(csv, "");
    mg_csv_text(csv, key);
    mg_csv_end(csv);
}

void
mg_csv_usage_head(struct mg_csv *csv)
{
    static const char *const names[] = {
        "seq", "time_utc", "request_id", "model", "model_label", "served_by", "format",
        "api_key_id", "api_key", "input_tokens", "cache_read_tokens", "cache_write_5m_tokens",
        "cache_write_1h_tokens", "output_tokens", "reasoning_tokens", "charge_credits",
        "balance_after_credits", "unlimited", "premium", "estimated", "streamed", "status",
        "first_byte_ms", "total_ms"};
    write_head(csv, names, sizeof(names) / sizeof(names[0]));
}

static void
write_flag(struct mg_csv *csv, const struct mg_usage_row *row, uint32_t flag)
{
    mg_csv_text(csv, row->flags & flag ? "true" : "false");
}

void
mg_csv_usage_row(struct mg_csv *csv, const struct mg_usage_row *row, const char *key)
{
    char request[MG_REQUEST_ID_SIZE];
    const int64_t tokens[] = {row->input, row->cache_read, row->cache_write_5m,
                              row->cache_write_1h, row->output, row->reasoning};
    mg_csv_int(csv, (int64_t)row->seq);
    mg_csv_time(csv, row->created_ms);
    mg_csv_text(csv, mg_request_id(row->ref, request));
    mg_csv_text(csv, row->model);
    mg_csv_text(csv, row->label);
    mg_csv_text(csv, row->served_by);
    mg_csv_text(csv, row->family);
    mg_csv_int(csv, (int64_t)row->api_key_id);
    mg_csv_text(csv, key);
    for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++)
        mg_csv_int(csv, tokens[i]);
    mg_csv_amount(csv, -row->amount);
    mg_csv_amount(csv, row->balance_after);
    write_flag(csv, row, MG_ROW_UNLIMITED);
    write_flag(csv, row, MG_ROW_PREMIUM);
    write_flag(csv, row, MG_ROW_ESTIMATED);
    write_flag(csv, row, MG_ROW_STREAM);
    mg_csv_int(csv, row->status);
    if (row->first_ms >= 0)
        mg_csv_int(csv, row->first_ms);
    else
        mg_csv_text(csv, "");
    mg_csv_int(csv, row->total_ms);
    mg_csv_end(csv);
}
