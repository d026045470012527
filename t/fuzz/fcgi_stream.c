/* Fuzzing of the stream writer: any mix of writes, slow reads, stray bytes and departures.
 *
 * Input: pairs of bytes, an operation and its size. Whatever happens, what the peer has read
 * must be whole FastCGI records whose contents are the accepted writes, in order. */
#include "http/connection.h"
#include "http/record.h"
#include "http/request.h"
#include "http/stream.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define WAIT_MAX ((size_t)1 << 20)

struct world {
    struct mg_stream *stream;
    int peer;
    struct mg_str wrote; /* contents that the stream accepted */
    struct mg_str read;  /* bytes that came out */
    bool lost, left, begun, ended;
};

static void
must(bool good)
{
    if (!good)
        abort();
}

/* A GET with its parameters and the end of its empty body. */
static const uint8_t request[] = {
    1, 1, 0, 1, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
    1, 4, 0, 1, 0, 33, 0, 0,
    14, 3, 'R', 'E', 'Q', 'U', 'E', 'S', 'T', '_', 'M', 'E', 'T', 'H', 'O', 'D', 'G', 'E', 'T',
    11, 1, 'R', 'E', 'Q', 'U', 'E', 'S', 'T', '_', 'U', 'R', 'I', '/',
    1, 4, 0, 1, 0, 0, 0, 0,
    1, 5, 0, 1, 0, 0, 0, 0};

static void
peer_reads(struct world *w, size_t n)
{
    char buf[65536];
    while (n > 0 && !w->left) {
        ssize_t got = recv(w->peer, buf, n < sizeof(buf) ? n : sizeof(buf), MSG_DONTWAIT);
        if (got <= 0)
            return;
        mg_str_add(&w->read, buf, (size_t)got);
        n -= (size_t)got;
    }
}

static void
write_some(struct world *w, size_t n, char fill)
{
    static char bytes[200000];
    memset(bytes, fill, n);
    if (mg_stream_write(w->stream, bytes, n) == 0)
        mg_str_add(&w->wrote, bytes, n);
    else
        w->lost = true;
}

static void
step(struct world *w, uint8_t what, uint8_t amount)
{
    static const char stray[256] = {1, 5, 0, 1, 0, 4, 2, 0};
    switch (what % 8) {
    case 0:
        if (!w->begun)
            w->lost |= mg_stream_head(w->stream, 200, "text/plain", -1) != 0;
        w->begun = true;
        break;
    case 1:
    case 2:
        if (w->begun && !w->ended)
            write_some(w, (size_t)amount * (what % 8 == 1 ? 3 : 700), (char)amount);
        break;
    case 3:
        peer_reads(w, (size_t)amount * 997);
        break;
    case 4:
        w->lost |= mg_stream_flush(w->stream) != 0;
        break;
    case 5:
        if (amount > 250)
            w->ended |= mg_stream_finish(w->stream) == 0;
        break;
    case 6:
        if (!w->left && send(w->peer, stray, amount % 32, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
            w->lost |= mg_stream_gone(w->stream);
        break;
    default:
        if (amount > 252 && !w->left) {
            close(w->peer);
            w->left = true;
            must(mg_stream_gone(w->stream));
        }
        break;
    }
    must(mg_stream_pending(w->stream) <= WAIT_MAX);
    must(mg_stream_wants_write(w->stream) == (mg_stream_pending(w->stream) > 0));
}

/* What came out: records, the contents behind the header block, the end only if it was sent. */
static void
check_records(const struct world *w)
{
    const uint8_t *p = (const uint8_t *)w->read.p;
    size_t left = w->read.len, body = 0;
    struct mg_str text;
    mg_str_init(&text, w->read.len + 1);
    while (left >= MG_RECORD_HEADER) {
        size_t n = (size_t)p[4] << 8 | p[5];
        must(p[0] == 1 && p[3] == 1 && p[6] == 0);
        must(p[1] == MG_RECORD_STDOUT || (p[1] == MG_RECORD_END_REQUEST && w->ended && n == 8));
        if (n > left - MG_RECORD_HEADER)
            n = left - MG_RECORD_HEADER; /* the rest was not read */
        if (p[1] == MG_RECORD_STDOUT)
            mg_str_add(&text, p + MG_RECORD_HEADER, n);
        p += MG_RECORD_HEADER + n;
        left -= MG_RECORD_HEADER + n;
    }
    const char *empty = strstr(text.p, "\r\n\r\n");
    if (empty != NULL) {
        body = text.len - (size_t)(empty + 4 - text.p);
        must(w->lost || body <= w->wrote.len);
        must(memcmp(empty + 4, w->wrote.p, body < w->wrote.len ? body : w->wrote.len) == 0);
    }
    mg_str_free(&text);
}

static void
drain(struct world *w)
{
    for (int i = 0; i < 1000 && !w->left && mg_stream_wants_write(w->stream); i++) {
        peer_reads(w, 1 << 20);
        w->lost |= mg_stream_flush(w->stream) != 0;
    }
    peer_reads(w, 1 << 20);
    if (w->ended && !w->lost && !w->left)
        must(mg_stream_finished(w->stream));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct mg_deadline deadline;
    static const struct mg_connection_limits limits = {.silence_s = 5, .request_s = 5};
    static struct mg_connection *conn;
    int pair[2];
    if (conn == NULL) {
        mg_connection_prepare();
        mg_deadline_init(&deadline);
        conn = mg_connection_new(&limits, &deadline);
    }
    struct world w = {0};
    mg_str_init(&w.wrote, (size_t)256 << 20);
    mg_str_init(&w.read, (size_t)256 << 20);
    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    w.peer = pair[0];
    must(send(w.peer, request, sizeof(request), 0) == (ssize_t)sizeof(request));
    must(mg_connection_begin(conn, pair[1]) == 0);
    struct mg_err err = MG_ERR_INIT;
    struct mg_request *req = mg_request_new(mg_connection_params(conn), &err);
    req->conn = conn;
    w.stream = mg_stream_open(req, WAIT_MAX);
    for (size_t i = 0; i + 1 < size && i < 400; i += 2)
        step(&w, data[i], data[i + 1]);
    drain(&w);
    check_records(&w);
    mg_stream_close(&w.stream);
    mg_request_free(&req);
    mg_connection_end(conn);
    if (!w.left)
        close(w.peer);
    mg_str_free(&w.wrote);
    mg_str_free(&w.read);
    mg_err_free(&err);
    return 0;
}
