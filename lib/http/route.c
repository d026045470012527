#include "http/route.h"

#include "http/body.h"
#include "http/reply.h"

#include <stdio.h>
#include <string.h>

/* The next segment of a pattern; false at the end, and at a segment that is empty. */
static bool
next_part(const char **at, struct mg_span *part)
{
    if (**at != '/')
        return false;
    part->p = *at + 1;
    part->n = strcspn(part->p, "/");
    if (part->n == 0)
        return false;
    *at = part->p + part->n;
    return true;
}

static bool
is_parameter(struct mg_span part)
{
    return part.n > 2 && part.p[0] == '{' && part.p[part.n - 1] == '}';
}

static bool
matches(const char *pattern, const struct mg_uri *uri)
{
    struct mg_span part;
    for (size_t i = 0; i < uri->segments; i++) {
        if (!next_part(&pattern, &part))
            return false;
        if (is_parameter(part) ? uri->segment[i][0] == '\0'
                               : !mg_span_is(part, uri->segment[i]))
            return false;
    }
    return !next_part(&pattern, &part);
}

/* Whether `a` says more about the path than `b`: a literal where b has a parameter. */
static bool
more_exact(const char *a, const char *b)
{
    struct mg_span part_a, part_b;
    while (next_part(&a, &part_a) && next_part(&b, &part_b))
        if (is_parameter(part_a) != is_parameter(part_b))
            return is_parameter(part_b);
    return false;
}

static void
take_parameters(const char *pattern, const struct mg_uri *uri,
                const char *param[MG_ROUTE_PARAMS])
{
    struct mg_span part;
    size_t count = 0;
    for (size_t i = 0; next_part(&pattern, &part); i++)
        if (is_parameter(part) && count < MG_ROUTE_PARAMS)
            param[count++] = uri->segment[i];
}

/* Adds a method to the text of an Allow header, once. */
static void
allow_method(char *allow, size_t size, const char *method)
{
    size_t len = strlen(allow), n = strlen(method);
    for (const char *at = allow; (at = strstr(at, method)) != NULL; at += n)
        if ((at == allow || at[-1] == ' ') && (at[n] == ',' || at[n] == '\0'))
            return;
    snprintf(allow + len, size - len, "%s%s", len > 0 ? ", " : "", method);
}

enum mg_route_outcome
mg_route_match(const struct mg_router *router, const char *method, const struct mg_uri *uri,
               const struct mg_route **route, const char *param[MG_ROUTE_PARAMS], char *allow,
               size_t allow_size)
{
    const struct mg_route *best = NULL, *other = NULL;
    *allow = '\0';
    for (size_t i = 0; i < router->count; i++) {
        const struct mg_route *row = &router->routes[i];
        if (!matches(row->pattern, uri))
            continue;
        if (strcmp(row->method, method) != 0) {
            other = row;
            allow_method(allow, allow_size, row->method);
            if (strcmp(row->method, "GET") == 0)
                allow_method(allow, allow_size, "HEAD");
        } else if (best == NULL || more_exact(row->pattern, best->pattern)) {
            best = row;
        }
    }
    *route = best != NULL ? best : other;
    if (best != NULL) {
        take_parameters(best->pattern, uri, param);
        return MG_ROUTE_FOUND;
    }
    if (other == NULL)
        return MG_ROUTE_UNKNOWN;
    allow_method(allow, allow_size, "OPTIONS");
    return MG_ROUTE_METHOD;
}

static void
choose_shape(const struct mg_router *router, struct mg_request *req,
             const struct mg_route *route)
{
    if (route == NULL && router->count > 0)
        route = &router->routes[0]; /* an unknown path: as the program's own routes */
    if (route == NULL)
        return;
    req->messages_errors = mg_family_messages_errors(route->family)
                           || ((route->flags & MG_ROUTE_VERSIONED) != 0
                               && router->version_headers != NULL
                               && mg_request_header_any(req, router->version_headers));
}

static int
wrong_method(struct mg_request *req, const char *allow, struct mg_err *err)
{
    mg_reply_header(req, "allow", allow);
    if (strcmp(req->method, "OPTIONS") == 0)
        return mg_reply_empty(req, 204), 0;
    return mg_err_set(err, 405, "method_not_allowed", "%s is not allowed here; use %s.",
                      req->method, allow);
}

/* A path without WebSocket says so whatever its methods are: an upgrade is always a GET, and
 * clients fall back to POST at once after a 426 only. */
static bool
is_unwanted_upgrade(const struct mg_route *route, const struct mg_request *req)
{
    return route != NULL && (route->flags & MG_ROUTE_NO_UPGRADE) != 0
           && mg_request_is_websocket(req);
}

static int
run(const struct mg_router *router, struct mg_request *req, void *context, struct mg_err *err)
{
    const struct mg_route *route = req->route;
    if (router->gate != NULL && router->gate(req, context, err) != 0)
        return -1;
    if ((route->flags & (MG_ROUTE_BODY | MG_ROUTE_SMALL_BODY)) != 0) {
        bool small = (route->flags & MG_ROUTE_SMALL_BODY) != 0;
        if (mg_body_read(req, small ? MG_SMALL_BODY : router->body_limit, err) != 0)
            return -1;
    }
    return route->handle(req, context, err);
}

void
mg_router_serve(const struct mg_router *router, struct mg_request *req, void *context)
{
    struct mg_err err = MG_ERR_INIT;
    const struct mg_route *route;
    char allow[128];
    int rc = -1;
    enum mg_route_outcome outcome = mg_route_match(router, req->method, &req->uri, &route,
                                                   req->param, allow, sizeof(allow));
    choose_shape(router, req, route);
    if (is_unwanted_upgrade(route, req)) {
        mg_err_set(&err, 426, "upgrade_not_supported",
                   "WebSocket is not offered here; send the request with POST.");
    } else if (outcome == MG_ROUTE_FOUND) {
        req->route = route;
        rc = run(router, req, context, &err);
    } else if (outcome == MG_ROUTE_METHOD) {
        rc = wrong_method(req, allow, &err);
    } else {
        mg_err_set(&err, 404, "not_found", "There is no endpoint %s %.200s. Check the base URL.",
                   req->method, req->uri.path);
    }
    if (rc != 0) { /* only then is the request still ours */
        if (!mg_err_is(&err))
            mg_err_internal(&err, "a handler failed without saying why");
        mg_reply_error(req, &err);
    }
    mg_err_free(&err);
}

void
mg_router_refuse(const struct mg_router *router, struct mg_request *req,
                 const struct mg_err *err)
{
    choose_shape(router, req, NULL);
    mg_reply_error(req, err);
}

static size_t
count_parameters(const char *pattern)
{
    struct mg_span part;
    size_t count = 0;
    while (next_part(&pattern, &part))
        count += is_parameter(part);
    return *pattern == '\0' ? count : MG_ROUTE_PARAMS + 1;
}

int
mg_router_check(const struct mg_router *router, struct mg_err *err)
{
    for (size_t i = 0; i < router->count; i++) {
        const struct mg_route *row = &router->routes[i];
        if (row->method == NULL || row->pattern == NULL || row->handle == NULL
            || row->pattern[0] != '/' || count_parameters(row->pattern) > MG_ROUTE_PARAMS)
            return mg_err_internal(err, "route %zu (%s) is not well-formed", i + 1,
                                   row->pattern ? row->pattern : "no pattern");
        for (size_t j = 0; j < i; j++)
            if (strcmp(row->method, router->routes[j].method) == 0
                && strcmp(row->pattern, router->routes[j].pattern) == 0)
                return mg_err_internal(err, "route %s %s occurs twice", row->method,
                                       row->pattern);
    }
    return 0;
}
