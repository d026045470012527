/* The responder as a web server meets it: good requests, bad ones, slow and silent peers. */
#include "tap.h"

#include "fcgi_peer.h"
#include "http/body.h"
#include "http/reply.h"
#include "http/server.h"
#include "http/stream.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <zlib.h>

#define BODY_LIMIT ((size_t)1 << 20)
#define LARGE 3000000 /* more than a socket takes without a reader */

/* libfcgi leaks a few bytes for a management record that it does not know; the web server never
 * sends one, the random damage below does. */
const char *__lsan_default_suppressions(void);
const char *
__lsan_default_suppressions(void)
{
    return "leak:libfcgi";
}

static char socket_path[64];
static struct mg_str in, reply;
static int workers_begun, workers_ended;
static bool sent_whole;                 /* the last request was taken to its end */
static struct mg_stream *kept;          /* a stream that a handler left behind */
static struct mg_request *kept_request;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* --- the service under test --- */

static int
hello(struct mg_request *req, void *context, struct mg_err *err)
{
    (void)err;
    mg_reply_header(req, "x-worker", context != NULL ? "yes" : "no");
    mg_reply_header(req, "x-evil", "a\r\nx-injected: b");
    return mg_reply_bytes(req, 200, "text/plain", "hello", 5), 0;
}

/* Says how many bytes the body had and what they add up to. */
static int
sum(struct mg_request *req, void *context, struct mg_err *err)
{
    (void)context, (void)err;
    unsigned long total = 0;
    for (size_t i = 0; i < req->body.n; i++)
        total = total * 31 + (unsigned char)req->body.p[i];
    char text[64];
    int n = snprintf(text, sizeof(text), "%zu %lu", req->body.n, total);
    return mg_reply_bytes(req, 200, "text/plain", text, (size_t)n), 0;
}

static int
large(struct mg_request *req, void *context, struct mg_err *err)
{
    (void)context, (void)err;
    size_t n = LARGE;
    char *bytes = malloc(n);
    for (size_t i = 0; i < n; i++)
        bytes[i] = (char)('a' + i % 26);
    mg_reply_bytes(req, 200, "text/plain", bytes, n);
    free(bytes);
    return 0;
}

static int
silent(struct mg_request *req, void *context, struct mg_err *err)
{
    (void)req, (void)context, (void)err;
    return 0; /* forgets to answer */
}

static int
refuse(struct mg_request *req, void *context, struct mg_err *err)
{
    (void)req, (void)context;
    err->no_retry = true;
    mg_err_set(err, 429, "slow_down", "Later.");
    err->retry_after_s = 3;
    err->no_retry = true;
    return -1;
}

static int
leave(struct mg_request *req, void *context, struct mg_err *err)
{
    (void)context, (void)err;
    pthread_mutex_lock(&lock);
    kept_request = req;
    kept = mg_stream_open(req, 1 << 20);
    pthread_mutex_unlock(&lock);
    return 0;
}

static const struct mg_route routes[] = {
    {"GET", "/hello", 0, 0, MG_CHAT, hello},
    {"POST", "/hello", 0, 0, MG_CHAT, hello},
    {"POST", "/sum", 0, MG_ROUTE_BODY, MG_CHAT, sum},
    {"POST", "/small", 0, MG_ROUTE_SMALL_BODY, MG_MESSAGES, sum},
    {"GET", "/large", 0, 0, MG_CHAT, large},
    {"GET", "/silent", 0, 0, MG_CHAT, silent},
    {"GET", "/refuse", 0, 0, MG_CHAT, refuse},
    {"POST", "/leave", 0, MG_ROUTE_BODY, MG_CHAT, leave},
};
static const struct mg_router router = {
    .routes = routes,
    .count = sizeof(routes) / sizeof(routes[0]),
    .body_limit = BODY_LIMIT,
};

static void *
worker_begin(void *service)
{
    __atomic_add_fetch(&workers_begun, 1, __ATOMIC_SEQ_CST);
    return service;
}

static void
worker_end(void *context)
{
    (void)context;
    __atomic_add_fetch(&workers_ended, 1, __ATOMIC_SEQ_CST);
}

static bool
busy(void *service)
{
    (void)service;
    pthread_mutex_lock(&lock);
    bool running = kept != NULL;
    pthread_mutex_unlock(&lock);
    return running;
}

static struct mg_server server = {
    .router = &router,
    .threads = 2,
    .shutdown_s = 2,
    .silence_s = 1,
    .request_s = 2,
    .service = &server,
    .worker_begin = worker_begin,
    .worker_end = worker_end,
    .busy = busy,
};

static void *
run(void *arg)
{
    struct mg_err err = MG_ERR_INIT;
    *(int *)arg = mg_server_run(&server, &err);
    mg_err_free(&err);
    return NULL;
}

/* --- the peer --- */

/* Sends a request and reads the reply; its status, 0 when none came in order. */
static int
ask_with(const char *method, const char *target, const char *header, const void *body, size_t n,
         bool length)
{
    char m[64], t[256], l[64];
    snprintf(m, sizeof(m), "REQUEST_METHOD=%s", method);
    snprintf(t, sizeof(t), "REQUEST_URI=%s", target);
    snprintf(l, sizeof(l), "CONTENT_LENGTH=%zu", n);
    const char *params[] = {m, t, length ? l : "A=b", header, NULL};
    mg_str_reset(&in);
    peer_begin(&in, params);
    peer_body(&in, body, n);
    int fd = peer_connect(socket_path);
    sent_whole = peer_send(fd, in.p, in.len);
    bool whole = peer_reply(fd, &reply);
    close(fd);
    return whole ? peer_status(&reply) : 0;
}

static int
ask(const char *method, const char *target)
{
    return ask_with(method, target, NULL, "", 0, false);
}

static bool
says(const char *text)
{
    return strstr(reply.p, text) != NULL;
}

static void
test_replies(void)
{
    is_int(ask("GET", "/hello"), 200, "a request is answered");
    is_str(peer_content(&reply), "hello", "... with its body");
    ok(says("Content-Length: 5\r\n"), "... and its length");
    ok(says("\r\nx-request-id: req_") && says("\r\nrequest-id: req_"), "both ids are there");
    ok(says("cache-control: no-store\r\n"), "replies are not to be stored");
    ok(says("x-worker: yes\r\n"), "a handler gets its worker's context");
    ok(!says("\nx-injected"), "a line break in a header value does not make a header");
    is_int(ask("HEAD", "/hello"), 200, "HEAD is answered");
    ok(says("Content-Length: 5\r\n") && *peer_content(&reply) == '\0', "... without a body");
    is_int(ask("GET", "/large"), 200, "a reply of many records arrives");
    is_int((long long)strlen(peer_content(&reply)), LARGE, "... whole");
    is_int(ask("GET", "/silent"), 500, "a handler that forgets to answer is a 500");
    is_int(ask("GET", "/nowhere"), 404, "an unknown path is a 404");
    is_int(ask("GET", "/%00"), 400, "a bad URL is a 400");
    ok(says("invalid_url"), "... that says so");
    is_int(ask("GET", "/refuse"), 429, "an error is told");
    ok(says("retry-after: 3\r\n") && says("x-should-retry: false\r\n"), "... with when to retry");
    ok(says("\"code\":\"slow_down\""), "... and with its code");
    is_int(ask_with("POST", "/hello", NULL, "unread body", 11, true), 200,
           "a body that nobody reads does not hurt");
}

static void
test_bodies(void)
{
    char *bytes = malloc(2 * BODY_LIMIT);
    for (size_t i = 0; i < 2 * BODY_LIMIT; i++)
        bytes[i] = (char)(i * 7 + i / 251);
    is_int(ask_with("POST", "/sum", NULL, "abc", 3, true), 200, "a body is read");
    is_str(peer_content(&reply), "3 96354", "... as it is");
    is_int(ask_with("POST", "/sum", "HTTP_TRANSFER_ENCODING=chunked", "abc", 3, false), 200,
           "without Content-Length the end of the stream counts");
    is_str(peer_content(&reply), "3 96354", "... and the body is whole");
    is_int(ask_with("POST", "/sum", NULL, bytes, BODY_LIMIT, true), 200, "the limit is allowed");
    ok(strncmp(peer_content(&reply), "1048576 ", 8) == 0, "... and arrives whole");
    is_int(ask_with("POST", "/sum", NULL, bytes, BODY_LIMIT + 1, true), 413,
           "a byte more is a 413 by its announcement");
    is_int(ask_with("POST", "/sum", NULL, bytes, 2 * BODY_LIMIT, false), 413,
           "and by its size when it was not announced");
    ok(sent_whole, "... after the peer could send all of it");
    is_int(ask_with("POST", "/small", NULL, bytes, MG_SMALL_BODY + 1, true), 413,
           "a small row has a small limit");
    ok(says("\"type\":\"request_too_large\""), "... and its family's shape");
    is_int(ask_with("POST", "/sum", "CONTENT_LENGTH=5", "abc", 3, false), 400,
           "a body shorter than announced is a 400");
    is_int(ask_with("POST", "/sum", "CONTENT_LENGTH=many", "abc", 3, false), 400,
           "a length that is no number is a 400");
    is_int(ask_with("POST", "/sum", NULL, "", 0, true), 200, "an empty body is a body");
    free(bytes);
}

static void
test_codings(void)
{
    unsigned char packed[256];
    z_stream z = {0};
    deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
    unsigned char abc[] = "abc";
    z.next_in = abc;
    z.avail_in = 3;
    z.next_out = packed;
    z.avail_out = sizeof(packed);
    deflate(&z, Z_FINISH);
    size_t n = z.total_out;
    deflateEnd(&z);
    is_int(ask_with("POST", "/sum", "HTTP_CONTENT_ENCODING=gzip", packed, n, true), 200,
           "a gzip body is read");
    is_str(peer_content(&reply), "3 96354", "... expanded");
    is_int(ask_with("POST", "/sum", "HTTP_CONTENT_ENCODING=gzip", packed, n - 1, true), 400,
           "one that was cut is a 400");
    is_int(ask_with("POST", "/sum", "HTTP_CONTENT_ENCODING=gzip", "abc", 3, true), 400,
           "one that is not gzip is a 400");
    is_int(ask_with("POST", "/sum", "HTTP_CONTENT_ENCODING=gzip, zstd", packed, n, true), 415,
           "two codings are a 415");
}

/* Sends raw bytes, then closes the sending side; the status of the reply, 0 = none. */
static int
ask_raw(const char *bytes, size_t n)
{
    int fd = peer_connect(socket_path);
    peer_send(fd, bytes, n);
    shutdown(fd, SHUT_WR);
    bool whole = peer_reply(fd, &reply);
    close(fd);
    return whole ? peer_status(&reply) : 0;
}

static void
test_broken_records(void)
{
    const char *params[] = {"REQUEST_METHOD=POST", "REQUEST_URI=/sum", "CONTENT_LENGTH=3", NULL};
    mg_str_reset(&in);
    peer_begin(&in, params);
    size_t head = in.len;
    peer_body(&in, "abc", 3);
    bool quiet = true, told = true;
    for (size_t n = 0; n < head; n++) /* cut anywhere in the parameters */
        quiet &= ask_raw(in.p, n) == 0;
    ok(quiet, "a request cut in its parameters gets no reply");
    for (size_t n = head; n < in.len; n++) /* cut anywhere in the body */
        told &= ask_raw(in.p, n) == 400;
    ok(told, "one cut in its body is a 400");
    is_int(ask("GET", "/hello"), 200, "and the workers live on");
    unsigned seed = 7;
    for (int i = 0; i < 300; i++) { /* any byte may be wrong */
        struct mg_str bad;
        mg_str_init(&bad, in.len);
        mg_str_add(&bad, in.p, in.len);
        for (int k = 0; k < 3; k++) {
            seed = seed * 1103515245 + 12345;
            size_t at = (seed >> 8) % bad.len;
            /* lengths with the top bit ask for gigabytes: the socket is private, and libfcgi
             * takes them; do not try those here */
            bad.p[at] = (char)(bad.p[at] ^ (1 << (seed >> 4) % 7));
        }
        ask_raw(bad.p, bad.len);
        mg_str_free(&bad);
    }
    is_int(ask("GET", "/hello"), 200, "random damage does not stop them either");
}

static void
test_headers(void)
{
    char *big = malloc(200000);
    memset(big, 'x', 199999);
    memcpy(big, "HTTP_BIG=", 9);
    big[199999] = '\0';
    is_int(ask_with("GET", "/hello", big, "", 0, false), 431, "200 KB of headers are a 431");
    free(big);
}

static void
test_slow_peers(void)
{
    int fd[2];
    const char *params[] = {"REQUEST_METHOD=POST", "REQUEST_URI=/sum", "CONTENT_LENGTH=9", NULL};
    for (int i = 0; i < 2; i++) /* both workers wait for peers that say nothing */
        fd[i] = peer_connect(socket_path);
    is_int(ask("GET", "/hello"), 200, "silent peers are given up");
    close(fd[0]);
    close(fd[1]);
    mg_str_reset(&in);
    peer_begin(&in, params);
    fd[0] = peer_connect(socket_path);
    peer_send(fd[0], in.p, in.len);
    ok(peer_reply(fd[0], &reply) && peer_status(&reply) == 408, "a silent body is a 408");
    close(fd[0]);
    fd[0] = peer_connect(socket_path);
    peer_send(fd[0], in.p, in.len);
    for (int i = 0; i < 40; i++) { /* a byte of a record now and then, never silent */
        static const char header[8] = {1, PEER_STDIN, 0, 1, 0, 100, 0, 0};
        if (!peer_send(fd[0], i < 8 ? header + i : "x", 1))
            break;
        poll(NULL, 0, 100);
    }
    ok(!peer_reply(fd[0], &reply), "a trickling body is cut after the longest time");
    close(fd[0]);
    is_int(ask("GET", "/hello"), 200, "and the worker is free again");
}

static void
test_unread_reply(void)
{
    int fd = peer_connect(socket_path);
    const char *params[] = {"REQUEST_METHOD=GET", "REQUEST_URI=/large", NULL};
    mg_str_reset(&in);
    peer_begin(&in, params);
    peer_body(&in, "", 0);
    peer_send(fd, in.p, in.len);
    poll(NULL, 0, 2800); /* longer than the worker's patience */
    ok(!peer_reply(fd, &reply), "a peer that does not take its reply is given up");
    close(fd);
}

static void
test_descriptors(void)
{
    struct rlimit old, few;
    int spare[64], n = 0;
    getrlimit(RLIMIT_NOFILE, &old);
    few = old;
    few.rlim_cur = 64;
    setrlimit(RLIMIT_NOFILE, &few);
    int fd = peer_connect(socket_path);
    while (n < 64 && (spare[n] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
        n++;
    const char *params[] = {"REQUEST_METHOD=GET", "REQUEST_URI=/hello", NULL};
    mg_str_reset(&in);
    peer_begin(&in, params);
    peer_body(&in, "", 0);
    peer_send(fd, in.p, in.len);
    poll(NULL, 0, 300);
    while (n > 0)
        close(spare[--n]);
    setrlimit(RLIMIT_NOFILE, &old);
    ok(fd >= 0 && peer_reply(fd, &reply) && peer_status(&reply) == 200,
       "a request waits while there are no descriptors, and is served then");
    close(fd);
}

static void
test_stream(int *fd)
{
    const char *params[] = {"REQUEST_METHOD=POST", "REQUEST_URI=/leave", NULL};
    mg_str_reset(&in);
    peer_begin(&in, params);
    peer_body(&in, "abc", 3);
    *fd = peer_connect(socket_path);
    peer_send(*fd, in.p, in.len);
    for (int i = 0; i < 200 && !busy(NULL); i++)
        poll(NULL, 0, 10);
    ok(busy(NULL), "a handler can keep the connection");
    is_int(mg_stream_head(kept, 200, MG_TYPE_EVENTS, -1), 0, "its stream can begin");
    mg_str_reset(&reply);
    is_int(peer_read(*fd, &reply), PEER_STDOUT, "the headers arrive at once");
    ok(says("Content-Type: text/event-stream") && says("no-transform")
           && says("x-accel-buffering: no\r\n"), "... those of an event stream");
    is_bytes(kept_request->body.p, kept_request->body.n, "abc", 3, "the request is still there");
}

static void
test_end(pthread_t thread, int *rc, int fd)
{
    struct mg_str rest;
    mg_str_init(&rest, 65536);
    mg_server_stop();
    poll(NULL, 0, 200);
    is_int(__atomic_load_n(&workers_ended, __ATOMIC_SEQ_CST), 2, "told to stop, the workers end");
    int late = peer_connect(socket_path);
    ok(late >= 0, "the listening socket still takes connections for the next process");
    close(late);
    is_int(mg_stream_write(kept, "data: x\n\n", 9), 0, "a running stream goes on");
    mg_stream_finish(kept);
    ok(mg_stream_finished(kept), "... to its end");
    pthread_mutex_lock(&lock);
    mg_stream_close(&kept);
    mg_request_free(&kept_request);
    pthread_mutex_unlock(&lock);
    ok(peer_reply(fd, &rest) && strcmp(rest.p, "data: x\n\n") == 0, "the client has it all");
    pthread_join(thread, NULL);
    is_int(*rc, 0, "then the server is drained");
    is_int(workers_begun, 2, "every worker began once");
    mg_str_free(&rest);
}

static void
test_end_in_time(void)
{
    struct mg_err err = MG_ERR_INIT;
    pthread_t thread;
    int rc = -1, fd;
    workers_ended = 0;
    server.shutdown_s = 1;
    pthread_create(&thread, NULL, run, &rc);
    test_stream(&fd);
    mg_server_stop();
    pthread_join(thread, NULL);
    is_int(rc, 1, "a stream that does not end is not waited for longer than allowed");
    mg_stream_close(&kept);
    mg_request_free(&kept_request);
    ok(!peer_reply(fd, &reply), "closing it without its end cuts it");
    close(fd);
    mg_err_free(&err);
}

int
main(void)
{
    struct mg_err err = MG_ERR_INIT;
    pthread_t thread;
    int rc = -1, fd;
    plan(0);
    mg_server_prepare();
    mg_str_init(&in, 4 * BODY_LIMIT);
    mg_str_init(&reply, 4 * BODY_LIMIT);
    snprintf(socket_path, sizeof(socket_path), "/tmp/mg-http-server-%d.sock", (int)getpid());
    char where[80];
    snprintf(where, sizeof(where), "unix:%s", socket_path);
    is_int(mg_server_listen("tcp:1", &err), -1, "only unix sockets are made");
    is_int(mg_server_listen(NULL, &err), -1, "a descriptor 0 that does not listen is refused");
    server.listen_fd = mg_server_listen(where, &err);
    ok(server.listen_fd >= 0, "a socket is made");
    pthread_create(&thread, NULL, run, &rc);
    test_replies();
    test_bodies();
    test_codings();
    test_broken_records();
    test_headers();
    test_slow_peers();
    test_unread_reply();
    test_descriptors();
    test_stream(&fd);
    test_end(thread, &rc, fd);
    close(fd);
    test_end_in_time();
    close(server.listen_fd);
    unlink(socket_path);
    mg_err_free(&err);
    mg_str_free(&in);
    mg_str_free(&reply);
    return done();
}
