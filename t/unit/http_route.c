/* Routing: which row serves what, and what the others are told. */
#include "tap.h"

#include "http/reply.h"
#include "http/route.h"

static const char *ran, *seen;
static bool gate_refuses, gate_ran;

static int
note(struct mg_request *req, const char *name)
{
    ran = name;
    seen = req->param[0];
    req->status = 200; /* stands for a reply: there is no connection here */
    return 0;
}

#define HANDLER(name) \
    static int name(struct mg_request *req, void *context, struct mg_err *err) \
    { \
        (void)context, (void)err; \
        return note(req, #name); \
    }
HANDLER(list)
HANDLER(create)
HANDLER(show)
HANDLER(compact)
HANDLER(compact_one)
HANDLER(subpath)
HANDLER(models)

static int
fails(struct mg_request *req, void *context, struct mg_err *err)
{
    (void)req, (void)context, (void)err;
    return -1;
}

static int
gate(struct mg_request *req, void *context, struct mg_err *err)
{
    (void)context;
    gate_ran = true;
    return gate_refuses && req->route->auth == 1 ? mg_err_set(err, 401, "invalid_api_key", "no")
                                                 : 0;
}

static const struct mg_route routes[] = {
    {"GET", "/v1/responses", 1, MG_ROUTE_NO_UPGRADE, MG_RESPONSES, list},
    {"POST", "/v1/responses", 1, 0, MG_RESPONSES, create},
    {"GET", "/v1/responses/{id}", 1, 0, MG_RESPONSES, show},
    {"POST", "/v1/responses/{id}/compact", 1, 0, MG_RESPONSES, compact_one},
    {"POST", "/v1/{any}/compact", 1, 0, MG_RESPONSES, fails},
    {"POST", "/v1/responses/compact", 1, 0, MG_RESPONSES, compact},
    {"POST", "/v1/messages/{subpath}", 1, 0, MG_MESSAGES, subpath},
    {"GET", "/v1/models", 0, MG_ROUTE_VERSIONED, MG_CHAT, models},
    {"PATCH", "/fails", 0, 0, MG_CHAT, fails},
    {"POST", "/v1/post-only", 1, MG_ROUTE_NO_UPGRADE, MG_RESPONSES, create},
};

static struct mg_router router = {
    .routes = routes,
    .count = sizeof(routes) / sizeof(routes[0]),
    .body_limit = 1 << 20,
    .version_headers = "vendorb-version,anthropic-version",
    .gate = gate,
};

static struct mg_request *req;

static int
ask(const char *method, const char *target, const char *header)
{
    char m[64], t[256];
    snprintf(m, sizeof(m), "REQUEST_METHOD=%s", method);
    snprintf(t, sizeof(t), "REQUEST_URI=%s", target);
    const char *params[] = {m, t, header, NULL};
    struct mg_err err = MG_ERR_INIT;
    mg_request_free(&req);
    ran = seen = NULL;
    gate_ran = false;
    req = mg_request_new(params, &err);
    mg_router_serve(&router, req, NULL);
    mg_err_free(&err);
    return req->status;
}

static void
test_choice(void)
{
    ask("GET", "/v1/responses/resp_1", NULL);
    is_str(ran, "show", "a parameter takes a segment");
    is_str(seen, "resp_1", "... and gives it to the handler");
    ask("GET", "/v1/responses/a%2Fb/", NULL);
    is_str(seen, "a/b", "... decoded, a trailing slash aside");
    ask("POST", "/v1/responses/compact", NULL);
    is_str(ran, "compact", "a literal wins over a parameter, wherever it stands in the table");
    ask("GET", "/v1/responses/compact", NULL);
    is_str(ran, "show", "but only where the method fits");
    ask("POST", "/v1/responses/x/compact", NULL);
    is_str(ran, "compact_one", "a parameter in the middle works");
    ask("HEAD", "/v1/models", NULL);
    is_str(ran, "models", "HEAD is served by the GET row");
    is_int(ask("GET", "/v1/responses//", NULL), 404, "an empty parameter matches nothing");
    is_int(ask("GET", "//v1/models", NULL), 404, "doubled slashes match nothing");
    is_int(ask("GET", "/v1/models/x/y", NULL), 404, "a longer path is another path");
    is_int(ask("GET", "/V1/models", NULL), 404, "paths have their case");
}

static void
test_refusals(void)
{
    is_int(ask("GET", "/nothing", NULL), 404, "an unknown path is a 404");
    ok(!gate_ran, "... without asking who is there");
    is_int(ask("DELETE", "/v1/responses", NULL), 405, "another method is a 405");
    ok(strstr(req->reply_headers.p, "allow: GET, HEAD, POST, OPTIONS\r\n") != NULL,
       "... that names the right ones");
    is_int(ask("OPTIONS", "/v1/responses", NULL), 204, "OPTIONS is answered");
    ok(strstr(req->reply_headers.p, "allow: GET, HEAD, POST, OPTIONS\r\n") != NULL,
       "... with the methods");
    is_int(ask("PATCH", "/fails", NULL), 500, "a handler that fails silently is a 500");
    gate_refuses = true;
    is_int(ask("POST", "/v1/responses", NULL), 401, "the gate can refuse");
    ok(ran == NULL, "... and the handler does not run");
    is_int(ask("GET", "/v1/responses", "HTTP_UPGRADE=websocket"), 426, "a WebSocket is a 426");
    ok(!gate_ran, "... before authentication");
    is_int(ask("GET", "/v1/post-only", "HTTP_UPGRADE=websocket"), 426,
           "... where nothing else is asked for with GET, too");
    is_int(ask("GET", "/v1/post-only", NULL), 405, "... and there an ordinary GET is a 405");
    is_int(ask("GET", "/v1/models", NULL), 200, "the gate sees the row's auth");
    gate_refuses = false;
    is_int(ask("GET", "/v1/responses", NULL), 200, "without an upgrade the row is an ordinary one");
}

static void
test_shapes(void)
{
    ask("POST", "/v1/messages/x", NULL);
    ok(req->messages_errors, "Messages routes have Messages errors");
    ask("GET", "/v1/messages/x", NULL);
    ok(req->messages_errors && req->status == 405, "... a 405 too");
    ask("GET", "/v1/models", NULL);
    ok(!req->messages_errors, "a versioned row without a version header is OpenAI-like");
    ask("GET", "/v1/models", "HTTP_VENDORB_VERSION=2023-06-01");
    ok(req->messages_errors, "... with one it is Messages-like");
    ask("POST", "/v1/responses", "HTTP_VENDORB_VERSION=2023-06-01");
    ok(!req->messages_errors, "other rows do not care");
}

static void
test_check(void)
{
    struct mg_err err = MG_ERR_INIT;
    const struct mg_route twice[] = {{"GET", "/a", 0, 0, MG_CHAT, list},
                                     {"GET", "/a", 0, 0, MG_CHAT, show}};
    const struct mg_route empty[] = {{"GET", "/a", 0, 0, MG_CHAT, NULL}};
    const struct mg_route many[] = {{"GET", "/{a}/{b}/{c}/{d}/{e}", 0, 0, MG_CHAT, list}};
    const struct mg_route slash[] = {{"GET", "/a/", 0, 0, MG_CHAT, list}};
    struct mg_router bad = {.count = 1};
    is_int(mg_router_check(&router, &err), 0, "the table is good");
    bad.routes = empty;
    is_int(mg_router_check(&bad, &err), -1, "a row without a handler is not");
    bad.routes = many;
    is_int(mg_router_check(&bad, &err), -1, "nor one with five parameters");
    bad.routes = slash;
    is_int(mg_router_check(&bad, &err), -1, "nor one that ends with a slash");
    bad.routes = twice;
    bad.count = 2;
    is_int(mg_router_check(&bad, &err), -1, "nor one that is there twice");
    mg_err_free(&err);
}

int
main(void)
{
    plan(0);
    test_choice();
    test_refusals();
    test_shapes();
    test_check();
    mg_request_free(&req);
    return done();
}
