/* Streams: records that are never half, slow readers, peers that leave at every stage. */
#include "tap.h"

#include "fcgi_peer.h"
#include "http/connection.h"
#include "http/reply.h"
#include "http/stream.h"


static const struct mg_connection_limits limits = {.silence_s = 1, .request_s = 5};
static struct mg_deadline deadline;
static struct mg_connection *conn;
static struct mg_request *req;
static struct mg_stream *stream;
static int peer = -1;
static struct mg_str in, got;

static void
shut(void)
{
    mg_stream_close(&stream);
    mg_request_free(&req);
    mg_connection_free(&conn);
    if (peer >= 0)
        close(peer);
    peer = -1;
}

/* A request from a socket pair, up to the open stream; n bytes of it are sent, 0 = all. */
static void
start_with(const char *method, size_t max, size_t n)
{
    char m[64];
    int pair[2];
    shut();
    snprintf(m, sizeof(m), "REQUEST_METHOD=%s", method);
    const char *params[] = {m, "REQUEST_URI=/v1/messages", NULL};
    struct mg_err err = MG_ERR_INIT;
    mg_str_reset(&in);
    mg_str_reset(&got);
    peer_begin(&in, params);
    size_t head = in.len;
    peer_body(&in, "{}", 2);
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);
    peer = pair[0];
    peer_send(peer, in.p, n == 0 ? in.len : head + n);
    if (n > 0)
        shutdown(peer, SHUT_WR);
    conn = mg_connection_new(&limits, &deadline);
    if (mg_connection_begin(conn, pair[1]) != 0)
        return;
    req = mg_request_new(mg_connection_params(conn), &err);
    req->conn = conn;
    stream = mg_stream_open(req, max);
    mg_err_free(&err);
}

static void
start(size_t max)
{
    start_with("POST", max, 0);
}

static void
test_records(void)
{
    static char big[200000];
    memset(big, 'b', sizeof(big));
    start(1 << 20);
    is_int(mg_stream_head(stream, 200, MG_TYPE_EVENTS, -1), 0, "the head is sent");
    ok(mg_stream_started(stream), "... and the stream has started");
    is_int(peer_read(peer, &got), PEER_STDOUT, "it is a record of its own");
    ok(strncmp(got.p, "Status: 200 OK\r\n", 16) == 0, "... with the status");
    mg_stream_write(stream, "data: 1\n\n", 9);
    mg_stream_write(stream, "data: 2\n\n", 9);
    mg_str_reset(&got);
    peer_read(peer, &got);
    is_str(got.p, "data: 1\n\n", "each write is one record");
    peer_read(peer, &got);
    mg_stream_write(stream, big, sizeof(big));
    mg_str_reset(&got);
    for (int i = 0; i < 3; i++)
        peer_read(peer, &got);
    is_int((long long)got.len, 3 * 65528, "a large write is cut into full records");
    mg_stream_flush(stream);
    peer_read(peer, &got);
    is_int((long long)got.len, sizeof(big), "... and arrives whole");
    is_int(mg_stream_finish(stream), 0, "the end is sent");
    ok(mg_stream_finished(stream), "... and nothing waits");
    mg_str_reset(&got);
    is_int(peer_read(peer, &got), PEER_STDOUT, "an empty record");
    is_int(peer_read(peer, &got), PEER_END, "... and END_REQUEST");
    is_int((long long)got.len, 8, "... with its body");
}

static void
test_whole_replies(void)
{
    struct mg_err err = MG_ERR_INIT;
    start(1 << 20);
    mg_reply_header(req, "x-extra", "1");
    is_int(mg_stream_reply(stream, 200, MG_TYPE_JSON, "{}", 2), 0, "a whole reply is sent");
    ok(mg_stream_finished(stream), "... and finished");
    ok(peer_reply(peer, &got) && strcmp(peer_content(&got), "{}") == 0, "... with its body");
    ok(strstr(got.p, "x-extra: 1\r\n") != NULL && strstr(got.p, "Content-Length: 2\r\n") != NULL,
       "... and its headers");
    start_with("HEAD", 1 << 20, 0);
    mg_stream_reply(stream, 200, MG_TYPE_JSON, "{}", 2);
    ok(peer_reply(peer, &got) && *peer_content(&got) == '\0', "HEAD gets no body");
    start_with("HEAD", 1 << 20, 0);
    mg_stream_head(stream, 200, MG_TYPE_EVENTS, -1);
    mg_stream_write(stream, "data: 1\n\n", 9);
    mg_stream_finish(stream);
    ok(peer_reply(peer, &got) && *peer_content(&got) == '\0', "nor does a HEAD that streams");
    start(1 << 20);
    req->messages_errors = true;
    mg_err_set(&err, 529, "overloaded", "Busy.");
    err.retry_after_s = 1;
    mg_stream_error(stream, &err);
    ok(peer_reply(peer, &got) && peer_status(&got) == 529, "an error can be the reply");
    ok(strstr(got.p, "retry-after: 1\r\n") != NULL
           && strstr(got.p, "\"overloaded_error\"") != NULL, "... with headers and shape");
    mg_err_free(&err);
}

static void
test_slow_reader(void)
{
    char event[1024];
    size_t sent = 0;
    start(4 << 20);
    for (int i = 0; i < 2000; i++) { /* 2 MB, which no socket keeps */
        memset(event, 'a' + i % 26, sizeof(event));
        if (mg_stream_write(stream, event, sizeof(event)) == 0)
            sent += sizeof(event);
    }
    ok(mg_stream_wants_write(stream) && mg_stream_pending(stream) > 1000000,
       "what the socket does not take waits");
    mg_stream_finish(stream);
    ok(!mg_stream_finished(stream), "and so does the end");
    size_t bytes = 0;
    bool right = true;
    for (int type = 0, i = 0; type != PEER_END; i++) {
        mg_str_reset(&got);
        mg_stream_flush(stream);
        type = peer_read(peer, &got);
        if (type == 0)
            break;
        if (type == PEER_STDOUT && got.len > 0) {
            right &= got.len == sizeof(event) && got.p[0] == (char)('a' + i % 26)
                     && got.p[1023] == got.p[0];
            bytes += got.len;
        }
    }
    is_int((long long)bytes, (long long)sent, "a reader that catches up gets every byte");
    ok(right, "... in order and in whole records");
    ok(mg_stream_finished(stream) && !mg_stream_wants_write(stream), "then the stream is done");
}

static void
test_overflow(void)
{
    static char big[100000];
    int rc = 0;
    start(300000);
    for (int i = 0; i < 50 && rc == 0; i++) {
        rc = mg_stream_write(stream, big, sizeof(big));
        ok(rc != 0 || mg_stream_pending(stream) <= 300000, "at most `max` bytes wait");
    }
    is_int(rc, -1, "a write beyond that fails");
    ok(mg_stream_gone(stream), "... and the client is given up");
    is_int((long long)mg_stream_pending(stream), 0, "... with what waited");
    is_int(mg_stream_write(stream, "x", 1), -1, "nothing can be written any more");
}

static void
test_cut(void)
{
    start(1 << 20);
    mg_stream_head(stream, 200, MG_TYPE_EVENTS, -1);
    mg_stream_write(stream, "data: 1\n\n", 9);
    mg_stream_close(&stream);
    ok(!peer_reply(peer, &got), "a stream that is closed without its end looks cut");
    ok(strstr(got.p, "data: 1\n\n") != NULL, "what was sent before arrives");
}

static void
test_leaving(void)
{
    start(1 << 20);
    ok(!mg_stream_gone(stream), "a peer that waits is there");
    shutdown(peer, SHUT_WR);
    ok(mg_stream_gone(stream), "a half-closed one has left");
    start(1 << 20);
    close(peer);
    peer = -1;
    ok(mg_stream_gone(stream), "a closed one has left");
    is_int(mg_stream_head(stream, 200, MG_TYPE_EVENTS, -1), -1, "... and takes no head");
    start(1 << 20);
    close(peer);
    peer = -1;
    is_int(mg_stream_head(stream, 200, MG_TYPE_EVENTS, -1), -1,
           "a peer that left unnoticed fails the head, without a signal");
    start(1 << 20);
    mg_stream_head(stream, 200, MG_TYPE_EVENTS, -1);
    close(peer);
    peer = -1;
    is_int(mg_stream_write(stream, "x", 1), -1, "... or the next event");
    is_int(mg_stream_finish(stream), -1, "... and the end");
    ok(!mg_stream_finished(stream), "... which is not reached");
}

static void
test_abort(void)
{
    struct mg_str abort_record;
    mg_str_init(&abort_record, 1000);
    start(1 << 20);
    peer_record(&abort_record, PEER_STDIN, "late", 4);
    peer_send(peer, abort_record.p, abort_record.len);
    ok(!mg_stream_gone(stream), "another record is passed over");
    mg_str_reset(&abort_record);
    peer_record(&abort_record, PEER_ABORT, "", 0);
    bool early = false;
    for (size_t i = 0; i + 1 < abort_record.len; i++) {
        peer_send(peer, abort_record.p + i, 1);
        early |= mg_stream_gone(stream);
    }
    ok(!early, "part of an abort is none");
    peer_send(peer, abort_record.p + abort_record.len - 1, 1);
    ok(mg_stream_gone(stream), "an FCGI_ABORT_REQUEST is a peer that left");
    mg_str_free(&abort_record);
}

static void
test_broken_start(void)
{
    start_with("POST", 1 << 20, 3);
    ok(mg_stream_gone(stream), "a stream over a body that broke off is gone from the start");
    is_int(mg_stream_fd(stream), -1, "... and has no descriptor");
    is_int(mg_stream_reply(stream, 200, MG_TYPE_JSON, "{}", 2), -1, "... and sends nothing");
    ok(mg_connection_taken(conn), "the worker knows that the request is not its own");
}

int
main(void)
{
    plan(0);
    mg_connection_prepare();
    mg_deadline_init(&deadline);
    mg_str_init(&in, 1 << 20);
    mg_str_init(&got, 4 << 20);
    test_records();
    test_whole_replies();
    test_slow_reader();
    test_overflow();
    test_cut();
    test_leaving();
    test_abort();
    test_broken_start();
    shut();
    mg_str_free(&in);
    mg_str_free(&got);
    return done();
}
