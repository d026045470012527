#include "infer/refusal.h"

#include "base/alloc.h"
#include "base/utf8.h"
#include "json/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define RETRY_AFTER_MOST 3600 /* clients wait without bound: never pass on an absurd figure */
#define RETRY_AFTER_GUESS 5
#define VERBATIM_MAX 65536

static int
retry_seconds(const char *header)
{
    char *end;
    if (header == NULL)
        return RETRY_AFTER_GUESS;
    long n = strtol(header, &end, 10);
    if (end == header || *end != '\0' || n < 0)
        return RETRY_AFTER_GUESS;
    return n > RETRY_AFTER_MOST ? RETRY_AFTER_MOST : (int)n;
}

static struct json_object *
first_of(struct json_object *value)
{
    return json_object_is_type(value, json_type_array) && json_object_array_length(value) > 0
               ? json_object_array_get_idx(value, 0) : value;
}

/* What a validation error says: {"detail":"…"} or {"detail":[{"msg"}]}. */
static const char *
detail_of(struct json_object *holder)
{
    const char *text = mg_json_text(holder, "detail");
    return text != NULL ? text : mg_json_text(first_of(mg_json_get(holder, "detail")), "msg");
}

/* The text of an error body of any format: {"error":{"message"}}, {"error":"…"}, {"message"},
 * {"detail"}, {"message":{"detail"}}, or a list of one of them. False: it is no JSON, as the page
 * of a proxy. */
static bool
message_of(struct mg_span body, struct mg_err *err)
{
    struct json_object *root = mg_json_of(body), *tree = first_of(root);
    struct json_object *error = mg_json_get(tree, "error");
    const char *text = mg_json_text(error, "message");
    if (text == NULL)
        text = mg_json_text(tree, "error");
    if (text == NULL)
        text = mg_json_text(tree, "message");
    if (text == NULL)
        text = detail_of(tree);
    if (text == NULL)
        text = detail_of(mg_json_get(tree, "message"));
    const char *code = mg_json_text(error, "code"), *param = mg_json_text(error, "param");
    if (text != NULL)
        snprintf(err->message, sizeof(err->message), "%s", text);
    if (code != NULL)
        snprintf(err->code, sizeof(err->code), "%s", code);
    if (param != NULL)
        snprintf(err->param, sizeof(err->param), "%s", param);
    bool json = root != NULL;
    json_object_put(root);
    return json;
}

static void
keep_verbatim(struct mg_span body, const char *content_type, struct mg_err *err)
{
    if (body.n > VERBATIM_MAX || !mg_utf8_valid(body.p, body.n))
        return;
    err->verbatim = mg_strndup(body.p, body.n);
    err->verbatim_len = body.n;
    bool said = content_type != NULL && strncasecmp(content_type, "application/json", 16) == 0;
    snprintf(err->verbatim_type, sizeof(err->verbatim_type), "%s",
             said ? content_type : "application/json");
}

static void
refused_by_limit(const char *retry_after, struct mg_err *err)
{
    int wait = retry_seconds(retry_after);
    mg_err_set(err, 429, "rate_limit_exceeded",
               "The upstream provider is limiting requests. Please try again in %ds.", wait);
    err->retry_after_s = wait;
}

void
mg_refusal_of_status(int status, const char *content_type, const char *retry_after,
                     struct mg_span body, bool same_family, struct mg_err *err)
{
    if (status == 400 || status == 413 || status == 422) {
        mg_err_set(err, status, "", "The upstream refused the request.");
        bool json = message_of(body, err);
        if (json && same_family)
            keep_verbatim(body, content_type, err);
    } else if (status == 429) {
        refused_by_limit(retry_after, err);
    } else if (status == 503 || status == 529) {
        mg_err_set(err, 503, "upstream_overloaded",
                   "The upstream provider is overloaded. Please try again in %ds.",
                   retry_seconds(retry_after));
        err->retry_after_s = retry_seconds(retry_after);
    } else {
        mg_err_set(err, 502, "upstream_error",
                   "The upstream provider could not complete the request. Keep the request id "
                   "for support.");
    }
    mg_err_detail(err, "upstream status %d", status);
}

void
mg_refusal_of_end(const struct mg_transfer_result *result, struct mg_err *err)
{
    switch (result->end) {
    case MG_TRANSFER_TIMEOUT:
        mg_err_set(err, 502, "upstream_timeout",
                   "The upstream provider did not answer in time. Keep the request id for "
                   "support.");
        break;
    case MG_TRANSFER_UNSENT:
    case MG_TRANSFER_TLS:
        mg_err_set(err, 503, "upstream_unavailable",
                   "The upstream provider cannot be reached. Please try again in %ds.",
                   RETRY_AFTER_GUESS);
        err->retry_after_s = RETRY_AFTER_GUESS;
        break;
    case MG_TRANSFER_TOO_LARGE:
        mg_err_set(err, 502, "upstream_reply_too_large",
                   "The upstream provider's reply is larger than the service accepts.");
        break;
    default:
        mg_err_set(err, 502, "upstream_cut",
                   "The connection to the upstream provider broke before the answer was "
                   "complete. Keep the request id for support.");
        break;
    }
    mg_err_detail(err, "%s", result->text);
}

