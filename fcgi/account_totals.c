/* Sums over what was used: the overview's figures, and totals by day, model or key. */
#include "base/clock.h"
#include "fcgi/account.h"
#include "service/totals_json.h"

#include <string.h>

#define DAY_MS 86400000LL
#define DAYS 30
#define SUMS_MOST 1000 /* entries of one answer */

static int
reply_sums(struct mg_request *req, struct mg_app *app, const struct mg_usage_filter *filter,
           enum mg_usage_by by, bool summary, struct mg_err *err)
{
    struct mg_usage_sum *sums = mg_pool_alloc(req->pool, SUMS_MOST * sizeof(*sums));
    struct mg_str out;
    size_t count = 0;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int rc = mg_usage_sums(db, mg_service_caller(req)->account_id, filter, by, sums, SUMS_MOST,
                           &count, err);
    mg_db_pool_put(app->db, db);
    if (rc != 0)
        return -1;
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    if (summary)
        mg_json_summary(sums, count, mg_now_ms(), &out);
    else
        mg_json_totals(by, sums, count, &out);
    return account_reply(req, &out);
}

int
show_summary(struct mg_request *req, void *context, struct mg_err *err)
{
    int64_t now = mg_now_ms();
    const struct mg_usage_filter filter = {.from_ms = now - now % DAY_MS - (DAYS - 1) * DAY_MS};
    return reply_sums(req, context, &filter, MG_USAGE_BY_DAY, true, err);
}

static int
read_by(const char *word, enum mg_usage_by *by, struct mg_err *err)
{
    if (word == NULL || strcmp(word, "day") == 0)
        *by = MG_USAGE_BY_DAY;
    else if (strcmp(word, "model") == 0)
        *by = MG_USAGE_BY_MODEL;
    else if (strcmp(word, "key") == 0)
        *by = MG_USAGE_BY_KEY;
    else
        return mg_err_field(err, "enum", "Input should be 'day', 'model' or 'key'", "query/by");
    return 0;
}

int
show_totals(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_usage_filter filter = {.model = mg_request_query(req, "model")};
    enum mg_usage_by by = MG_USAGE_BY_DAY;
    int64_t key = 0;
    int rc = read_by(mg_request_query(req, "by"), &by, err);
    rc |= mg_request_query_int(req, "api_key_id", 1, INT64_MAX, &key, err) < 0;
    rc |= account_query_time(req, "from", &filter.from_ms, err) != 0;
    rc |= account_query_time(req, "to", &filter.to_ms, err) != 0;
    if (rc != 0)
        return -1;
    filter.api_key_id = (uint64_t)key;
    return reply_sums(req, context, &filter, by, false, err);
}
