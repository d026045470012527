/* The body of a request: read to its end, expanded, bounded.
 *
 * CONTENT_LENGTH is a hint only: Apache passes chunked bodies without one. What counts is the
 * end of FCGI_STDIN. A body with Content-Encoding gzip, deflate or zstd is expanded while it
 * arrives, and the limit holds for the compressed and for the expanded size. */
#ifndef MG_HTTP_BODY_H
#define MG_HTTP_BODY_H

#include "http/request.h"

/* Reads the whole body into req->body (memory of the request; calling again does nothing).
 * `limit` is in bytes. 0; or -1 with err: 413 `request_too_large`, 415 `unsupported_encoding`
 * (unknown or stacked), 400 `invalid_encoding` (broken or cut compressed data), 408 `timeout`
 * (too slow), 400 `incomplete_body` (the connection broke off or is shorter than announced). */
int mg_body_read(struct mg_request *req, size_t limit, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Puts another body in the place of the one that was read; `body` is empty after. */
void mg_body_replace(struct mg_request *req, struct mg_str *body) __attribute__((nonnull));
/* Gives the memory of the body back early; req->body becomes empty. For a stream that has sent
 * its request upstream and will live long. */
void mg_body_drop(struct mg_request *req) __attribute__((nonnull));

#endif
