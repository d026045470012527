#include "service/gate.h"

#include "service/service.h"

static int
pass_key(struct mg_request *req, struct mg_app *app, struct mg_err *err)
{
    struct mg_principal *who = mg_pool_alloc(req->pool, sizeof(*who));
    int found = mg_desk_ask(app->desk, mg_request_credential(req), who, err);
    req->user = who;
    return found == 1 ? 0 : -1;
}

int
mg_gate_pass(struct mg_request *req, void *context, struct mg_err *err)
{
    switch (req->route->auth) {
    case MG_AUTH_NONE:
        return 0;
    case MG_AUTH_KEY:
        return pass_key(req, context, err);
    default:
        return mg_err_internal(err, "route %s has no known authentication", req->route->pattern);
    }
}

const struct mg_principal *
mg_service_caller(const struct mg_request *req)
{
    return req->user;
}
