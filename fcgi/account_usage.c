/* What was used and charged. */
#include "base/alloc.h"
#include "catalogue/price.h"
#include "fcgi/account.h"
#include "service/account_json.h"

#include <stdlib.h>

int
account_usage_query(struct mg_request *req, struct account_usage_query *q, struct mg_err *err)
{
    const char *id = mg_request_query(req, "request_id");
    *q = (struct account_usage_query){.limit = 50};
    int rc = mg_request_query_int(req, "limit", 1, MG_USAGE_PAGE, &q->limit, err) < 0;
    rc |= mg_request_query_int(req, "before", 1, INT64_MAX, &q->before, err) < 0;
    rc |= mg_request_query_int(req, "api_key_id", 1, INT64_MAX, &q->key, err) < 0;
    rc |= account_query_time(req, "from", &q->filter.from_ms, err) != 0;
    rc |= account_query_time(req, "to", &q->filter.to_ms, err) != 0;
    if (id != NULL && mg_request_id_parse(id, q->request_id) != 0) {
        mg_err_field(err, "value_error", "Input should be a request id (req_…)",
                     "query/request_id");
        rc = 1;
    }
    q->filter.request_id = id != NULL ? q->request_id : NULL;
    q->filter.api_key_id = (uint64_t)q->key;
    q->filter.model = mg_request_query(req, "model");
    return rc != 0 ? -1 : 0;
}

/* The rates of one request's row: of its time, whatever the model costs now. */
static int
read_rates(struct mg_db *db, const struct account_usage_query *q, const struct mg_usage_row *rows,
           size_t count, struct mg_price *rates, struct mg_err *err)
{
    return q->filter.request_id != NULL && count == 1
               ? mg_price_read(db, rows[0].price_version, rates, err) : 0;
}

int
list_usage(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct account_usage_query q;
    struct mg_wallet_view wallet;
    struct mg_price rates;
    struct mg_str out;
    size_t count = 0;
    bool more = false;
    int known = 0;
    uint64_t id = mg_service_caller(req)->account_id;
    if (account_usage_query(req, &q, err) != 0)
        return -1;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    struct mg_usage_row *rows = mg_calloc((size_t)q.limit, sizeof(*rows));
    int rc = mg_usage_page(db, id, &q.filter, (uint64_t)q.before, rows, (size_t)q.limit, &count,
                           &more, err);
    if (rc == 0 && q.before == 0) /* the first page says what is left, too */
        rc = account_wallet(db, id, &wallet, err);
    if (rc == 0 && (known = read_rates(db, &q, rows, count, &rates, err)) < 0)
        rc = -1;
    mg_db_pool_put(app->db, db);
    if (rc == 0) {
        mg_str_init(&out, ACCOUNT_REPLY_MAX);
        mg_json_usage(app->conf, q.before == 0 ? &wallet : NULL, rows, count, more,
                      known == 1 ? &rates : NULL, &out);
        account_reply(req, &out);
    }
    free(rows);
    return rc;
}
