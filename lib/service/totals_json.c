#include "service/totals_json.h"

#include "base/clock.h"
#include "service/account_json.h"

#define DAY_MS 86400000LL

static void
add(struct mg_usage_sum *to, const struct mg_usage_sum *s)
{
    to->rows += s->rows;
    to->amount += s->amount;
    to->input += s->input;
    to->cache_read += s->cache_read;
    to->cache_write_5m += s->cache_write_5m;
    to->cache_write_1h += s->cache_write_1h;
    to->output += s->output;
    to->reasoning += s->reasoning;
}

static void
write_figures(struct mg_jw *w, const struct mg_usage_sum *s)
{
    mg_jw_int(w, "requests", s->rows);
    mg_json_amount(w, "charge", -s->amount);
    mg_jw_object(w, "usage");
    mg_jw_int(w, "input_tokens", s->input);
    mg_jw_int(w, "cache_read_tokens", s->cache_read);
    mg_jw_int(w, "cache_write_5m_tokens", s->cache_write_5m);
    mg_jw_int(w, "cache_write_1h_tokens", s->cache_write_1h);
    mg_jw_int(w, "output_tokens", s->output);
    mg_jw_int(w, "reasoning_tokens", s->reasoning);
    mg_jw_end(w);
}

static void
write_since(struct mg_jw *w, const char *key, const struct mg_usage_sum *days, size_t count,
            int64_t from_ms)
{
    struct mg_usage_sum sum = {0};
    int64_t active = 0;
    for (size_t i = 0; i < count; i++)
        if (days[i].day_ms >= from_ms) {
            add(&sum, &days[i]);
            active += days[i].amount != 0;
        }
    mg_jw_object(w, key);
    mg_json_time(w, "from", from_ms);
    mg_jw_int(w, "active_days", active);
    write_figures(w, &sum);
    mg_jw_end(w);
}

void
mg_json_summary(const struct mg_usage_sum *days, size_t count, int64_t now_ms, struct mg_str *out)
{
    int64_t today = now_ms - now_ms % DAY_MS;
    struct mg_jw w;
    mg_jw_init(&w, out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "summary");
    write_since(&w, "today", days, count, today);
    write_since(&w, "last_7_days", days, count, today - 6 * DAY_MS);
    write_since(&w, "last_30_days", days, count, today - 29 * DAY_MS);
    mg_json_time(&w, "updated_at", now_ms);
    mg_jw_end(&w);
}

static void
write_day(struct mg_jw *w, int64_t ms)
{
    char text[MG_RFC3339_SIZE];
    mg_rfc3339(ms, text);
    mg_jw_bytes(w, "day", text, sizeof("2026-11-20") - 1);
}

void
mg_json_totals(enum mg_usage_by by, const struct mg_usage_sum *sums, size_t count,
               struct mg_str *out)
{
    static const char *const names[] = {
        [MG_USAGE_BY_DAY] = "day", [MG_USAGE_BY_MODEL] = "model", [MG_USAGE_BY_KEY] = "key"};
    struct mg_usage_sum total = {0};
    struct mg_jw w;
    mg_jw_init(&w, out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "list");
    mg_jw_string(&w, "by", names[by]);
    mg_jw_array(&w, "data");
    for (size_t i = 0; i < count; i++) {
        mg_jw_object(&w, NULL);
        if (by == MG_USAGE_BY_DAY)
            write_day(&w, sums[i].day_ms);
        else if (by == MG_USAGE_BY_MODEL)
            mg_jw_string(&w, "model", sums[i].model);
        else
            mg_jw_int(&w, "api_key_id", (int64_t)sums[i].api_key_id);
        write_figures(&w, &sums[i]);
        mg_jw_end(&w);
        add(&total, &sums[i]);
    }
    mg_jw_end(&w);
    mg_jw_bool(&w, "has_more", false);
    mg_jw_object(&w, "total");
    write_figures(&w, &total);
    mg_jw_end(&w);
    mg_jw_end(&w);
}
