#include "http/request.h"

#include "base/clock.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PARAMS_MAX ((size_t)64 * 1024)
#define PARAMS_COUNT_MAX 512
#define HEADERS_MAX ((size_t)16 * 1024) /* added to a reply */
#define CREDENTIAL_MAX 512

/* Copies the environment in one piece and splits it into pairs. */
static int
copy_params(struct mg_request *req, const char *const *params, struct mg_err *err)
{
    size_t bytes = 0, count = 0;
    for (; params[count] != NULL; count++) {
        bytes += strlen(params[count]) + 1;
        if (bytes > PARAMS_MAX || count == PARAMS_COUNT_MAX)
            return mg_err_set(err, 431, "headers_too_large",
                              "The headers of the request are too large.");
    }
    struct mg_pair *pair = mg_pool_alloc(req->pool, (count + 1) * sizeof(*pair));
    char *text = mg_pool_alloc(req->pool, bytes + 1);
    req->params = pair;
    for (size_t i = 0; i < count; i++) {
        size_t n = strlen(params[i]);
        memcpy(text, params[i], n + 1);
        char *equals = strchr(text, '=');
        if (equals != NULL) {
            *equals = '\0';
            pair[req->param_count++] = (struct mg_pair){text, equals + 1};
        }
        text += n + 1;
    }
    return 0;
}

static int
read_method(struct mg_request *req, struct mg_err *err)
{
    const char *method = mg_request_server_param(req, "REQUEST_METHOD");
    size_t n = method != NULL ? strspn(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") : 0;
    req->method = "GET";
    if (n == 0 || n > 16 || method[n] != '\0')
        return mg_err_set(err, 501, "method_not_supported", "The request method is not known.");
    req->head = strcmp(method, "HEAD") == 0;
    if (!req->head)
        req->method = method;
    return 0;
}

/* "Application/JSON; charset=utf-8" as "application/json". */
static void
read_content_type(struct mg_request *req)
{
    const char *type = mg_request_server_param(req, "CONTENT_TYPE");
    if (type == NULL)
        return;
    type += strspn(type, " \t");
    char *copy = mg_pool_strndup(req->pool, type, strcspn(type, "; \t"));
    for (char *c = copy; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    req->content_type = copy;
}

struct mg_request *
mg_request_new(const char *const *params, struct mg_err *err)
{
    struct mg_pool *pool = mg_pool_new();
    struct mg_request *req = mg_pool_alloc(pool, sizeof(*req));
    req->pool = pool;
    req->method = "GET";
    req->remote = req->content_type = req->uri.path = "";
    req->started_us = mg_mono_us();
    mg_str_init(&req->body_bytes, 0);
    mg_str_init(&req->reply_headers, HEADERS_MAX);
    mg_id_new(req->id);
    mg_request_id(req->id, req->id_text);
    if (copy_params(req, params, err) != 0)
        return req;
    const char *remote = mg_request_server_param(req, "REMOTE_ADDR");
    if (remote != NULL)
        req->remote = remote;
    read_content_type(req);
    const char *target = mg_request_server_param(req, "REQUEST_URI");
    if (read_method(req, err) != 0
        || mg_uri_parse(target != NULL ? target : "", pool, &req->uri, err) != 0)
        req->uri.segments = req->uri.queries = 0;
    return req;
}

void
mg_request_free(struct mg_request **req)
{
    if (*req == NULL)
        return;
    mg_str_free(&(*req)->body_bytes);
    mg_str_free(&(*req)->reply_headers);
    struct mg_pool *pool = (*req)->pool; /* the request itself lives in it */
    *req = NULL;
    mg_pool_free(&pool);
}

const char *
mg_request_server_param(const struct mg_request *req, const char *name)
{
    for (size_t i = 0; i < req->param_count; i++)
        if (strcmp(req->params[i].name, name) == 0)
            return req->params[i].value;
    return NULL;
}

/* Whether `param` is what CGI makes of the header `name`, of which n bytes count. */
static bool
is_header(const char *param, const char *name, size_t n)
{
    for (; n > 0; n--, name++, param++) {
        char c = (char)toupper((unsigned char)*name);
        if (*param != (c == '-' ? '_' : c))
            return false;
    }
    return *param == '\0';
}

static const char *
find_header(const struct mg_request *req, const char *name, size_t n)
{
    bool bare = (n == 12 && strncasecmp(name, "content-type", n) == 0)
                || (n == 14 && strncasecmp(name, "content-length", n) == 0);
    for (size_t i = 0; i < req->param_count; i++) {
        const char *param = req->params[i].name;
        if (!bare && strncmp(param, "HTTP_", 5) != 0)
            continue;
        if (is_header(param + (bare ? 0 : 5), name, n))
            return req->params[i].value;
    }
    return NULL;
}

const char *
mg_request_header(const struct mg_request *req, const char *name)
{
    return find_header(req, name, strlen(name));
}

bool
mg_request_header_any(const struct mg_request *req, const char *names)
{
    while (*names != '\0') {
        names += strspn(names, ", ");
        size_t n = strcspn(names, ", ");
        if (n > 0 && find_header(req, names, n) != NULL)
            return true;
        names += n;
    }
    return false;
}

const char *
mg_request_cookie(const struct mg_request *req, const char *name)
{
    const char *p = mg_request_header(req, "cookie");
    size_t len = strlen(name);
    while (p != NULL && *p != '\0') {
        p += strspn(p, "; \t");
        size_t n = strcspn(p, ";");
        if (n > len && p[len] == '=' && strncmp(p, name, len) == 0) {
            while (n > len + 1 && (p[n - 1] == ' ' || p[n - 1] == '\t'))
                n--;
            return mg_pool_strndup(req->pool, p + len + 1, n - len - 1);
        }
        p += n;
    }
    return NULL;
}

const char *
mg_request_query_next(const struct mg_request *req, const char *name, size_t *at)
{
    while (*at < req->uri.queries) {
        const struct mg_pair *pair = &req->uri.query[(*at)++];
        if (strcmp(pair->name, name) == 0)
            return pair->value;
    }
    return NULL;
}

const char *
mg_request_query(const struct mg_request *req, const char *name)
{
    size_t at = 0;
    return mg_request_query_next(req, name, &at);
}

int
mg_request_query_int(const struct mg_request *req, const char *name, int64_t least,
                     int64_t most, int64_t *value, struct mg_err *err)
{
    const char *text = mg_request_query(req, name);
    if (text == NULL)
        return 0;
    char *end;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || isspace((unsigned char)*text))
        return mg_err_field(err, "int_parsing", "Input should be a valid integer", "query/%s",
                            name);
    if (errno != 0 || n < least || n > most) {
        mg_err_field(err, "value_error", "Input is outside the allowed range", "query/%s", name);
        return -1;
    }
    *value = n;
    return 1;
}

const char *
mg_request_credential(const struct mg_request *req)
{
    const char *key = mg_request_header(req, "authorization");
    if (key != NULL && strncasecmp(key, "bearer", 6) == 0 && (key[6] == ' ' || key[6] == '\t'))
        key += 7;
    else
        key = "";
    if (key[strspn(key, " \t")] == '\0')
        key = mg_request_header(req, "x-api-key");
    if (key == NULL)
        return NULL;
    key += strspn(key, " \t");
    size_t n = strcspn(key, " \t");
    if (n == 0 || n > CREDENTIAL_MAX || key[n + strspn(key + n, " \t")] != '\0')
        return NULL;
    return key[n] == '\0' ? key : mg_pool_strndup(req->pool, key, n);
}

bool
mg_request_is_websocket(const struct mg_request *req)
{
    /* Web servers may keep the hop-by-hop headers to themselves; the key comes through. */
    const char *upgrade = mg_request_header(req, "upgrade");
    return (upgrade != NULL && strcasestr(upgrade, "websocket") != NULL)
           || mg_request_header(req, "sec-websocket-key") != NULL;
}
