/* Routing: a table of rows, the map of a program's API.
 *
 *   static const struct mg_route routes[] = {
 *       {"GET", "/v1/models", AUTH_KEY, MG_ROUTE_VERSIONED, MG_CHAT, list_models},
 *       {"GET", "/v1/models/{model_id}", AUTH_KEY, MG_ROUTE_VERSIONED, MG_CHAT, show_model},
 *   };
 *
 * A segment of a pattern is a literal or one {parameter}, which takes exactly one non-empty
 * segment. Of several matching rows the one with a literal where the others have a parameter,
 * seen from the left, wins; the order of the table does not matter. One trailing slash in the
 * request is ignored; doubled slashes match nothing. A GET row answers HEAD too (without body).
 * OPTIONS on a known path gives 204 with Allow. Unknown path: 404; known path with another
 * method: 405 with Allow. The room knows nothing of keys and accounts: `auth` is a number that
 * the gate of the service interprets. */
#ifndef MG_HTTP_ROUTE_H
#define MG_HTTP_ROUTE_H

#include "http/request.h"
#include "wire/family.h"

enum {
    MG_ROUTE_BODY = 1,        /* read the body (limit: the router's) before the handler runs */
    MG_ROUTE_SMALL_BODY = 2,  /* the same with the limit MG_SMALL_BODY */
    MG_ROUTE_NO_UPGRADE = 4,  /* a WebSocket upgrade gets 426 at once, before authentication */
    MG_ROUTE_VERSIONED = 8    /* errors take the Messages shape when a version header is sent */
};
#define MG_SMALL_BODY ((size_t)64 * 1024)

/* Answers the request (http/reply.h or http/stream.h) and returns 0, or fills err and returns
 * -1: the router then sends the error. `context` is the worker's. A request that was handed to
 * an event loop may be gone already when the handler returns. */
typedef int mg_handler(struct mg_request *req, void *context, struct mg_err *err);

struct mg_route {
    const char *method;
    const char *pattern;
    int auth;
    unsigned flags;         /* MG_ROUTE_ bits */
    enum mg_family family;  /* whose error shape */
    mg_handler *handle;
};

struct mg_router {
    const struct mg_route *routes;
    size_t count;
    size_t body_limit;            /* bytes, for MG_ROUTE_BODY */
    const char *version_headers;  /* comma-separated names, for MG_ROUTE_VERSIONED */
    mg_handler *gate;             /* authentication: called with req->route set, before the
                                   * body is read; -1 refuses. NULL: none */
};

enum mg_route_outcome { MG_ROUTE_FOUND, MG_ROUTE_UNKNOWN, MG_ROUTE_METHOD };

/* Finds the row for method and segments: FOUND fills *route and the parameters; METHOD (405 or
 * OPTIONS) sets *route to some row of the path and fills `allow` with its methods ("GET, HEAD,
 * POST, OPTIONS"); UNKNOWN sets *route to NULL. Pure. */
enum mg_route_outcome mg_route_match(const struct mg_router *router, const char *method,
                                     const struct mg_uri *uri, const struct mg_route **route,
                                     const char *param[MG_ROUTE_PARAMS], char *allow,
                                     size_t allow_size) __attribute__((nonnull));

/* Serves one request by the table: match, upgrade rule, gate, body, handler, error reply. Has
 * the form that struct mg_server wants; `req` must not be used afterwards. */
void mg_router_serve(const struct mg_router *router, struct mg_request *req, void *context)
    __attribute__((nonnull(1, 2)));

/* Refuses a request that could not even be taken apart, in the shape of the table's family. */
void mg_router_refuse(const struct mg_router *router, struct mg_request *req,
                      const struct mg_err *err) __attribute__((nonnull));

/* Checks a table once at start-up: patterns begin with '/', handlers exist, no row occurs
 * twice, not too many parameters. 0, or -1 with err naming the row. */
int mg_router_check(const struct mg_router *router, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
