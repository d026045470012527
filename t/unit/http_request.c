/* Requests made of FastCGI parameters: headers, keys, cookies, numbers in the query. */
#include "tap.h"

#include "http/request.h"

static struct mg_err err;
static struct mg_request *req;

/* A GET of `target` with up to three more parameters. */
static struct mg_request *
make(const char *target, const char *a, const char *b, const char *c)
{
    char uri[512];
    snprintf(uri, sizeof(uri), "REQUEST_URI=%s", target);
    const char *params[] = {"REQUEST_METHOD=GET", uri, "REMOTE_ADDR=192.0.2.7", a, b, c, NULL};
    mg_request_free(&req);
    mg_err_free(&err);
    return req = mg_request_new(params, &err);
}

static void
test_basics(void)
{
    make("/v1/models?limit=5", "CONTENT_TYPE=Application/JSON; charset=utf-8",
         "HTTP_X_REQUEST_ID=mine", "no equals sign");
    is_str(req->method, "GET", "the method is there");
    is_str(req->remote, "192.0.2.7", "the client's address is there");
    is_str(req->content_type, "application/json", "the media type is bare and in lower case");
    ok(strncmp(req->id_text, "req_", 4) == 0 && strlen(req->id_text) == 36,
       "a request id was made");
    is_str(mg_request_header(req, "X-Request-Id"), "mine", "a header is found in any case");
    is_str(mg_request_header(req, "content-type"), "Application/JSON; charset=utf-8",
           "Content-Type is found although CGI has no HTTP_ before it");
    ok(mg_request_header(req, "x-request") == NULL, "part of a name is not the name");
    ok(mg_request_header(req, "request-method") == NULL, "a parameter is no header");
    ok(mg_request_header_any(req, "a, X-Request-Id"), "one of a list of headers is found");
    ok(!mg_request_header_any(req, "a,b,"), "none of a list is found");
    is_str(mg_request_server_param(req, "REMOTE_ADDR"), "192.0.2.7", "parameters are readable");
    ok(mg_request_server_param(req, "x_request_id") == NULL, "... by their exact names");
}

static void
test_methods(void)
{
    const char *head[] = {"REQUEST_METHOD=HEAD", "REQUEST_URI=/x", NULL};
    const char *odd[] = {"REQUEST_METHOD=get it", "REQUEST_URI=/x", NULL};
    const char *none[] = {NULL};
    mg_request_free(&req);
    req = mg_request_new(head, &err);
    ok(req->head && strcmp(req->method, "GET") == 0, "HEAD is a GET without a body");
    mg_request_free(&req);
    req = mg_request_new(odd, &err);
    is_int(err.status, 501, "a method that is no word is refused");
    mg_request_free(&req);
    mg_err_free(&err);
    req = mg_request_new(none, &err);
    ok(err.status == 501 && req->id_text[0] != '\0', "without parameters there is still a request");
}

static void
test_credential(void)
{
    const struct {
        const char *authorization, *x_api_key, *want, *what;
    } cases[] = {
        {"HTTP_AUTHORIZATION=Bearer abc", "A=1", "abc", "a Bearer key"},
        {"HTTP_AUTHORIZATION=bearer   abc  ", "A=1", "abc", "any case, spaces around"},
        {"A=1", "HTTP_X_API_KEY=xyz", "xyz", "x-api-key"},
        {"HTTP_AUTHORIZATION=Bearer abc", "HTTP_X_API_KEY=xyz", "abc", "of both, Bearer"},
        {"HTTP_AUTHORIZATION=Basic abc", "HTTP_X_API_KEY=xyz", "xyz", "Basic is no key"},
        {"HTTP_AUTHORIZATION=Bearer ", "HTTP_X_API_KEY=xyz", "xyz", "an empty Bearer is none"},
        {"HTTP_AUTHORIZATION=Bearer a b", "A=1", NULL, "two words are no key"},
        {"HTTP_AUTHORIZATION=Bearerabc", "A=1", NULL, "the scheme needs a space behind it"},
        {"A=1", "HTTP_X_API_KEY=", NULL, "an empty x-api-key is none"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        make("/", cases[i].authorization, cases[i].x_api_key, NULL);
        is_str(mg_request_credential(req), cases[i].want, cases[i].what);
    }
    char key[600] = "HTTP_X_API_KEY=";
    memset(key + 15, 'k', 513);
    make("/", key, NULL, NULL);
    ok(mg_request_credential(req) == NULL, "a key of 513 bytes is none");
}

static void
test_cookies_and_websockets(void)
{
    make("/", "HTTP_COOKIE=a=1; session=tok=en ;xsession=no", NULL, NULL);
    is_str(mg_request_cookie(req, "session"), "tok=en", "a cookie is found by its whole name");
    is_str(mg_request_cookie(req, "a"), "1", "the first cookie is found");
    ok(mg_request_cookie(req, "sess") == NULL, "part of a name finds nothing");
    ok(!mg_request_is_websocket(req), "a plain request is no handshake");
    make("/", "HTTP_UPGRADE=WebSocket", NULL, NULL);
    ok(mg_request_is_websocket(req), "Upgrade: websocket is a handshake");
    make("/", "HTTP_SEC_WEBSOCKET_KEY=abc", NULL, NULL);
    ok(mg_request_is_websocket(req), "... also when the web server hides the upgrade");
}

static void
test_numbers(void)
{
    int64_t n = 20;
    make("/?limit=7&bad=7x&big=99999999999999999999&space=%207&order=a&order=b", NULL, NULL, NULL);
    is_int(mg_request_query_int(req, "limit", 1, 100, &n, &err), 1, "a number is read");
    is_int(n, 7, "... to its value");
    is_int(mg_request_query_int(req, "none", 1, 100, &n, &err), 0, "an absent one is absent");
    is_int(n, 7, "... and changes nothing");
    is_int(mg_request_query_int(req, "limit", 8, 100, &n, &err), -1, "one out of range fails");
    is_str(err.field[0].loc, "query/limit", "... with its place");
    is_int(err.status, 422, "... as a 422");
    is_int(mg_request_query_int(req, "bad", 1, 100, &n, &err), -1, "letters fail");
    is_int(mg_request_query_int(req, "big", 1, 100, &n, &err), -1, "an overflow fails");
    is_int(mg_request_query_int(req, "space", 1, 100, &n, &err), -1, "a space before it fails");
    is_int((long long)err.fields, 4, "every problem is listed");
    size_t at = 0;
    mg_request_query_next(req, "order", &at);
    is_str(mg_request_query_next(req, "order", &at), "b", "a repeated parameter is walked");
    ok(mg_request_query_next(req, "order", &at) == NULL, "... to its end");
}

static void
test_size(void)
{
    char *big = malloc(70000);
    memset(big, 'x', 69999);
    memcpy(big, "HTTP_BIG=", 9);
    big[69999] = '\0';
    make("/", big, NULL, NULL);
    is_int(err.status, 431, "70 KB of headers are refused");
    big[60000] = '\0';
    make("/", big, NULL, NULL);
    is_int(err.status, 0, "60 KB are read");
    free(big);
}

int
main(void)
{
    plan(0);
    mg_err_init(&err);
    test_basics();
    test_methods();
    test_credential();
    test_cookies_and_websockets();
    test_numbers();
    test_size();
    mg_request_free(&req);
    mg_err_free(&err);
    return done();
}
