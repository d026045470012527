#include "ledger/usage.h"

#include <stdio.h>
#include <string.h>

#define DAY_MS 86400000LL
/* Rows of a wallet are in the order of their numbers, and nearly in the order of time: hosts'
 * clocks differ. A bound in time is turned into a bound in numbers with so much to spare, which
 * keeps every query a range of the primary key; the exact time is tested on each row. */
#define SPARE_MS 600000LL

#define ROW_COLUMNS \
    "seq, kind, amount, balance_after, created_ms, ref, note, api_key_id, model, served_by," \
    " label, family, input, cache_read, cache_write_5m, cache_write_1h, output, reasoning," \
    " price_version, flags, status, first_ms, total_ms"
#define SUM_COLUMNS \
    "COUNT(*), SUM(amount), SUM(input), SUM(cache_read), SUM(cache_write_5m)," \
    " SUM(cache_write_1h), SUM(output), SUM(reasoning)"
/* A filter that is not set lets everything through. */
#define FILTER \
    " WHERE wallet_id = ? AND seq >= ? AND seq < ? AND created_ms >= ? AND created_ms < ?" \
    " AND (? = 1 OR kind = 'charge') AND (? = 0 OR api_key_id = ?) AND (? = 0 OR model = ?)" \
    " AND (? = 0 OR ref = ?)"
#define FILTER_VALUES 12
#define BY_RANGE " FROM ledger FORCE INDEX (PRIMARY)" FILTER
#define BY_REQUEST " FROM ledger FORCE INDEX (ledger_ref)" FILTER

enum query { FIRST, LAST, PAGE, ONE, TOTAL, PER_DAY, PER_MODEL, PER_KEY };
static const char *const sql[] = {
    [FIRST] = "SELECT seq FROM ledger FORCE INDEX (ledger_time)"
              " WHERE wallet_id = ? AND created_ms >= ? ORDER BY created_ms, seq LIMIT 1",
    [LAST] = "SELECT seq + 1 FROM ledger FORCE INDEX (ledger_time)"
             " WHERE wallet_id = ? AND created_ms < ? ORDER BY created_ms DESC, seq DESC LIMIT 1",
    [PAGE] = "SELECT " ROW_COLUMNS BY_RANGE " ORDER BY seq DESC LIMIT ?",
    [ONE] = "SELECT " ROW_COLUMNS BY_REQUEST " ORDER BY seq DESC LIMIT ?",
    [TOTAL] = "SELECT 0, " SUM_COLUMNS BY_RANGE " LIMIT ?",
    [PER_DAY] = "SELECT created_ms DIV 86400000 AS day, " SUM_COLUMNS BY_RANGE
                " GROUP BY day ORDER BY day LIMIT ?",
    [PER_MODEL] = "SELECT model, " SUM_COLUMNS BY_RANGE
                  " GROUP BY model ORDER BY SUM(amount), model LIMIT ?",
    [PER_KEY] = "SELECT api_key_id, " SUM_COLUMNS BY_RANGE
                " GROUP BY api_key_id ORDER BY SUM(amount), api_key_id LIMIT ?",
};

/* Runs a query for one number: 1 with *number, 0 when there is no row, -1. */
static int
find_seq(struct mg_db *db, enum query query, uint64_t wallet_id, int64_t ms, uint64_t *number,
         struct mg_err *err)
{
    const struct mg_db_value values[] = {mg_db_u64(wallet_id), mg_db_i64(ms)};
    return mg_db_number(db, sql[query], values, 2, number, err);
}

/* Row numbers within which everything that matches lies. 0 or -1. */
static int
find_range(struct mg_db *db, uint64_t wallet_id, const struct mg_usage_filter *f, uint64_t *low,
           uint64_t *high, struct mg_err *err)
{
    uint64_t bound;
    *low = 1;
    if (f->from_ms > 0) {
        int found = find_seq(db, FIRST, wallet_id, f->from_ms - SPARE_MS, &bound, err);
        if (found < 0)
            return -1;
        *low = found == 1 ? bound : UINT64_MAX;
    }
    if (f->to_ms > 0) {
        int found = find_seq(db, LAST, wallet_id, f->to_ms + SPARE_MS, &bound, err);
        if (found < 0)
            return -1;
        if (found == 0)
            bound = 0;
        if (bound < *high)
            *high = bound;
    }
    return 0;
}

static void
fill_filter(struct mg_db_value *v, uint64_t wallet_id, const struct mg_usage_filter *f,
            uint64_t low, uint64_t high)
{
    bool model = f->model != NULL && f->model[0] != '\0';
    static const uint8_t none[MG_ID_BYTES];
    v[0] = mg_db_u64(wallet_id);
    v[1] = mg_db_u64(low);
    v[2] = mg_db_u64(high);
    v[3] = mg_db_i64(f->from_ms);
    v[4] = mg_db_i64(f->to_ms > 0 ? f->to_ms : INT64_MAX);
    v[5] = mg_db_i64(f->all_kinds);
    v[6] = mg_db_i64(f->api_key_id != 0);
    v[7] = mg_db_u64(f->api_key_id);
    v[8] = mg_db_i64(model);
    v[9] = mg_db_text(model ? f->model : "");
    v[10] = mg_db_i64(f->request_id != NULL);
    v[11] = mg_db_bytes(f->request_id != NULL ? f->request_id : none, MG_ID_BYTES);
}

static void
get_text(struct mg_db *db, unsigned column, char *to, size_t size)
{
    snprintf(to, size, "%s", mg_db_get_bytes(db, column, NULL));
}

static void
read_row(struct mg_db *db, struct mg_usage_row *r)
{
    size_t n;
    memset(r, 0, sizeof(*r));
    r->seq = mg_db_get_u64(db, 0);
    get_text(db, 1, r->kind, sizeof(r->kind));
    r->amount = mg_db_get_i64(db, 2);
    r->balance_after = mg_db_get_i64(db, 3);
    r->created_ms = mg_db_get_i64(db, 4);
    const char *ref = mg_db_get_bytes(db, 5, &n);
    memcpy(r->ref, ref, n < MG_ID_BYTES ? n : MG_ID_BYTES);
    get_text(db, 6, r->note, sizeof(r->note));
    r->api_key_id = mg_db_get_u64(db, 7);
    get_text(db, 8, r->model, sizeof(r->model));
    get_text(db, 9, r->served_by, sizeof(r->served_by));
    get_text(db, 10, r->label, sizeof(r->label));
    get_text(db, 11, r->family, sizeof(r->family));
    r->input = mg_db_get_i64(db, 12);
    r->cache_read = mg_db_get_i64(db, 13);
    r->cache_write_5m = mg_db_get_i64(db, 14);
    r->cache_write_1h = mg_db_get_i64(db, 15);
    r->output = mg_db_get_i64(db, 16);
    r->reasoning = mg_db_get_i64(db, 17);
    r->price_version = mg_db_get_u64(db, 18);
    r->flags = (uint32_t)mg_db_get_u64(db, 19);
    r->status = (int32_t)mg_db_get_i64(db, 20);
    r->first_ms = (int32_t)mg_db_get_i64(db, 21);
    r->total_ms = (int32_t)mg_db_get_i64(db, 22);
}

int
mg_usage_page(struct mg_db *db, uint64_t wallet_id, const struct mg_usage_filter *filter,
              uint64_t before, struct mg_usage_row *rows, size_t limit, size_t *count, bool *more,
              struct mg_err *err)
{
    struct mg_db_value v[FILTER_VALUES + 1];
    uint64_t low, high = before > 0 ? before : INT64_MAX;
    int next;
    *count = 0;
    *more = false;
    if (limit > MG_USAGE_PAGE)
        limit = MG_USAGE_PAGE;
    if (find_range(db, wallet_id, filter, &low, &high, err) != 0)
        return -1;
    fill_filter(v, wallet_id, filter, low, high);
    v[FILTER_VALUES] = mg_db_u64(limit + 1); /* one more tells whether there are more */
    if (mg_db_query(db, sql[filter->request_id != NULL ? ONE : PAGE], v, FILTER_VALUES + 1,
                    err) != 0)
        return -1;
    while ((next = mg_db_next(db, err)) == 1) {
        if (*count == limit)
            *more = true;
        else
            read_row(db, &rows[(*count)++]);
    }
    return next;
}

static void
read_sum(struct mg_db *db, enum mg_usage_by by, struct mg_usage_sum *s)
{
    memset(s, 0, sizeof(*s));
    if (by == MG_USAGE_BY_DAY)
        s->day_ms = mg_db_get_i64(db, 0) * DAY_MS;
    else if (by == MG_USAGE_BY_MODEL)
        get_text(db, 0, s->model, sizeof(s->model));
    else if (by == MG_USAGE_BY_KEY)
        s->api_key_id = mg_db_get_u64(db, 0);
    s->rows = mg_db_get_i64(db, 1);
    s->amount = mg_db_get_i64(db, 2);
    s->input = mg_db_get_i64(db, 3);
    s->cache_read = mg_db_get_i64(db, 4);
    s->cache_write_5m = mg_db_get_i64(db, 5);
    s->cache_write_1h = mg_db_get_i64(db, 6);
    s->output = mg_db_get_i64(db, 7);
    s->reasoning = mg_db_get_i64(db, 8);
}

int
mg_usage_sums(struct mg_db *db, uint64_t wallet_id, const struct mg_usage_filter *filter,
              enum mg_usage_by by, struct mg_usage_sum *sums, size_t limit, size_t *count,
              struct mg_err *err)
{
    static const enum query queries[] = {
        [MG_USAGE_BY_NOTHING] = TOTAL,
        [MG_USAGE_BY_DAY] = PER_DAY,
        [MG_USAGE_BY_MODEL] = PER_MODEL,
        [MG_USAGE_BY_KEY] = PER_KEY,
    };
    struct mg_db_value v[FILTER_VALUES + 1];
    uint64_t low, high = INT64_MAX;
    int next;
    *count = 0;
    if (find_range(db, wallet_id, filter, &low, &high, err) != 0)
        return -1;
    fill_filter(v, wallet_id, filter, low, high);
    v[FILTER_VALUES] = mg_db_u64(limit);
    if (mg_db_query(db, sql[queries[by]], v, FILTER_VALUES + 1, err) != 0)
        return -1;
    while ((next = mg_db_next(db, err)) == 1)
        if (*count < limit)
            read_sum(db, by, &sums[(*count)++]);
    return next;
}
