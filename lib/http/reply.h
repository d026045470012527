/* Replies that a worker sends whole: status, headers and a body that is ready.
 *
 * Every reply carries x-request-id and request-id (the same value) and, unless a header says
 * otherwise, cache-control: no-store. Sending blocks the worker for a bounded time; a client
 * that does not read is given up. What is streamed or waits for an upstream goes through
 * http/stream.h instead and uses only mg_reply_header and mg_reply_head from here. */
#ifndef MG_HTTP_REPLY_H
#define MG_HTTP_REPLY_H

#include "http/request.h"

#define MG_TYPE_JSON "application/json"
#define MG_TYPE_EVENTS "text/event-stream; charset=utf-8"

/* Adds a header to the reply to come. Control characters in the value are dropped. A
 * cache-control given here replaces the default. */
void mg_reply_header(struct mg_request *req, const char *name, const char *value)
    __attribute__((nonnull));

/* Sends a reply and ends the exchange. 0, or -1 when the peer is gone (nothing else can be
 * done: the caller may ignore it). `content_type` NULL: no body. */
int mg_reply_bytes(struct mg_request *req, int status, const char *content_type,
                   const void *bytes, size_t n) __attribute__((nonnull(1)));
/* The same for JSON text. */
int mg_reply_json(struct mg_request *req, int status, const struct mg_str *json)
    __attribute__((nonnull));
/* A reply without a body: 204, or a 303 with its location header added before. */
int mg_reply_empty(struct mg_request *req, int status) __attribute__((nonnull));

/* Sends an error in the shape of the request (req->messages_errors), with Retry-After and
 * x-should-retry as the object says, and logs its private detail with the request id. A
 * verbatim body goes out unchanged with its own content type. The object stays the caller's. */
int mg_reply_error(struct mg_request *req, const struct mg_err *err) __attribute__((nonnull));

/* For streams: what mg_reply_error would say, in parts. The headers are added to the request,
 * the body is appended to `body`; returns its content type. */
const char *mg_reply_error_parts(struct mg_request *req, const struct mg_err *err,
                                 struct mg_str *body) __attribute__((nonnull));

/* Appends the CGI header block of a reply ("Status: …" up to the empty line). `length` < 0:
 * not known. Notes the status in the request. */
void mg_reply_head(struct mg_request *req, int status, const char *content_type, int64_t length,
                   struct mg_str *out) __attribute__((nonnull(1, 5)));

/* "OK", "Too Many Requests" … for a status; "" when it is not known. */
const char *mg_reply_reason(int status);

#endif
