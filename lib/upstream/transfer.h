/* One HTTP exchange with an upstream, on an event loop.
 *
 * HTTP/1.1 over http or https, certificates verified, connections kept and reused, no
 * redirects, no proxy from the environment. The request is sent at most once: when a kept
 * connection turns out to be dead after a byte of the request went out, the transfer ends as
 * CUT instead of being sent again. Only a failed connect, where nothing was sent, is tried
 * again here. What the reply means is for the caller; texts never contain header values. */
#ifndef MG_UPSTREAM_TRANSFER_H
#define MG_UPSTREAM_TRANSFER_H

#include "base/str.h"
#include "upstream/loop.h"

struct mg_transfer;

struct mg_transfer_header {
    const char *name, *value;
};

enum mg_transfer_end {
    MG_TRANSFER_COMPLETE,  /* the reply came whole, by its own framing */
    MG_TRANSFER_UNSENT,    /* no connection: nothing of the request was sent */
    MG_TRANSFER_CUT,       /* broken after a byte was sent: it may have been acted on */
    MG_TRANSFER_TIMEOUT,   /* silence or total time over, after a byte was sent */
    MG_TRANSFER_TLS,       /* certificate or handshake refused: nothing was sent */
    MG_TRANSFER_TOO_LARGE, /* the reply exceeds reply_limit */
    MG_TRANSFER_INVALID    /* the request could not be made: bad URL or header */
};

struct mg_transfer_result {
    enum mg_transfer_end end;
    int status;          /* HTTP status, 0 = no reply head came */
    int tries;           /* connects attempted */
    int64_t bytes;       /* of the reply's body, decoded */
    char text[160];      /* what happened, for the log: no secrets */
};

/* All on the loop's thread. The transfer may be cancelled from inside each of them. */
struct mg_transfer_calls {
    /* The reply's head is there (1xx are skipped). Ask mg_transfer_reply_header now. */
    void (*on_status)(void *arg, struct mg_transfer *transfer, int status);
    /* Bytes of the body, content encoding removed. Return false to pause: nothing more is
     * delivered until mg_transfer_resume (these bytes count as taken). */
    bool (*on_data)(void *arg, struct mg_transfer *transfer, const char *bytes, size_t n);
    /* The last call; the transfer is freed after it. The reply's headers can still be asked
     * for, the request's body is not needed any more. */
    void (*on_end)(void *arg, const struct mg_transfer_result *result);
};

struct mg_transfer_request {
    const char *method;   /* "POST" or "GET" */
    const char *url;      /* http:// or https:// */
    const struct mg_transfer_header *headers;
    size_t header_count;
    struct mg_span body;  /* of a POST: kept alive by the caller until on_end or cancel */
    int64_t connect_ms;   /* for one connect, TLS included */
    int64_t silence_ms;   /* no byte in either direction for so long; 0 = no limit */
    int64_t total_ms;     /* the whole transfer; 0 = no limit */
    int64_t reply_limit;  /* bytes of the decoded body; 0 = no limit */
    int connect_tries;    /* connects in all, 0 = 3 */
};

/* Starts a transfer on the loop's thread. URL and headers are copied. Never fails at once: a
 * request that cannot be made ends in on_end too, always after this function returned. */
struct mg_transfer *mg_transfer_start(struct mg_loop *loop,
                                      const struct mg_transfer_request *request,
                                      const struct mg_transfer_calls *calls, void *arg)
    __attribute__((nonnull(1, 2, 3), warn_unused_result));
/* Ends it without any further call, closing its connection; *transfer becomes NULL. The body
 * may be freed at once, but from inside on_status or on_data of another transfer only in the
 * loop's next turn (mg_timer_set with 0): libcurl is at work then. NULL is allowed. */
void mg_transfer_cancel(struct mg_transfer **transfer) __attribute__((nonnull));
/* Goes on after on_data asked for a pause. */
void mg_transfer_resume(struct mg_transfer *transfer) __attribute__((nonnull));
/* A header of the reply, name in any case; NULL when it is absent. Valid until the transfer
 * ends. */
const char *mg_transfer_reply_header(struct mg_transfer *transfer, const char *name)
    __attribute__((nonnull));
/* The whole body has been handed to the network: the caller may drop it. Not so when the
 * upstream replied before it took the body. */
bool mg_transfer_sent(const struct mg_transfer *transfer) __attribute__((nonnull));

#endif
