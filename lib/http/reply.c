#include "http/reply.h"

#include "base/clock.h"
#include "base/log.h"
#include "http/connection.h"
#include "wire/errors.h"

#include <string.h>
#include <strings.h>

#define HEAD_MAX ((size_t)32 * 1024)
#define ERROR_BODY_MAX ((size_t)1 << 20)

static const struct {
    int status;
    const char *reason;
} reasons[] = {
    {200, "OK"}, {201, "Created"}, {202, "Accepted"}, {204, "No Content"}, {302, "Found"},
    {303, "See Other"}, {304, "Not Modified"}, {400, "Bad Request"}, {401, "Unauthorized"},
    {402, "Payment Required"}, {403, "Forbidden"}, {404, "Not Found"},
    {405, "Method Not Allowed"}, {408, "Request Timeout"}, {409, "Conflict"}, {410, "Gone"},
    {413, "Content Too Large"}, {414, "URI Too Long"}, {415, "Unsupported Media Type"},
    {422, "Unprocessable Content"}, {426, "Upgrade Required"}, {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"}, {500, "Internal Server Error"},
    {501, "Not Implemented"}, {502, "Bad Gateway"}, {503, "Service Unavailable"},
    {504, "Gateway Timeout"}, {529, "Site Is Overloaded"},
};

const char *
mg_reply_reason(int status)
{
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return "";
}

void
mg_reply_header(struct mg_request *req, const char *name, const char *value)
{
    struct mg_str *out = &req->reply_headers;
    mg_str_addz(out, name);
    mg_str_addz(out, ": ");
    for (; *value != '\0'; value++) /* a line break in a value would begin another header */
        if ((unsigned char)*value >= 0x20 && *value != 0x7f)
            mg_str_addc(out, *value);
    mg_str_addz(out, "\r\n");
}

/* Whether a header was added; names stand at the beginnings of lines. */
static bool
has_header(const struct mg_request *req, const char *name)
{
    size_t n = strlen(name);
    for (const char *line = req->reply_headers.p; *line != '\0';) {
        if (strncasecmp(line, name, n) == 0 && line[n] == ':')
            return true;
        const char *end = strchr(line, '\n');
        line = end != NULL ? end + 1 : "";
    }
    return false;
}

void
mg_reply_head(struct mg_request *req, int status, const char *content_type, int64_t length,
              struct mg_str *out)
{
    req->status = status;
    mg_str_addf(out, "Status: %d %s\r\n", status, mg_reply_reason(status));
    if (content_type != NULL)
        mg_str_addf(out, "Content-Type: %s\r\n", content_type);
    if (length >= 0)
        mg_str_addf(out, "Content-Length: %lld\r\n", (long long)length);
    mg_str_addf(out, "x-request-id: %s\r\nrequest-id: %s\r\n", req->id_text, req->id_text);
    bool events = content_type != NULL && strncmp(content_type, "text/event-stream", 17) == 0;
    if (!has_header(req, "cache-control"))
        mg_str_addz(out, events ? "cache-control: no-store, no-transform\r\n"
                                : "cache-control: no-store\r\n");
    if (events) /* proxies in front would otherwise collect events before they forward them */
        mg_str_addz(out, "x-accel-buffering: no\r\n");
    mg_str_addspan(out, mg_str_span(&req->reply_headers));
    mg_str_addz(out, "\r\n");
}

int
mg_reply_bytes(struct mg_request *req, int status, const char *content_type, const void *bytes,
               size_t n)
{
    struct mg_str head;
    mg_str_init(&head, HEAD_MAX);
    bool body = content_type != NULL;
    mg_reply_head(req, status, content_type, body ? (int64_t)n : -1, &head);
    struct mg_span part = {bytes, body && !req->head ? n : 0};
    int rc = req->conn != NULL ? mg_connection_send(req->conn, mg_str_span(&head), part) : -1;
    mg_str_free(&head);
    mg_debug("req=%s %s %s status=%d ms=%lld%s", req->id_text, req->method, req->uri.path,
             status, (long long)(mg_mono_us() - req->started_us) / 1000, rc ? " gone" : "");
    return rc;
}

int
mg_reply_json(struct mg_request *req, int status, const struct mg_str *json)
{
    if (mg_str_ok(json))
        return mg_reply_bytes(req, status, MG_TYPE_JSON, json->p, json->len);
    struct mg_err err = MG_ERR_INIT;
    mg_err_internal(&err, "the reply exceeds its limit of %zu bytes", json->max);
    return mg_reply_error(req, &err);
}

int
mg_reply_empty(struct mg_request *req, int status)
{
    return mg_reply_bytes(req, status, NULL, "", 0);
}

static void
log_error(const struct mg_request *req, const struct mg_err *err)
{
    enum mg_log_level level = err->status >= 500 ? MG_LOG_WARN : MG_LOG_INFO;
    mg_log(level, "req=%s %s %s status=%d code=%s%s%s", req->id_text, req->method,
           req->uri.path, err->status, err->code, err->detail[0] ? " detail=" : "", err->detail);
}

const char *
mg_reply_error_parts(struct mg_request *req, const struct mg_err *err, struct mg_str *body)
{
    log_error(req, err);
    if (err->retry_after_s >= 0)
        mg_reply_header(req, "retry-after",
                        mg_pool_printf(req->pool, "%d", err->retry_after_s));
    if (err->no_retry || err->retry)
        mg_reply_header(req, "x-should-retry", err->no_retry ? "false" : "true");
    if (err->status == 401 && !has_header(req, "www-authenticate"))
        mg_reply_header(req, "www-authenticate", "Bearer");
    mg_errors_body(err, req->messages_errors, req->id_text, body);
    return err->verbatim != NULL && err->verbatim_type[0] != '\0' ? err->verbatim_type
                                                                  : MG_TYPE_JSON;
}

int
mg_reply_error(struct mg_request *req, const struct mg_err *err)
{
    struct mg_str body;
    mg_str_init(&body, ERROR_BODY_MAX + err->verbatim_len);
    const char *type = mg_reply_error_parts(req, err, &body);
    int rc = mg_reply_bytes(req, err->status != 0 ? err->status : 500, type, body.p, body.len);
    mg_str_free(&body);
    return rc;
}
