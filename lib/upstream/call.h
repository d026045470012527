/* One HTTP call that waits for its answer, for threads that may block.
 *
 * What an event loop is too much for: a payment provider, a provider's own token counter, the
 * operator's probe. HTTP/1.1 over http or https, certificates verified, no redirects, no proxy
 * from the environment, a new connection each time. Sent once and never repeated: whether a
 * call may be made again is for the caller. Texts of errors never hold header values, bodies or
 * addresses with their queries. */
#ifndef MG_UPSTREAM_CALL_H
#define MG_UPSTREAM_CALL_H

#include "base/err.h"
#include "base/str.h"
#include "upstream/transfer.h"

struct mg_call {
    const char *method; /* "GET", "POST", "DELETE" … */
    const char *url;    /* http:// or https:// */
    const struct mg_transfer_header *headers;
    size_t header_count;
    struct mg_span body;  /* none: empty */
    int64_t connect_ms;   /* for the connect, TLS included; 0 = 10 s */
    int64_t total_ms;     /* for the whole call; 0 = 30 s */
};

/* Makes the call. `reply` was given its hard maximum by mg_str_init; it is emptied first and
 * then holds the body of the answer, content encoding removed; the caller frees it.
 * 0: a whole answer came, *status is its HTTP status, whatever that is. -1: none did, and err
 * says 504 (`upstream_timeout`) or 502 (`upstream_unreachable`: not connected, nothing sent;
 * `upstream_cut`: broken off after something was sent; `upstream_too_large`: more than `reply`
 * may hold), with what happened in err->detail. A request that cannot be made is a 500. */
int mg_call_run(const struct mg_call *call, int *status, struct mg_str *reply,
                struct mg_err *err) __attribute__((nonnull, warn_unused_result));

#endif
