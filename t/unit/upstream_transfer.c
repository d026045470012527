/* Transfers: every way an upstream can behave, and that no request is ever sent twice. */
#include "tap.h"

#include "base/clock.h"
#include "base/str.h"
#include "upstream_script.h"
#include "upstream/transfer.h"

#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static struct mg_loop *loop;
static struct origin origin;

/* --- the transfer under test --- */

struct outcome {
    struct mg_transfer_request request;
    struct mg_transfer *transfer;
    struct mg_timer timer;
    struct mg_transfer_result result;
    struct mg_str bytes;
    char url[200];
    char trace[32];
    int status, calls_after_end, pauses, pause_ms, calls_in_pause;
    bool ended, pausing, sent;
    enum { NEVER, AT_STATUS, AT_DATA, BY_TIMER, AT_ONCE } cancel;
    sem_t done;
};

static void
cancel(struct outcome *o)
{
    mg_transfer_cancel(&o->transfer);
    sem_post(&o->done);
}

static void
cancel_late(void *arg)
{
    cancel(arg);
}

static void
on_status(void *arg, struct mg_transfer *transfer, int status)
{
    struct outcome *o = arg;
    o->status = status;
    o->sent = mg_transfer_sent(transfer);
    const char *trace = mg_transfer_reply_header(transfer, "x-trace");
    if (trace != NULL)
        snprintf(o->trace, sizeof(o->trace), "%s", trace);
    if (o->cancel == AT_STATUS)
        cancel(o);
}

static void
resume(void *arg)
{
    struct outcome *o = arg;
    o->pausing = false;
    mg_transfer_resume(o->transfer);
}

static bool
on_data(void *arg, struct mg_transfer *transfer, const char *bytes, size_t n)
{
    struct outcome *o = arg;
    (void)transfer;
    o->calls_after_end += o->ended || o->transfer == NULL;
    o->calls_in_pause += o->pausing;
    mg_str_add(&o->bytes, bytes, n);
    if (o->cancel == AT_DATA)
        cancel(o);
    if (o->pause_ms == 0 || o->pauses >= 50)
        return true;
    o->pauses++;
    o->pausing = true;
    mg_timer_set(loop, &o->timer, o->pause_ms, resume, o);
    return false;
}

static void
on_end(void *arg, const struct mg_transfer_result *result)
{
    struct outcome *o = arg;
    o->calls_after_end += o->ended || o->cancel != NEVER;
    mg_timer_clear(loop, &o->timer);
    o->ended = true;
    o->result = *result;
    if (o->trace[0] != '\0') {
        const char *trace = mg_transfer_reply_header(o->transfer, "X-Trace");
        snprintf(o->trace, sizeof(o->trace), "%s+end", trace != NULL ? trace : "none");
    }
    mg_transfer_cancel(&o->transfer); /* needless, harmless */
    sem_post(&o->done);
}

static const struct mg_transfer_calls calls = {on_status, on_data, on_end};

static void
start(void *arg)
{
    struct outcome *o = arg;
    o->transfer = mg_transfer_start(loop, &o->request, &calls, o);
    o->calls_after_end += o->ended; /* an end inside the start */
    if (o->cancel == AT_ONCE)
        cancel(o);
    if (o->cancel == BY_TIMER)
        mg_timer_set(loop, &o->timer, 60, cancel_late, o);
}

static struct outcome *
prepare(const char *path, const char *body)
{
    struct outcome *o = calloc(1, sizeof(*o));
    snprintf(o->url, sizeof(o->url), "http://127.0.0.1:%d%s", origin.port, path);
    mg_str_init(&o->bytes, (size_t)64 << 20);
    sem_init(&o->done, 0, 0);
    o->request.method = "POST";
    o->request.url = o->url;
    o->request.body = mg_span_z(body);
    o->request.connect_ms = 2000;
    o->request.silence_ms = 5000;
    o->request.total_ms = 20000;
    return o;
}

static void
finish(struct outcome **o)
{
    mg_str_free(&(*o)->bytes);
    free(*o);
    *o = NULL;
}

static void
pass(void *arg)
{
    sem_post(arg);
}

/* Waits until the loop has come out of what it is doing now. */
static void
settle(struct outcome *o)
{
    mg_loop_post(loop, pass, &o->done);
    sem_wait(&o->done);
}

static struct outcome *
run(struct outcome *o)
{
    mg_loop_post(loop, start, o);
    sem_wait(&o->done);
    settle(o);
    return o;
}

/* Runs a plain POST to `path` and checks how it ends. */
static struct outcome *
expect(const char *path, enum mg_transfer_end end, const char *what)
{
    struct outcome *o = run(prepare(path, "body"));
    if (!is_int(o->result.end, end, what))
        printf("# %s\n", o->result.text);
    return o;
}

static void
test_good_replies(void)
{
    struct outcome *o = expect("/ok", MG_TRANSFER_COMPLETE, "a reply with its length");
    ok(o->status == 200 && o->result.status == 200 && o->result.tries == 1, "... its status");
    is_str(o->bytes.p, "body", "... and its bytes");
    ok(o->sent, "then the request's body is known to be sent");
    finish(&o);
    o = expect("/chunked", MG_TRANSFER_COMPLETE, "a chunked reply");
    is_str(o->bytes.p, "abcdef", "... in pieces");
    is_str(o->trace, "t1+end", "its headers can be asked for, up to the end");
    finish(&o);
    o = expect("/gzip", MG_TRANSFER_COMPLETE, "a gzip reply that nobody asked for");
    is_str(o->bytes.p, "{\"packed\":true}", "... is expanded");
    finish(&o);
    o = expect("/eof", MG_TRANSFER_COMPLETE, "a reply that ends with its connection");
    is_str(o->bytes.p, "until the end", "... is whole as far as one can tell");
    finish(&o);
    o = expect("/moved", MG_TRANSFER_COMPLETE, "a redirect");
    is_int(o->status, 302, "... is not followed");
    finish(&o);
    o = expect("/continue", MG_TRANSFER_COMPLETE, "a 100 before the reply");
    is_int(o->status, 201, "... is passed over");
    finish(&o);
}

static void
test_request(void)
{
    const struct mg_transfer_header headers[] = {{"Authorization", "Bearer k"}, {"X-Empty", ""}};
    struct outcome *o = prepare("/echo", "{}");
    o->request.headers = headers;
    o->request.header_count = 2;
    run(o);
    const char *head = o->bytes.p;
    ok(strncmp(head, "POST /echo HTTP/1.1\r\n", 21) == 0, "the request line");
    ok(strstr(head, "\r\nAuthorization: Bearer k\r\n") != NULL, "a header of the caller");
    ok(strstr(head, "\r\nX-Empty:") != NULL, "one without a value");
    ok(strcasestr(head, "\r\naccept-encoding: identity\r\n") != NULL, "no coding is asked for");
    ok(strcasestr(head, "\r\nexpect:") == NULL, "no 100 Continue is asked for");
    ok(strcasestr(head, "\r\ncontent-type:") == NULL, "a body is no form");
    ok(strcasestr(head, "\r\ncontent-length: 2\r\n") != NULL, "the length is told");
    finish(&o);
    o = prepare("/echo", "");
    o->request.method = "GET";
    run(o);
    ok(strncmp(o->bytes.p, "GET /echo HTTP/1.1\r\n", 20) == 0, "a GET");
    finish(&o);
    size_t n = 3000000;
    char *body = malloc(n + 1);
    for (size_t i = 0; i < n; i++)
        body[i] = (char)('a' + i % 23);
    body[n] = '\0';
    o = run(prepare("/ok", body));
    is_bytes(o->bytes.p, o->bytes.len, body, n, "a body of 3 MB arrives whole");
    ok(o->sent, "... and is known to be sent");
    finish(&o);
    o = run(prepare("/echo", body));
    ok(strcasestr(o->bytes.p, "\r\nexpect:") == NULL, "nor for a large body");
    finish(&o);
    free(body);
}

static void
test_bad_requests(void)
{
    const struct mg_transfer_header split[] = {{"X-A", "b\r\nX-C: d"}};
    const struct mg_transfer_header name[] = {{"X A", "b"}};
    struct outcome *o = prepare("/ok", "");
    o->request.headers = split;
    o->request.header_count = 1;
    is_int(run(o)->result.end, MG_TRANSFER_INVALID, "a line break in a header is refused");
    ok(o->calls_after_end == 0, "... after the start has returned");
    finish(&o);
    o = prepare("/ok", "");
    o->request.headers = name;
    o->request.header_count = 1;
    is_int(run(o)->result.end, MG_TRANSFER_INVALID, "a space in a header's name is refused");
    finish(&o);
    const char *urls[] = {"file:///etc/passwd", "ftp://127.0.0.1/x", "http://", "http://[::1"};
    for (size_t i = 0; i < 4; i++) {
        o = prepare("/ok", "");
        snprintf(o->url, sizeof(o->url), "%s", urls[i]);
        is_int(run(o)->result.end, MG_TRANSFER_INVALID, urls[i]);
        finish(&o);
    }
}

static void
test_broken_replies(void)
{
    struct outcome *o = expect("/short", MG_TRANSFER_CUT, "a body shorter than its length is cut");
    is_str(o->bytes.p, "0123456789", "... after what came");
    finish(&o);
    o = expect("/cut", MG_TRANSFER_CUT, "chunks without their end are cut");
    finish(&o);
    o = expect("/junk", MG_TRANSFER_CUT, "a server that does not speak HTTP is cut");
    is_int(o->status, 0, "... without a status");
    finish(&o);
    o = expect("/head", MG_TRANSFER_TOO_LARGE, "a head of 300 KB is too large");
    finish(&o);
    o = prepare("/large", "");
    o->request.reply_limit = 1 << 20;
    is_int(run(o)->result.end, MG_TRANSFER_TOO_LARGE, "a body over the limit is too large");
    ok(o->bytes.len <= 1 << 20, "... and not delivered beyond it");
    finish(&o);
}

static void
test_times(void)
{
    struct outcome *o = prepare("/mute", "");
    int64_t begin = mg_mono_ms();
    o->request.silence_ms = 200;
    is_int(run(o)->result.end, MG_TRANSFER_TIMEOUT, "silence before the reply is a time-out");
    ok(mg_mono_ms() - begin < 1000 && mg_mono_ms() - begin >= 200, "... at its time");
    finish(&o);
    o = prepare("/stall", "");
    o->request.silence_ms = 200;
    is_int(run(o)->result.end, MG_TRANSFER_TIMEOUT, "silence in the reply is one");
    is_str(o->bytes.p, "abc", "... after what came");
    finish(&o);
    o = prepare("/drip", "");
    o->request.silence_ms = 200;
    o->request.total_ms = 600;
    begin = mg_mono_ms();
    is_int(run(o)->result.end, MG_TRANSFER_TIMEOUT, "a drip is ended by the total time");
    ok(mg_mono_ms() - begin >= 600, "... not by the silence");
    finish(&o);
}

static void
test_connects(void)
{
    static struct origin other;
    origin_start(&other, script_serve, false); /* the port is taken, nobody listens */
    struct outcome *o = prepare("/ok", "x");
    snprintf(o->url, sizeof(o->url), "http://127.0.0.1:%d/ok", other.port);
    is_int(run(o)->result.end, MG_TRANSFER_UNSENT, "a refused connect sent nothing");
    is_int(o->result.tries, 3, "... after three tries");
    mg_loop_post(loop, start, (o->ended = false, o));
    usleep(20000);
    origin_listen(&other);
    sem_wait(&o->done);
    is_int(o->result.end, MG_TRANSFER_COMPLETE, "one that comes up in between is reached");
    ok(o->result.tries > 1, "... by a later try");
    finish(&o);
    origin_stop(&other);
    o = prepare("/ok", "x");
    snprintf(o->url, sizeof(o->url), "http://no-such-host.invalid/");
    o->request.connect_tries = 1;
    is_int(run(o)->result.end, MG_TRANSFER_UNSENT, "an unknown host sent nothing");
    finish(&o);
}

/* Uses a kept connection that the upstream closes after it has read a whole request. */
static void
once_only(const char *path, const char *body, const char *what)
{
    struct outcome *o = run(prepare("/ok", "x")); /* leaves a connection behind */
    finish(&o);
    int before = origin_count(&script_nothings), connections = origin_count(&origin.connections);
    o = run(prepare(path, body));
    ok(o->result.end == MG_TRANSFER_CUT && o->result.bytes == 0, "%s: the transfer is cut", what);
    usleep(100000);
    is_int(origin_count(&script_nothings) - before, 1, "... and the upstream saw one request");
    ok(origin_count(&origin.connections) - connections <= 1, "... (a connect may have happened)");
    finish(&o);
}

static void
test_never_twice(void)
{
    size_t n = 300000;
    char *big = malloc(n + 1);
    memset(big, 'b', n);
    big[n] = '\0';
    once_only("/nothing", "{\"small\":1}", "a kept connection dies after a small request");
    once_only("/nothing", big, "a kept connection dies after a large request");
    once_only("/nothing", "", "a kept connection dies after a request without a body");
    once_only("/reset", "{}", "a kept connection is reset");
    struct outcome *o = prepare("/nothing", "");
    int before = origin_count(&script_nothings);
    o->request.method = "GET";
    is_int(run(o)->result.end, MG_TRANSFER_CUT, "a GET is not sent twice either");
    is_int(origin_count(&script_nothings) - before, 1, "... the upstream saw it once");
    finish(&o);
    o = run(prepare("/ok-then-close", "x"));
    finish(&o);
    usleep(50000);
    o = expect("/ok", MG_TRANSFER_COMPLETE,
               "a kept connection that was closed before the request is replaced");
    finish(&o);
    free(big);
}

static void
test_early_reply(void)
{
    size_t n = 20000000;
    char *big = malloc(n + 1);
    memset(big, 'b', n);
    big[n] = '\0';
    struct outcome *o = run(prepare("/early", big));
    is_int(o->status, 400, "a refusal before the body was taken is heard");
    ok(!o->sent, "... and the body does not count as sent");
    finish(&o);
    free(big);
}

static void
test_reuse(void)
{
    struct outcome *o = run(prepare("/ok", "x"));
    finish(&o);
    int before = origin_count(&origin.connections);
    for (int i = 0; i < 20; i++) {
        o = run(prepare("/ok", "x"));
        finish(&o);
    }
    is_int(origin_count(&origin.connections) - before, 0, "connections are used again");
}

static void
test_pauses(void)
{
    struct outcome *o = prepare("/large", "");
    o->pause_ms = 2;
    is_int(run(o)->result.end, MG_TRANSFER_COMPLETE, "a reply with many pauses completes");
    is_int((long long)o->bytes.len, 4 * ((1 << 20) - 1), "... without a byte lost or doubled");
    is_int(o->pauses, 50, "... and was paused");
    is_int(o->calls_in_pause, 0, "... each time really");
    finish(&o);
    o = prepare("/drip", "");
    o->request.silence_ms = 200;
    o->pause_ms = 700;
    o->pauses = 49;
    run(o);
    ok(o->result.end == MG_TRANSFER_CUT && o->bytes.len == 60,
       "a pause of ours is not the upstream's silence");
    finish(&o);
}

static void
cancelled(const char *path, int when, const char *what)
{
    struct outcome *o = prepare(path, "x");
    o->cancel = when;
    run(o);
    usleep(150000);
    settle(o);
    ok(!o->ended && o->calls_after_end == 0 && o->transfer == NULL, "%s", what);
    finish(&o);
}

static void
test_cancel(void)
{
    cancelled("/ok", AT_ONCE, "cancelled at once");
    cancelled("/chunked", AT_STATUS, "cancelled at its status");
    cancelled("/chunked", AT_DATA, "cancelled at its first bytes");
    cancelled("/mute", BY_TIMER, "cancelled while the upstream is silent");
    cancelled("/drip", BY_TIMER, "cancelled in the middle");
    usleep(100000);
    struct outcome *o = expect("/ok", MG_TRANSFER_COMPLETE, "others go on");
    finish(&o);
}

static void
test_many(void)
{
    enum { MANY = 300 };
    struct outcome *o[MANY];
    char body[MANY][32];
    bool good = true;
    for (int i = 0; i < MANY; i++) {
        snprintf(body[i], sizeof(body[i]), "marker %d", i);
        o[i] = prepare(i % 3 ? "/ok" : "/many", body[i]);
        mg_loop_post(loop, start, o[i]);
    }
    for (int i = 0; i < MANY; i++) {
        sem_wait(&o[i]->done);
        good &= o[i]->result.end == MG_TRANSFER_COMPLETE && strcmp(o[i]->bytes.p, body[i]) == 0;
        finish(&o[i]);
    }
    ok(good, "300 at the same time each get their own reply");
}

static void
test_tls(void)
{
    char dir[] = "/tmp/mg-tls-XXXXXX", command[600];
    if (mkdtemp(dir) == NULL)
        return;
    snprintf(command, sizeof(command), "cd %s && openssl req -x509 -newkey rsa:2048 -nodes "
             "-keyout k -out c -days 1 -subj /CN=localhost >/dev/null 2>&1", dir);
    if (system(command) != 0) {
        ok(true, "a certificate nobody vouches for is refused # SKIP no openssl");
        return;
    }
    struct origin port; /* finds a free port; given back before the server takes it */
    origin_start(&port, script_serve, false);
    close(port.listen_fd);
    char accept_at[32], key[64], certificate[64];
    snprintf(accept_at, sizeof(accept_at), "127.0.0.1:%d", port.port);
    snprintf(key, sizeof(key), "%s/k", dir);
    snprintf(certificate, sizeof(certificate), "%s/c", dir);
    pid_t pid = fork();
    if (pid == 0) {
        execlp("openssl", "openssl", "s_server", "-quiet", "-www", "-accept", accept_at, "-key",
               key, "-cert", certificate, (char *)NULL);
        _exit(127);
    }
    usleep(500000);
    struct outcome *o = prepare("/", "x");
    snprintf(o->url, sizeof(o->url), "https://localhost:%d/", port.port);
    is_int(run(o)->result.end, MG_TRANSFER_TLS, "a certificate nobody vouches for is refused");
    printf("# %s\n", o->result.text);
    finish(&o);
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
    unlink(key);
    unlink(certificate);
    rmdir(dir);
}

static void
test_stop(void)
{
    struct outcome *o[3] = {prepare("/mute", "x"), prepare("/drip", "x"), prepare("/stall", "x")};
    for (int i = 0; i < 3; i++)
        mg_loop_post(loop, start, o[i]);
    usleep(100000);
    mg_loop_stop(&loop);
    ok(!o[0]->ended && !o[1]->ended && !o[2]->ended, "a loop that stops drops its transfers");
    for (int i = 0; i < 3; i++)
        finish(&o[i]);
    for (int i = 0; i < 100 && origin_count(&origin.open) > 0; i++)
        usleep(20000);
    is_int(origin_count(&origin.open), 0, "... and closes every connection");
}

int
main(void)
{
    struct mg_err err = MG_ERR_INIT;
    plan(0);
    setenv("http_proxy", "http://127.0.0.1:1", 1); /* must not be used */
    setenv("all_proxy", "http://127.0.0.1:1", 1);
    origin_start(&origin, script_serve, true);
    loop = mg_loop_new("test", &err);
    test_good_replies();
    test_request();
    test_bad_requests();
    test_broken_replies();
    test_times();
    test_connects();
    test_never_twice();
    test_early_reply();
    test_reuse();
    test_pauses();
    test_cancel();
    test_many();
    test_tls();
    test_stop();
    origin_stop(&origin);
    mg_err_free(&err);
    return done();
}
