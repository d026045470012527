/* Health, account, default model, wallet and usage (specification part 4, Health and account). */
#include "base/alloc.h"
#include "base/clock.h"
#include "http/reply.h"
#include "json/field.h"
#include "json/parse.h"
#include "service/account_json.h"
#include "service/service.h"

#include <stdlib.h>

#define REPLY_MAX ((size_t)4 << 20)
#define LOTS_MOST 100

static int
reply(struct mg_request *req, struct mg_str *out)
{
    mg_reply_json(req, 200, out);
    mg_str_free(out);
    return 0;
}

static int
show_health(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    bool there = db != NULL && mg_db_wake(db, err) == 0;
    struct mg_str out;
    struct mg_jw w;
    mg_str_init(&out, REPLY_MAX);
    mg_jw_init(&w, &out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "status", there ? "ok" : "degraded");
    mg_jw_string(&w, "database", there ? "ok" : "unavailable");
    mg_jw_end(&w);
    if (db != NULL)
        mg_db_pool_put(app->db, db);
    mg_err_free(err);
    return reply(req, &out);
}

/* The id that requests without a model get. */
static const char *
default_model(const struct mg_app *app, const char *chosen)
{
    return *chosen != '\0' ? chosen : app->conf->managed_alias;
}

static int
show_me(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    const struct mg_principal *who = mg_service_caller(req);
    struct mg_account account;
    struct mg_str out;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int found = mg_account_by_id(db, who->account_id, &account, err);
    mg_db_pool_put(app->db, db);
    if (found != 1)
        return found < 0 ? -1 : mg_err_internal(err, "account %llu of a valid key is missing",
                                                (unsigned long long)who->account_id);
    mg_str_init(&out, REPLY_MAX);
    mg_json_me(&account, who, who->system_key ? mg_request_credential(req) : NULL,
               app->conf->base_url, default_model(app, account.default_model), &out);
    return reply(req, &out);
}

static int
reply_model(struct mg_request *req, const char *model)
{
    struct mg_str out;
    struct mg_jw w;
    mg_str_init(&out, REPLY_MAX);
    mg_jw_init(&w, &out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "model_preference");
    mg_jw_string(&w, "model", model);
    mg_jw_end(&w);
    return reply(req, &out);
}

static int
show_model(struct mg_request *req, void *context, struct mg_err *err)
{
    (void)err;
    return reply_model(req, default_model(context, mg_service_caller(req)->default_model));
}

/* Sets the default model, if the catalogue has it. */
static int
store_model(struct mg_app *app, const struct mg_principal *who, const char *model,
            struct mg_err *err)
{
    struct mg_db *db = mg_db_pool_get(app->db, err);
    int rc = -1;
    if (db == NULL)
        return -1;
    const struct mg_catalogue *c = mg_catalogue_get(app->catalogue, db, who->catalogue, err);
    if (c != NULL && mg_catalogue_find(c, model) == NULL)
        mg_err_field(err, "value_error", "Not a model of this service; GET /v1/models lists them",
                     "body/model");
    else if (c != NULL)
        rc = mg_account_set_default_model(db, who->account_id, model, err) < 0 ? -1 : 0;
    mg_catalogue_release(c);
    mg_db_pool_put(app->db, db);
    return rc;
}

/* ModelPreferenceBody of the specification. */
static const struct mg_field preference_fields[] = {
    {"model", MG_FIELD_STRING, true, 0, 1, 127},
};

static int
put_model(struct mg_request *req, void *context, struct mg_err *err)
{
    struct json_object *tree = NULL;
    const char *model = NULL;
    int rc = mg_json_parse(req->body.p, req->body.n, &tree, err);
    if (rc == 0)
        rc = mg_field_read(tree, preference_fields, 1, &model, "", err);
    if (rc == 0)
        rc = store_model(context, mg_service_caller(req), model, err);
    if (rc == 0)
        reply_model(req, model);
    json_object_put(tree);
    return rc;
}

static int
show_wallet(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    uint64_t id = mg_service_caller(req)->account_id;
    struct mg_wallet wallet;
    struct mg_wallet_lot lots[LOTS_MOST];
    struct mg_str out;
    size_t count = 0;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int found = mg_wallet_read(db, id, &wallet, err);
    int rc = found == 1 ? mg_wallet_lots(db, id, lots, LOTS_MOST, &count, err) : -1;
    mg_db_pool_put(app->db, db);
    if (found == 0)
        mg_err_internal(err, "wallet %llu is missing", (unsigned long long)id);
    if (rc != 0)
        return -1;
    mg_str_init(&out, REPLY_MAX);
    mg_json_wallet(&wallet, lots, count, &out);
    return reply(req, &out);
}

/* A time in the query: RFC 3339 or epoch seconds. */
static int
query_time(struct mg_request *req, const char *name, int64_t *ms, struct mg_err *err)
{
    const char *text = mg_request_query(req, name);
    if (text == NULL || mg_rfc3339_parse(text, ms) == 0)
        return 0;
    return mg_err_field(err, "datetime_parsing",
                        "Input should be a time (2026-11-20T10:00:00Z) or epoch seconds",
                        "query/%s", name);
}

struct usage_query {
    struct mg_usage_filter filter;
    int64_t limit, before, key;
    uint8_t request_id[MG_ID_BYTES];
};

static int
read_usage_query(struct mg_request *req, struct usage_query *q, struct mg_err *err)
{
    const char *id = mg_request_query(req, "request_id");
    *q = (struct usage_query){.limit = 50};
    int rc = mg_request_query_int(req, "limit", 1, MG_USAGE_PAGE, &q->limit, err) < 0;
    rc |= mg_request_query_int(req, "before", 1, INT64_MAX, &q->before, err) < 0;
    rc |= mg_request_query_int(req, "api_key_id", 1, INT64_MAX, &q->key, err) < 0;
    rc |= query_time(req, "from", &q->filter.from_ms, err) != 0;
    rc |= query_time(req, "to", &q->filter.to_ms, err) != 0;
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

static int
list_usage(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct usage_query q;
    struct mg_str out;
    size_t count = 0;
    bool more = false;
    if (read_usage_query(req, &q, err) != 0)
        return -1;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    struct mg_usage_row *rows = mg_calloc((size_t)q.limit, sizeof(*rows));
    int rc = mg_usage_page(db, mg_service_caller(req)->account_id, &q.filter, (uint64_t)q.before,
                           rows, (size_t)q.limit, &count, &more, err);
    mg_db_pool_put(app->db, db);
    if (rc == 0) {
        mg_str_init(&out, REPLY_MAX);
        mg_json_usage(rows, count, more, &out);
        reply(req, &out);
    }
    free(rows);
    return rc;
}

static const struct mg_route routes[] = {
    {"GET", "/api/health", MG_AUTH_NONE, 0, MG_CHAT, show_health},
    {"GET", "/api/v1/me", MG_AUTH_KEY, 0, MG_CHAT, show_me},
    {"GET", "/api/v1/model", MG_AUTH_KEY, 0, MG_CHAT, show_model},
    {"PUT", "/api/v1/model", MG_AUTH_KEY, MG_ROUTE_SMALL_BODY, MG_CHAT, put_model},
    {"GET", "/api/v1/wallet/status", MG_AUTH_KEY, 0, MG_CHAT, show_wallet},
    {"GET", "/api/v1/billing/token-usage", MG_AUTH_KEY, 0, MG_CHAT, list_usage},
};

int
main(int argc, char **argv)
{
    static const struct mg_service service = {
        "account", routes, sizeof(routes) / sizeof(routes[0]), 0};
    return mg_service_main(&service, argc, argv);
}
