#include "service/gate.h"

#include "base/clock.h"
#include "ledger/vip.h"
#include "service/origin.h"
#include "service/service.h"

#include <string.h>

/* Whether the request came to the VIP endpoint for a model: the web server marks the endpoint, a
 * client cannot. */
static bool
wants_vip(const struct mg_request *req)
{
    const char *mark = mg_request_server_param(req, "MG_VIP");
    return mark != NULL && strcmp(mark, "1") == 0 && strncmp(req->route->pattern, "/v1/", 4) == 0;
}

/* Asked anew with every request, so that access begins and ends with the next one. */
static int
check_vip(struct mg_app *app, const struct mg_principal *who, struct mg_err *err)
{
    struct mg_vip vip;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int rc = mg_vip_read(db, who->account_id, mg_now_ms(), &vip, err);
    mg_db_pool_put(app->db, db);
    if (rc != 0 || vip.entitled)
        return rc;
    mg_err_set(err, 403, "vip_required",
               "This endpoint needs VIP access, which this account does not have now. The normal "
               "endpoint serves it as before: %s", app->conf->base_url);
    err->no_retry = true;
    return -1;
}

static int
pass_key(struct mg_request *req, struct mg_app *app, struct mg_err *err)
{
    struct mg_principal *who = mg_pool_alloc(req->pool, sizeof(*who));
    int found = mg_desk_ask(app->desk, mg_request_credential(req), who, err);
    req->user = who;
    if (found != 1)
        return -1;
    return wants_vip(req) ? check_vip(app, who, err) : 0;
}

/* A token that was sent as a credential counts alone; only without one the cookie does, and then
 * the page that sent it must be ours. */
static int
pass_session(struct mg_request *req, struct mg_app *app, struct mg_err *err)
{
    struct mg_principal *who = mg_pool_alloc(req->pool, sizeof(*who));
    const char *token = mg_request_credential(req);
    bool sent = mg_request_header_any(req, "authorization,x-api-key");
    if (!sent) {
        token = mg_request_cookie(req, MG_SESSION_COOKIE);
        if (token != NULL && mg_origin_check_cookie(req, app->conf->base_url, err) != 0)
            return -1;
    }
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int found = mg_session_find(db, app->conf, token, who, err);
    mg_db_pool_put(app->db, db);
    req->user = who;
    return found == 1 ? 0 : -1;
}

int
mg_gate_pass(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    switch (req->route->auth) {
    case MG_AUTH_NONE:
        return 0;
    case MG_AUTH_FORM:
        return mg_origin_check_form(req, app->conf->base_url, err);
    case MG_AUTH_KEY:
        return pass_key(req, app, err);
    case MG_AUTH_SESSION:
        return pass_session(req, app, err);
    default:
        return mg_err_internal(err, "route %s has no known authentication", req->route->pattern);
    }
}

const struct mg_principal *
mg_service_caller(const struct mg_request *req)
{
    return req->user;
}
