/* Fuzzing of everything that reads a request line and headers: URL, query, route, key, cookie.
 *
 * Input: lines "METHOD target", then FastCGI parameters, one a line. */
#include "base/alloc.h"
#include "base/utf8.h"
#include "http/request.h"
#include "http/route.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LINES 40

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
handle(struct mg_request *req, void *context, struct mg_err *err)
{
    (void)req, (void)context, (void)err;
    return 0;
}

static const struct mg_route routes[] = {
    {"GET", "/v1/models", 0, MG_ROUTE_VERSIONED, MG_CHAT, handle},
    {"GET", "/v1/models/{model_id}", 0, 0, MG_CHAT, handle},
    {"GET", "/v1/responses", 0, MG_ROUTE_NO_UPGRADE, MG_RESPONSES, handle},
    {"POST", "/v1/responses/compact", 0, 0, MG_RESPONSES, handle},
    {"POST", "/v1/responses/{response_id}/compact", 0, 0, MG_RESPONSES, handle},
    {"POST", "/v1/messages/{subpath}", 0, 0, MG_MESSAGES, handle},
    {"PATCH", "/{a}/{b}/{c}/{d}", 0, 0, MG_CHAT, handle},
};
static const struct mg_router router = {
    .routes = routes,
    .count = sizeof(routes) / sizeof(routes[0]),
    .version_headers = "vendorb-version,anthropic-version",
};

static void
must(bool good)
{
    if (!good)
        abort();
}

static void
check_text(const char *text)
{
    must(text != NULL && mg_utf8_valid(text, strlen(text)));
    must(strcmp(text, ".") != 0 && strcmp(text, "..") != 0);
    for (; *text != '\0'; text++)
        must((unsigned char)*text >= 0x20);
}

static void
check_uri(const struct mg_uri *uri)
{
    must(uri->segments <= MG_URI_SEGMENTS && uri->queries <= MG_URI_PARAMETERS);
    for (size_t i = 0; i < uri->segments; i++) {
        check_text(uri->segment[i]);
        must(strncmp(uri->segment[i], "../", 3) != 0 && strstr(uri->segment[i], "/../") == NULL);
    }
    for (size_t i = 0; i < uri->queries; i++)
        must(uri->query[i].name != NULL && uri->query[i].value != NULL);
}

static void
use(struct mg_request *req)
{
    const struct mg_route *route;
    const char *param[MG_ROUTE_PARAMS] = {NULL};
    char allow[128];
    struct mg_err err = MG_ERR_INIT;
    int64_t n = 5;
    enum mg_route_outcome outcome = mg_route_match(&router, req->method, &req->uri, &route,
                                                   param, allow, sizeof(allow));
    must((outcome == MG_ROUTE_UNKNOWN) == (route == NULL));
    if (outcome == MG_ROUTE_FOUND && strchr(route->pattern, '{') != NULL)
        must(param[0] != NULL && param[0][0] != '\0');
    if (mg_request_query_int(req, "limit", 1, 100, &n, &err) == 1)
        must(n >= 1 && n <= 100);
    const char *key = mg_request_credential(req);
    must(key == NULL || (key[0] != '\0' && strlen(key) <= 512));
    mg_request_cookie(req, "session");
    mg_request_is_websocket(req);
    mg_request_header_any(req, router.version_headers);
    mg_err_free(&err);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mg_strndup((const char *)data, size), *rest = text, *line;
    const char *params[LINES + 3];
    size_t count = 0;
    struct mg_str method, target;
    mg_str_init(&method, size + 32);
    mg_str_init(&target, size + 32);
    line = strsep(&rest, "\n");
    char *space = strchr(line, ' ');
    mg_str_addf(&method, "REQUEST_METHOD=%.*s", space ? (int)(space - line) : (int)strlen(line),
                line);
    mg_str_addf(&target, "REQUEST_URI=%s", space != NULL ? space + 1 : "");
    params[count++] = method.p;
    params[count++] = target.p;
    while (count < LINES && (line = strsep(&rest, "\n")) != NULL)
        params[count++] = line;
    params[count] = NULL;
    struct mg_err err = MG_ERR_INIT;
    struct mg_request *req = mg_request_new(params, &err);
    check_uri(&req->uri);
    use(req);
    mg_request_free(&req);
    mg_err_free(&err);
    mg_str_free(&method);
    mg_str_free(&target);
    free(text);
    return 0;
}
