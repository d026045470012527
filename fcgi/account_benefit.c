/* What an account has besides credit: daily check-in, VIP, low-balance alerts. */
#include "base/clock.h"
#include "base/money.h"
#include "fcgi/account.h"
#include "identity/account.h"
#include "json/field.h"
#include "json/parse.h"
#include "service/account_json.h"
#include "service/benefit_json.h"

#include <stdlib.h>

#define CREDIT_PLACES 9 /* nano-credits */
#define ALERT_HIGHEST (INT64_C(1000000) * MG_NANO_PER_CREDIT)

int
show_vip(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct mg_vip vip;
    struct mg_str out;
    struct mg_jw w;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int rc = mg_vip_read(db, mg_service_caller(req)->account_id, mg_now_ms(), &vip, err);
    mg_db_pool_put(app->db, db);
    if (rc != 0)
        return -1;
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    mg_jw_init(&w, &out);
    mg_json_vip(&w, NULL, app->conf, &vip);
    return account_reply(req, &out);
}

int
show_checkin(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct mg_checkin state;
    struct mg_str out;
    struct mg_jw w;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int rc = mg_checkin_read(db, mg_service_caller(req)->account_id, mg_now_ms(), &state, err);
    mg_db_pool_put(app->db, db);
    if (rc != 0)
        return -1;
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    mg_jw_init(&w, &out);
    mg_json_checkin(&w, NULL, &state);
    return account_reply(req, &out);
}

static int
reply_checkin(struct mg_request *req, const struct mg_checkin_result *result,
              const struct mg_checkin *state, int64_t balance)
{
    struct mg_str out;
    struct mg_jw w;
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    mg_jw_init(&w, &out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "checkin");
    mg_jw_bool(&w, "already_checked_in", result->again);
    mg_jw_int(&w, "day", result->day);
    mg_json_amount(&w, "reward", result->reward);
    mg_json_benefit(&w, "benefit", result->seconds);
    mg_jw_bool(&w, "free_pass_used", result->used_pass);
    mg_json_amount(&w, "balance", balance);
    mg_json_checkin(&w, "state", state);
    mg_jw_end(&w);
    return account_reply(req, &out);
}

int
check_in(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    const struct mg_principal *who = mg_service_caller(req);
    struct mg_checkin_result result;
    struct mg_checkin state;
    struct mg_wallet wallet;
    int64_t now = mg_now_ms();
    if (who->suspended)
        return mg_err_set(err, 403, "account_suspended",
                          "This account is suspended. Write to support to have it reopened.");
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int rc = mg_checkin_do(db, who->account_id, now, &result, err);
    if (rc == 0)
        rc = mg_checkin_read(db, who->account_id, now, &state, err);
    if (rc == 0)
        rc = mg_wallet_read(db, who->account_id, &wallet, err) == 1 ? 0 : -1;
    mg_db_pool_put(app->db, db);
    return rc == 0 ? reply_checkin(req, &result, &state, wallet.balance) : -1;
}

/* Alerts as they are after a change, or before one. */
static int
reply_alerts(struct mg_request *req, struct mg_app *app, struct mg_err *err)
{
    uint64_t id = mg_service_caller(req)->account_id;
    struct mg_alerts alerts;
    struct mg_account account;
    struct mg_str out;
    struct mg_jw w;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int found = mg_account_by_id(db, id, &account, err);
    int rc = found == 1 ? mg_alert_read(db, id, &alerts, err) : -1;
    mg_db_pool_put(app->db, db);
    if (found == 0)
        mg_err_internal(err, "account %llu is missing", (unsigned long long)id);
    if (rc != 0)
        return -1;
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    mg_jw_init(&w, &out);
    mg_json_alerts(&w, NULL, &alerts, account.email_verified);
    return account_reply(req, &out);
}

int
show_alerts(struct mg_request *req, void *context, struct mg_err *err)
{
    return reply_alerts(req, context, err);
}

static const struct mg_field alert_fields[] = {
    {"thresholds", MG_FIELD_ARRAY, true, 0, 0, MG_ALERT_MOST},
};

/* A threshold: decimal credits as text. One that stands twice counts once. */
static int
read_threshold(struct json_object *value, size_t i, struct mg_alerts *alerts, struct mg_err *err)
{
    int64_t nano = 0;
    const char *text = json_object_is_type(value, json_type_string) ? json_object_get_string(value)
                                                                    : NULL;
    if (text == NULL || mg_money_parse(text, CREDIT_PLACES, &nano) != 0 || nano <= 0 ||
        nano > ALERT_HIGHEST)
        return mg_err_field(err, "value_error",
                            "Input should be credits as text, above 0 and at most 1000000",
                            "body/thresholds/%zu", i);
    for (size_t k = 0; k < alerts->count; k++)
        if (alerts->threshold[k] == nano)
            return 0;
    alerts->threshold[alerts->count++] = nano;
    return 0;
}

static int
read_alerts(struct json_object *tree, struct mg_alerts *alerts, struct mg_err *err)
{
    struct json_object *list = NULL;
    int rc = mg_field_read(tree, alert_fields, 1, &list, "", err);
    alerts->count = 0;
    for (size_t i = 0; rc == 0 && i < json_object_array_length(list); i++)
        rc |= read_threshold(json_object_array_get_idx(list, i), i, alerts, err);
    return rc;
}

int
put_alerts(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct json_object *tree = NULL;
    struct mg_alerts alerts;
    int rc = mg_json_parse(req->body.p, req->body.n, &tree, err);
    if (rc == 0)
        rc = read_alerts(tree, &alerts, err);
    json_object_put(tree);
    if (rc != 0)
        return -1;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    rc = mg_alert_set(db, mg_service_caller(req)->account_id, &alerts, err);
    mg_db_pool_put(app->db, db);
    return rc == 0 ? reply_alerts(req, app, err) : -1;
}
