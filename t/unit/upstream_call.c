/* A call that waits: its answer, and every way in which there is none. */
#include "tap.h"

#include "upstream/call.h"
#include "upstream_script.h"

static struct origin origin;
static struct mg_str reply;
static int status;

/* Makes a call to `path` and returns the code of its error, "" when there was an answer. */
static const char *
call(const char *method, const char *path, const char *body)
{
    static struct mg_err err = MG_ERR_INIT;
    static const struct mg_transfer_header headers[] = {{"authorization", "Bearer sk-secret"},
                                                        {"x-empty", ""}};
    char url[200];
    snprintf(url, sizeof(url), "http://127.0.0.1:%d%s", origin.port, path);
    const struct mg_call c = {.method = method, .url = url, .headers = headers, .header_count = 2,
                              .body = mg_span_z(body), .connect_ms = 5000, .total_ms = 10000};
    mg_err_free(&err);
    int rc = mg_call_run(&c, &status, &reply, &err);
    ok((rc == 0) == !mg_err_is(&err) && strstr(err.detail, "sk-secret") == NULL,
       "%s %s: an answer or an error, and no secret in it", method, path);
    return rc == 0 ? "" : err.code;
}

static void
test_answers(void)
{
    is_str(call("POST", "/ok", "a=1&b=%20"), "", "a POST is answered");
    ok(status == 200 && strcmp(reply.p, "a=1&b=%20") == 0, "with status and bytes");
    is_str(call("POST", "/echo", "x"), "", "its head");
    ok(strncmp(reply.p, "POST /echo HTTP/1.1", 19) == 0 &&
       strstr(reply.p, "authorization: Bearer sk-secret") != NULL &&
       strstr(reply.p, "x-empty:") != NULL && strstr(reply.p, "Content-Length: 1") != NULL,
       "has the headers that were asked for");
    is_str(call("GET", "/echo", ""), "", "a GET is answered");
    ok(strncmp(reply.p, "GET /echo HTTP/1.1", 18) == 0, "as a GET");
    is_str(call("POST", "/echo", ""), "", "a POST without a body");
    ok(strncmp(reply.p, "POST /echo", 10) == 0 && strstr(reply.p, "Content-Length: 0") != NULL,
       "is one");
    is_str(call("DELETE", "/echo", ""), "", "another method");
    ok(strncmp(reply.p, "DELETE /echo", 12) == 0, "goes out under its name");
    is_str(call("GET", "/gzip", ""), "", "a packed answer");
    is_str(reply.p, "{\"packed\":true}", "is expanded");
    is_str(call("GET", "/chunked", ""), "", "an answer in pieces");
    is_str(reply.p, "abcdef", "is put together");
    is_str(call("GET", "/moved", ""), "", "a redirect");
    ok(status == 302, "is not followed");
    is_str(call("POST", "/early", "body"), "", "an early refusal");
    ok(status == 400, "counts as the answer");
}

static void
test_failures(void)
{
    is_str(call("POST", "/nothing", "x"), "upstream_cut", "a connection closed without an answer");
    ok(__atomic_load_n(&script_nothings, __ATOMIC_SEQ_CST) == 1, "and nothing is sent again");
    is_str(call("GET", "/short", ""), "upstream_cut", "an answer shorter than announced");
    is_str(call("GET", "/cut", ""), "upstream_cut", "an answer that breaks off");
    is_str(call("GET", "/junk", ""), "upstream_cut", "no HTTP at all");
    is_str(call("GET", "/large", ""), "upstream_too_large", "an answer beyond the maximum");
    ok(reply.len <= reply.max, "of which no more is kept");
}

static void
test_not_made(void)
{
    struct mg_err err = MG_ERR_INIT;
    static const struct mg_transfer_header bad[] = {{"x", "1\r\ny: 2"}};
    char url[64];
    snprintf(url, sizeof(url), "http://127.0.0.1:%d/mute", origin.port);
    const struct mg_call mute = {.method = "GET", .url = url, .total_ms = 300};
    ok(mg_call_run(&mute, &status, &reply, &err) == -1 && err.status == 504,
       "an upstream that says nothing is given up");
    mg_err_free(&err);
    const struct mg_call broken = {.method = "GET", .url = url, .headers = bad,
                                   .header_count = 1};
    ok(mg_call_run(&broken, &status, &reply, &err) == -1 && err.status == 500,
       "a line break in a header is refused");
    mg_err_free(&err);
    const struct mg_call nowhere = {.method = "GET", .url = "file:///etc/passwd"};
    ok(mg_call_run(&nowhere, &status, &reply, &err) == -1 && err.status == 500,
       "only HTTP is spoken");
    mg_err_free(&err);
    origin_stop(&origin);
    origin_start(&origin, script_serve, false);
    is_str(call("GET", "/ok", ""), "upstream_unreachable", "nobody listens");
}

int
main(void)
{
    plan(0);
    mg_str_init(&reply, (size_t)1 << 20);
    origin_start(&origin, script_serve, true);
    test_answers();
    test_failures();
    test_not_made();
    mg_str_free(&reply);
    return done();
}
