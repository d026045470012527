#include "http/stream.h"

#include "base/alloc.h"
#include "http/connection.h"
#include "http/record.h"
#include "http/reply.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define HEAD_MAX ((size_t)32 * 1024)
#define ERROR_BODY_MAX ((size_t)1 << 20)
#define KEEP_MAX ((size_t)64 * 1024) /* a buffer larger than this is given back when empty */

struct mg_stream {
    struct mg_request *req;
    int fd;              /* -1: the connection was broken when it was taken over */
    int request_id;
    struct mg_str wait;  /* records the socket did not take yet */
    size_t sent;         /* bytes of `wait` that it has taken */
    struct mg_record_scan scan;
    bool gone, started, ended;
    bool all_sent; /* when the peer left, nothing was waiting */
};

struct mg_stream *
mg_stream_open(struct mg_request *req, size_t max)
{
    struct mg_stream *stream = mg_calloc(1, sizeof(*stream));
    stream->req = req;
    stream->fd = req->conn != NULL ? mg_connection_take(req->conn, &stream->request_id) : -1;
    stream->gone = stream->fd < 0;
    req->conn = NULL;
    mg_str_init(&stream->wait, max);
    return stream;
}

void
mg_stream_close(struct mg_stream **stream)
{
    struct mg_stream *s = *stream;
    if (s == NULL)
        return;
    if (s->fd >= 0)
        close(s->fd);
    mg_str_free(&s->wait);
    free(s);
    *stream = NULL;
}

int
mg_stream_fd(const struct mg_stream *stream)
{
    return stream->fd;
}

static int
lost(struct mg_stream *s)
{
    if (!s->gone)
        s->all_sent = s->sent == s->wait.len;
    s->gone = true;
    mg_str_free(&s->wait);
    s->sent = 0;
    return -1;
}

int
mg_stream_flush(struct mg_stream *s)
{
    if (s->gone)
        return -1;
    while (s->sent < s->wait.len) {
        ssize_t n = send(s->fd, s->wait.p + s->sent, s->wait.len - s->sent,
                         MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : lost(s);
        s->sent += (size_t)n;
    }
    s->sent = 0;
    if (s->wait.cap > KEEP_MAX)
        mg_str_free(&s->wait);
    else
        mg_str_reset(&s->wait);
    return 0;
}

/* Sends parts at once when nothing waits; keeps the rest of them. */
static int
put(struct mg_stream *s, struct iovec *part, size_t parts)
{
    size_t skip = 0;
    if (s->wait.len == 0) {
        struct msghdr msg = {.msg_iov = part, .msg_iovlen = parts};
        ssize_t n;
        do
            n = sendmsg(s->fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
        while (n < 0 && errno == EINTR);
        if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
            return lost(s);
        skip = n > 0 ? (size_t)n : 0;
    } else if (s->sent > s->wait.len / 2) { /* what was sent must not count as waiting */
        mg_str_drop(&s->wait, s->sent);
        s->sent = 0;
    }
    for (size_t i = 0; i < parts; i++) {
        size_t done = skip < part[i].iov_len ? skip : part[i].iov_len;
        mg_str_add(&s->wait, (char *)part[i].iov_base + done, part[i].iov_len - done);
        skip -= done;
    }
    return mg_str_ok(&s->wait) ? 0 : lost(s);
}

static int
put_record(struct mg_stream *s, const char *bytes, size_t n)
{
    uint8_t head[MG_RECORD_HEADER];
    union { const char *in; void *out; } as = {bytes}; /* sendmsg does not write there */
    mg_record_header(head, MG_RECORD_STDOUT, s->request_id, n);
    struct iovec part[] = {{head, sizeof(head)}, {as.out, n}};
    return put(s, part, 2);
}

static int
put_bytes(struct mg_stream *s, const char *bytes, size_t n)
{
    while (n > 0) {
        size_t content = n < MG_RECORD_CONTENT ? n : MG_RECORD_CONTENT;
        if (put_record(s, bytes, content) != 0)
            return -1;
        bytes += content;
        n -= content;
    }
    return 0;
}

int
mg_stream_head(struct mg_stream *s, int status, const char *content_type, int64_t length)
{
    struct mg_str head;
    mg_str_init(&head, HEAD_MAX);
    mg_reply_head(s->req, status, content_type, length, &head);
    s->started = true;
    int rc = s->gone ? -1 : put_bytes(s, head.p, head.len);
    mg_str_free(&head);
    return rc;
}

int
mg_stream_write(struct mg_stream *s, const void *bytes, size_t n)
{
    if (s->gone)
        return -1;
    return s->req->head ? 0 : put_bytes(s, bytes, n);
}

void
mg_stream_farewell(struct mg_stream *s)
{
    uint8_t end[MG_RECORD_END_SIZE];
    if (s->fd < 0 || s->ended || !s->started || (s->gone && !s->all_sent))
        return;
    s->ended = true;
    mg_record_end(end, s->request_id);
    ssize_t n = send(s->fd, end, sizeof(end), MSG_DONTWAIT | MSG_NOSIGNAL);
    (void)n; /* it may be too late */
}

int
mg_stream_finish(struct mg_stream *s)
{
    uint8_t end[MG_RECORD_END_SIZE];
    if (s->gone)
        return -1;
    if (s->ended)
        return 0;
    s->ended = true;
    mg_record_end(end, s->request_id);
    struct iovec part = {end, sizeof(end)};
    return put(s, &part, 1);
}

/* A reply that fits one record goes out whole, with one system call. */
static int
reply_at_once(struct mg_stream *s, struct mg_span head, const char *bytes, size_t n)
{
    uint8_t start[MG_RECORD_HEADER], end[MG_RECORD_END_SIZE];
    union { const char *in; void *out; } from = {head.p}, body = {bytes};
    mg_record_header(start, MG_RECORD_STDOUT, s->request_id, head.n + n);
    mg_record_end(end, s->request_id);
    struct iovec part[] = {
        {start, sizeof(start)}, {from.out, head.n}, {body.out, n}, {end, sizeof(end)}};
    s->ended = true;
    return put(s, part, 4);
}

int
mg_stream_reply(struct mg_stream *s, int status, const char *content_type, const void *bytes,
                size_t n)
{
    struct mg_str head;
    mg_str_init(&head, HEAD_MAX);
    mg_reply_head(s->req, status, content_type, content_type != NULL ? (int64_t)n : -1, &head);
    s->started = true;
    if (content_type == NULL || s->req->head)
        n = 0;
    int rc;
    if (s->gone)
        rc = -1;
    else if (head.len + n <= MG_RECORD_CONTENT)
        rc = reply_at_once(s, mg_str_span(&head), bytes, n);
    else if ((rc = put_bytes(s, head.p, head.len)) == 0 && (rc = put_bytes(s, bytes, n)) == 0)
        rc = mg_stream_finish(s);
    mg_str_free(&head);
    return rc;
}

int
mg_stream_error(struct mg_stream *s, const struct mg_err *err)
{
    struct mg_str body;
    mg_str_init(&body, ERROR_BODY_MAX + err->verbatim_len);
    const char *type = mg_reply_error_parts(s->req, err, &body);
    int rc = mg_stream_reply(s, err->status, type, body.p, body.len);
    mg_str_free(&body);
    return rc;
}

size_t
mg_stream_pending(const struct mg_stream *stream)
{
    return stream->wait.len - stream->sent;
}

bool
mg_stream_wants_write(const struct mg_stream *stream)
{
    return mg_stream_pending(stream) > 0;
}

bool
mg_stream_started(const struct mg_stream *stream)
{
    return stream->started;
}

bool
mg_stream_finished(const struct mg_stream *stream)
{
    return stream->ended && !stream->gone && mg_stream_pending(stream) == 0;
}

bool
mg_stream_gone(struct mg_stream *s)
{
    uint8_t bytes[512];
    while (!s->gone) {
        ssize_t n = recv(s->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return false;
        if (n <= 0 || mg_record_scan_abort(&s->scan, bytes, (size_t)n, s->request_id))
            lost(s);
    }
    return true;
}
