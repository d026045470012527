/* One request as a handler sees it.
 *
 * Made by the server from the FastCGI parameters, with a pool that lives as long as the
 * exchange. Everything in it is checked and decoded; FastCGI does not show through. A handler
 * answers it once: from its worker with http/reply.h, or by handing the connection to an event
 * loop with http/stream.h. */
#ifndef MG_HTTP_REQUEST_H
#define MG_HTTP_REQUEST_H

#include "base/err.h"
#include "base/id.h"
#include "base/pool.h"
#include "base/str.h"
#include "http/uri.h"

#include <stdbool.h>
#include <stdint.h>

#define MG_ROUTE_PARAMS 4

struct mg_route;
struct mg_connection; /* the FastCGI side: http/connection.h, private to this room */

struct mg_request {
    struct mg_pool *pool;
    const char *method;        /* "GET", "POST" …; a HEAD says "GET" here and sets `head` */
    bool head;                 /* reply without a body */
    struct mg_uri uri;
    const char *remote;        /* address of the client as the web server saw it, "" unknown */
    const char *content_type;  /* media type in lower case without parameters, "" = none */
    uint8_t id[MG_ID_BYTES];
    char id_text[MG_REQUEST_ID_SIZE]; /* "req_…": x-request-id and request-id of the reply */
    int64_t started_us;        /* monotonic clock at accept */

    const struct mg_route *route;         /* NULL until one matched */
    const char *param[MG_ROUTE_PARAMS];   /* decoded {parameters} of its pattern, in order */
    bool messages_errors;      /* errors have the Messages shape */
    struct mg_span body;       /* whole and expanded, after mg_body_read; else empty */
    int status;                /* of the reply, 0 = not answered yet */
    void *user;                /* free for the caller's use: who is asking, for example */

    /* The room's own. */
    const struct mg_pair *params; /* all FastCGI parameters */
    size_t param_count;
    struct mg_str body_bytes;
    struct mg_str reply_headers;
    struct mg_connection *conn;   /* the worker's; NULL after the connection was taken over */
};

/* Makes a request of the FastCGI parameters ("NAME=value", NULL at the end), all of them copied.
 * Always returns one, so that an error can be told to the client: err is filled when method or
 * URL are bad (400, 414, 501) or the parameters too large (431). The server calls this. */
struct mg_request *mg_request_new(const char *const *params, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Frees the request and its pool; NULL is allowed. The server does this for a request that was
 * answered by its worker; whoever took it over with mg_stream_open does it otherwise. */
void mg_request_free(struct mg_request **req) __attribute__((nonnull));

/* Value of a request header, name in any case ("X-Api-Key"); NULL when it was not sent.
 * Content-Type and Content-Length are found too. Underscore and hyphen are the same here, as
 * CGI makes them; web servers drop headers with underscores. */
const char *mg_request_header(const struct mg_request *req, const char *name)
    __attribute__((nonnull));
/* Whether one of a comma-separated list of header names was sent. */
bool mg_request_header_any(const struct mg_request *req, const char *names)
    __attribute__((nonnull));
/* A FastCGI parameter by its exact name ("HTTPS", "SERVER_NAME", or one that the web server's
 * configuration sets); NULL when it is absent. Never set by a client: their headers all begin
 * with HTTP_. */
const char *mg_request_server_param(const struct mg_request *req, const char *name)
    __attribute__((nonnull));
/* A cookie of the Cookie header, copied into the pool; NULL when absent. */
const char *mg_request_cookie(const struct mg_request *req, const char *name)
    __attribute__((nonnull));

/* Query parameters: first value of a name (NULL = absent), and a walk over repeats: `*at`
 * starts at 0; NULL ends. "include" and "include[]" are different names to these. */
const char *mg_request_query(const struct mg_request *req, const char *name)
    __attribute__((nonnull));
const char *mg_request_query_next(const struct mg_request *req, const char *name, size_t *at)
    __attribute__((nonnull));
/* A whole number from `least` to `most`: 1 and *value, 0 when it is absent (*value stays), or
 * -1 with a 422 field added to err. */
int mg_request_query_int(const struct mg_request *req, const char *name, int64_t least,
                         int64_t most, int64_t *value, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* The presented key: of `Authorization: Bearer`, else of `x-api-key`; NULL when there is none.
 * Of both, the Bearer counts. Borrowed; never log it. */
const char *mg_request_credential(const struct mg_request *req) __attribute__((nonnull));

/* True for a WebSocket handshake: `Upgrade: websocket`, or a Sec-WebSocket-Key. */
bool mg_request_is_websocket(const struct mg_request *req) __attribute__((nonnull));

#endif
