/*
 * HTTP/1.1 requests read from a growing buffer: head, then a body of known length or in chunks
 * (RFC 9112). Replies are not its business, sockets neither.
 */
#ifndef SIM_HTTP_H
#define SIM_HTTP_H

#include "buf.h"

enum {
    SIM_HTTP_HEAD_MAX = 256 * 1024,
    SIM_HTTP_HEADERS_MAX = 128,
    SIM_HTTP_BODY_MAX = 128 * 1024 * 1024
};

struct sim_header {
    const char *name; /* lower case */
    const char *value;
};

enum sim_http_state { SIM_HTTP_HEAD, SIM_HTTP_BODY, SIM_HTTP_CHUNKS, SIM_HTTP_READY };

/* One request; zero-initialise before the first use. Strings point into head. */
struct sim_request {
    enum sim_http_state state;
    struct sim_buf head;
    struct sim_buf chunks; /* the decoded body of a chunked request */
    const char *method;
    const char *path;  /* without the query */
    const char *query; /* what follows '?', "" when nothing does */
    struct sim_header header[SIM_HTTP_HEADERS_MAX];
    int headers;
    bool keep_alive;
    bool expects; /* waits for "100 Continue" */
    const char *body;
    size_t body_len;
    size_t used; /* bytes of the input that belong to this request so far */
};

/*
 * Reads on in the input. Returns 1 when the request is whole (until the input changes, body points
 * into it), 0 when more bytes are needed, or the HTTP status of a refusal.
 */
int sim_http_read(struct sim_request *req, const struct sim_buf *in);

/* Makes req ready for the next request; the caller has dropped req->used bytes of the input. */
void sim_http_next(struct sim_request *req);

void sim_http_free(struct sim_request *req);

/* Value of a header (name in lower case), NULL when absent; of several the first. */
const char *sim_http_header(const struct sim_request *req, const char *name);

/* The value of a query parameter, not decoded, in buf (size bytes); NULL when absent. */
const char *sim_http_query(const struct sim_request *req, const char *name, char *buf, size_t size);

/* The standard reason phrase, "Status" for others. */
const char *sim_http_reason(int status);

#endif
