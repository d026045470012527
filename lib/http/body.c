#include "http/body.h"

#include "http/connection.h"
#include "http/encoding.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define READ_SIZE 16384
#define RESERVE_MAX ((int64_t)256 * 1024) /* on the word of Content-Length alone */

static int
too_large(size_t limit, struct mg_err *err)
{
    return mg_err_set(err, 413, "request_too_large",
                      "The request body is larger than the limit of %zu bytes.", limit);
}

static int
not_read(ssize_t why, struct mg_err *err)
{
    if (why == MG_READ_SLOW)
        return mg_err_set(err, 408, "timeout", "The request body did not arrive in time.");
    return mg_err_set(err, 400, "incomplete_body", "The request body ended too early.");
}

static int
take(struct mg_request *req, struct mg_decoder *decoder, const char *bytes, size_t n,
     size_t limit, struct mg_err *err)
{
    enum mg_decode_result result = MG_DECODE_OK;
    if (decoder != NULL)
        result = mg_decoder_feed(decoder, bytes, n, &req->body_bytes);
    else
        mg_str_add(&req->body_bytes, bytes, n);
    if (result == MG_DECODE_LARGE || !mg_str_ok(&req->body_bytes))
        return too_large(limit, err);
    if (result == MG_DECODE_BROKEN)
        return mg_err_set(err, 400, "invalid_encoding",
                          "The request body is not in the format its Content-Encoding names.");
    return 0;
}

/* Reads to the end of the stream. `announced`: Content-Length, -1 = not stated. */
static int
read_all(struct mg_request *req, struct mg_decoder *decoder, size_t limit, int64_t announced,
         struct mg_err *err)
{
    char chunk[READ_SIZE];
    int64_t total = 0;
    ssize_t n;
    while ((n = mg_connection_read(req->conn, chunk, sizeof(chunk))) > 0) {
        total += n;
        if ((size_t)total > limit)
            return too_large(limit, err);
        if (take(req, decoder, chunk, (size_t)n, limit, err) != 0)
            return -1;
    }
    if (n != MG_READ_END)
        return not_read(n, err);
    if (announced >= 0 && total != announced)
        return not_read(MG_READ_BROKEN, err);
    if (decoder != NULL && total > 0 && !mg_decoder_complete(decoder))
        return mg_err_set(err, 400, "invalid_encoding", "The compressed request body was cut.");
    return 0;
}

/* Content-Length: -1 when it is absent, -2 when it is no number. */
static int64_t
announced_length(const struct mg_request *req)
{
    const char *text = mg_request_header(req, "content-length");
    if (text == NULL || *text == '\0')
        return -1;
    char *end;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    return *text < '0' || *text > '9' || *end != '\0' || errno != 0 ? -2 : n;
}

int
mg_body_read(struct mg_request *req, size_t limit, struct mg_err *err)
{
    if (req->body.p != NULL)
        return 0;
    const char *named = mg_request_header(req, "content-encoding");
    enum mg_coding coding = mg_coding_parse(named);
    if (coding == MG_CODING_UNKNOWN)
        return mg_err_set(err, 415, "unsupported_encoding",
                          "Content-Encoding '%.40s' is not supported; send gzip, deflate, zstd "
                          "or none.", named);
    int64_t announced = announced_length(req);
    if (announced == -2)
        return mg_err_set(err, 400, "incomplete_body", "Content-Length is not a number.");
    if (announced > (int64_t)limit)
        return too_large(limit, err);
    mg_str_free(&req->body_bytes);
    mg_str_init(&req->body_bytes, limit);
    if (announced > 0)
        mg_str_reserve(&req->body_bytes,
                       (size_t)(announced < RESERVE_MAX ? announced : RESERVE_MAX));
    struct mg_decoder *decoder = coding != MG_CODING_IDENTITY ? mg_decoder_new(coding) : NULL;
    int rc = read_all(req, decoder, limit, announced, err);
    mg_decoder_free(&decoder);
    if (rc != 0)
        mg_str_free(&req->body_bytes);
    else
        req->body = mg_str_span(&req->body_bytes);
    return rc;
}

void
mg_body_replace(struct mg_request *req, struct mg_str *body)
{
    mg_str_free(&req->body_bytes);
    req->body_bytes = *body;
    req->body = mg_str_span(&req->body_bytes);
    mg_str_init(body, body->max);
}

void
mg_body_drop(struct mg_request *req)
{
    mg_str_free(&req->body_bytes);
    req->body = (struct mg_span){"", 0};
}
