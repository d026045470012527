/* Top-ups: what can be bought, a page to pay on, what became of it. */
#include "fcgi/account.h"

#include "base/clock.h"
#include "json/field.h"
#include "json/parse.h"
#include "payment/checkout.h"
#include "payment/rate.h"
#include "service/order_json.h"

#include <string.h>

#define ORDERS_PAGE 100
#define CLIENT_KEY_MOST 255

static const struct mg_field amount_fields[] = {
    {"amount_cents", MG_FIELD_INT, true, 0, 0, 0},
};

/* {"amount_cents": N} of the body, checked against what can be paid. */
static int
read_amount(struct mg_request *req, const struct mg_app *app, int64_t *cents, struct mg_err *err)
{
    struct json_object *tree = NULL;
    int rc = mg_json_parse(req->body.p, req->body.n, &tree, err);
    if (rc == 0)
        rc = mg_field_read(tree, amount_fields, 1, cents, "", err);
    json_object_put(tree);
    return rc == 0 ? mg_rate_check(app->conf, *cents, err) : -1;
}

int
show_topup_options(struct mg_request *req, void *context, struct mg_err *err)
{
    const struct mg_app *app = context;
    struct mg_str out;
    (void)err;
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    mg_json_topup_options(app->payment, &out);
    return account_reply(req, &out);
}

int
quote_topup(struct mg_request *req, void *context, struct mg_err *err)
{
    const struct mg_app *app = context;
    struct mg_str out;
    int64_t cents = 0;
    if (read_amount(req, app, &cents, err) != 0)
        return -1;
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    mg_json_topup_quote(app->payment, cents, &out);
    return account_reply(req, &out);
}

/* The customer's own name for this click, so that two of the same make one order. */
static int
read_client_key(const struct mg_request *req, const char **key, struct mg_err *err)
{
    *key = mg_request_header(req, "idempotency-key");
    if (*key == NULL || (**key != '\0' && strlen(*key) <= CLIENT_KEY_MOST))
        return 0;
    return mg_err_field(err, "string_too_long", "Idempotency-Key should have 1 to 255 characters",
                        "header/idempotency-key");
}

int
start_checkout(struct mg_request *req, void *context, struct mg_err *err)
{
    const struct mg_app *app = context;
    const struct mg_provider *provider = mg_provider_find(app->payment, req->param[0]);
    struct mg_order *order = mg_pool_alloc(req->pool, sizeof(*order));
    const char *key;
    struct mg_str out;
    int64_t cents = 0;
    if (provider == NULL)
        return mg_err_field(err, "value_error", "Not a payment provider of this service",
                            "path/payment_provider");
    if (read_client_key(req, &key, err) != 0 || read_amount(req, app, &cents, err) != 0 ||
        mg_checkout_start(app->payment, provider, mg_service_caller(req)->account_id, cents, key,
                          req->pool, order, err) != 0)
        return -1;
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    mg_json_checkout(order, &out);
    return account_reply(req, &out);
}

int
list_orders(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct mg_order_filter filter = {.wallet_id = mg_service_caller(req)->account_id};
    const char *before = mg_request_query(req, "before");
    uint8_t cursor[MG_ID_BYTES];
    struct mg_order *orders;
    struct mg_str out;
    size_t count;
    bool more;
    int64_t limit = 20;
    if (before != NULL && mg_order_id_parse(before, cursor) != 0)
        mg_err_field(err, "value_error", "Input should be an order id (ord_…)", "query/before");
    if (mg_request_query_int(req, "limit", 1, ORDERS_PAGE, &limit, err) < 0 || mg_err_is(err))
        return -1;
    filter.before = before != NULL ? cursor : NULL;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int rc = mg_order_list(db, &filter, (size_t)limit, req->pool, &orders, &count, &more, err);
    mg_db_pool_put(app->db, db);
    if (rc != 0)
        return -1;
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    mg_json_orders(orders, count, more, &out);
    return account_reply(req, &out);
}

/* An order of the caller's: 1, 0, -1. */
static int
read_order(struct mg_request *req, struct mg_app *app, struct mg_order *order,
           struct mg_err *err)
{
    uint8_t id[MG_ID_BYTES];
    if (mg_order_id_parse(req->param[0], id) != 0)
        return 0;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int found = mg_order_read(db, id, mg_service_caller(req)->account_id, order, err);
    mg_db_pool_put(app->db, db);
    return found;
}

int
show_order(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct mg_order *order = mg_pool_alloc(req->pool, sizeof(*order));
    struct mg_str out;
    int found = read_order(req, app, order, err);
    if (found == 0)
        return mg_err_set(err, 404, "not_found", "There is no such order.");
    if (found < 0 || mg_checkout_check(app->payment, order, false, req->pool, err) != 0)
        return -1;
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    mg_json_order(order, &out);
    return account_reply(req, &out);
}
