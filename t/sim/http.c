#include "http.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *sim_http_header(const struct sim_request *req, const char *name)
{
    int i;

    for (i = 0; i < req->headers; i++) {
        if (strcmp(req->header[i].name, name) == 0) {
            return req->header[i].value;
        }
    }
    return NULL;
}

const char *sim_http_query(const struct sim_request *req, const char *name, char *buf, size_t size)
{
    const char *s = req->query;
    size_t n = strlen(name);

    while (*s) {
        size_t len = strcspn(s, "&");

        if (len > n && strncmp(s, name, n) == 0 && s[n] == '=' && len - n <= size) {
            memcpy(buf, s + n + 1, len - n - 1);
            buf[len - n - 1] = '\0';
            return buf;
        }
        s += len + (s[len] == '&');
    }
    return NULL;
}

const char *sim_http_reason(int status)
{
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {
        { 200, "OK" }, { 201, "Created" }, { 204, "No Content" }, { 400, "Bad Request" },
        { 401, "Unauthorized" }, { 402, "Payment Required" }, { 403, "Forbidden" },
        { 404, "Not Found" }, { 405, "Method Not Allowed" }, { 408, "Request Timeout" },
        { 409, "Conflict" }, { 411, "Length Required" }, { 413, "Content Too Large" },
        { 415, "Unsupported Media Type" }, { 422, "Unprocessable Content" },
        { 426, "Upgrade Required" }, { 429, "Too Many Requests" },
        { 431, "Request Header Fields Too Large" }, { 500, "Internal Server Error" },
        { 502, "Bad Gateway" }, { 503, "Service Unavailable" }, { 504, "Gateway Timeout" },
        { 529, "Overloaded" },
    };
    size_t i;

    for (i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        if (reasons[i].status == status) {
            return reasons[i].reason;
        }
    }
    return "Status";
}

/* METHOD target HTTP/1.x, NUL-terminated. */
static int read_request_line(struct sim_request *req, char *line)
{
    char *target = strchr(line, ' ');
    char *version = target ? strchr(target + 1, ' ') : NULL;
    char *query;

    if (!version || strncmp(version + 1, "HTTP/1.", 7) != 0) {
        return 400;
    }
    *target++ = '\0';
    *version++ = '\0';
    query = strchr(target, '?');
    if (query) {
        *query++ = '\0';
    }
    req->method = line;
    req->path = target;
    req->query = query ? query : "";
    req->keep_alive = strcmp(version, "HTTP/1.1") == 0;
    return 0;
}

static int read_header(struct sim_request *req, char *line)
{
    char *colon = strchr(line, ':');
    char *value;
    char *s;

    if (!colon || colon == line || req->headers == SIM_HTTP_HEADERS_MAX) {
        return colon && colon != line ? 431 : 400;
    }
    *colon = '\0';
    for (s = line; *s; s++) {
        *s = (char)tolower((unsigned char)*s);
    }
    value = colon + 1 + strspn(colon + 1, " \t");
    for (s = value + strlen(value); s > value && (s[-1] == ' ' || s[-1] == '\t'); s--) {
        s[-1] = '\0';
    }
    req->header[req->headers].name = line;
    req->header[req->headers++].value = value;
    return 0;
}

/* Splits the copied head into lines and reads each. */
static int read_lines(struct sim_request *req)
{
    char *line = sim_buf_cstr(&req->head);
    bool first = true;
    int status = 0;

    while (*line && !status) {
        char *end = strstr(line, "\r\n");

        if (!end || end == line) {
            break;
        }
        *end = '\0';
        status = first ? read_request_line(req, line) : read_header(req, line);
        first = false;
        line = end + 2;
    }
    return status ? status : req->method ? 0 : 400;
}

/* Decides from the headers how the body comes. */
static int frame_body(struct sim_request *req)
{
    const char *coding = sim_http_header(req, "transfer-encoding");
    const char *length = sim_http_header(req, "content-length");
    const char *connection = sim_http_header(req, "connection");
    const char *expect = sim_http_header(req, "expect");

    if (connection && strcasecmp(connection, "close") == 0) {
        req->keep_alive = false;
    }
    req->expects = expect && strcasecmp(expect, "100-continue") == 0;
    if (coding) {
        req->state = SIM_HTTP_CHUNKS;
        return strcasecmp(coding, "chunked") == 0 ? 0 : 400;
    }
    req->state = SIM_HTTP_BODY;
    if (length) {
        char *end;
        unsigned long long n = strtoull(length, &end, 10);

        if (end == length || *end || length[0] == '-') {
            return 400;
        }
        if (n > SIM_HTTP_BODY_MAX) {
            return 413;
        }
        req->body_len = (size_t)n;
    }
    return 0;
}

static int read_head(struct sim_request *req, const struct sim_buf *in)
{
    const char *end = memmem(in->p, in->len, "\r\n\r\n", 4);
    int status;

    if (!end) {
        return in->len > SIM_HTTP_HEAD_MAX ? 431 : -1;
    }
    req->used = (size_t)(end - in->p) + 4;
    sim_buf_add(&req->head, in->p, req->used);
    status = read_lines(req);
    return status ? status : frame_body(req);
}

/* Decodes the chunks that are whole. Returns 1 at the last one, 0 for more, or a status. */
static int read_chunks(struct sim_request *req, const struct sim_buf *in)
{
    for (;;) {
        const char *at = in->p + req->used;
        size_t left = in->len - req->used;
        const char *eol = memmem(at, left, "\r\n", 2);
        unsigned long long n;
        char *end;
        size_t line;

        if (!eol) {
            return left > 4096 ? 400 : 0;
        }
        line = (size_t)(eol - at) + 2;
        n = strtoull(at, &end, 16);
        if (end == at || n > SIM_HTTP_BODY_MAX || req->chunks.len + n > SIM_HTTP_BODY_MAX) {
            return end == at ? 400 : 413;
        }
        if (left < line + n + 2) {
            return 0;
        }
        if (n == 0) {
            const char *stop = memmem(at + line - 2, left - line + 2, "\r\n\r\n", 4);

            if (!stop) {
                return 0;
            }
            req->used = (size_t)(stop - in->p) + 4;
            return 1;
        }
        sim_buf_add(&req->chunks, at + line, n);
        req->used += line + n + 2;
    }
}

int sim_http_read(struct sim_request *req, const struct sim_buf *in)
{
    int status;

    if (!in->len) {
        return 0;
    }
    if (req->state == SIM_HTTP_HEAD) {
        status = read_head(req, in);
        if (status) {
            return status < 0 ? 0 : status;
        }
    }
    if (req->state == SIM_HTTP_CHUNKS) {
        status = read_chunks(req, in);
        if (status != 1) {
            return status;
        }
        req->body = req->chunks.p ? req->chunks.p : "";
        req->body_len = req->chunks.len;
    } else {
        if (in->len - req->used < req->body_len) {
            return 0;
        }
        req->body = in->p + req->used;
        req->used += req->body_len;
    }
    req->state = SIM_HTTP_READY;
    return 1;
}

void sim_http_next(struct sim_request *req)
{
    req->head.len = 0;
    req->chunks.len = 0;
    req->state = SIM_HTTP_HEAD;
    req->method = req->path = req->query = req->body = NULL;
    req->headers = 0;
    req->expects = false;
    req->body_len = 0;
    req->used = 0;
}

void sim_http_free(struct sim_request *req)
{
    sim_buf_free(&req->head);
    sim_buf_free(&req->chunks);
}
