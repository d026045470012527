#include "wire/decoder.h"

#include "json/parse.h"

#include <string.h>

/* What an upstream's error type or code means for the client. Faults of our own account with
 * the upstream are none of the client's business: they have no row here and become a 502. */
static const struct fault {
    const char *word;
    int status;
    const char *code;
} faults[] = {
    {"overloaded_error", 529, "server_is_overloaded"},
    {"server_is_overloaded", 529, "server_is_overloaded"},
    {"slow_down", 503, "server_is_overloaded"},
    {"rate_limit_error", 429, "rate_limit_exceeded"},
    {"rate_limit_exceeded", 429, "rate_limit_exceeded"},
    {"context_length_exceeded", 400, "context_length_exceeded"},
    {"invalid_prompt", 400, "invalid_prompt"},
    {"invalid_request_error", 400, "invalid_request"},
    {"request_too_large", 413, "request_too_large"},
    {"timeout_error", 504, "upstream_timeout"},
    {"api_error", 502, "server_error"},
    {"server_error", 502, "server_error"},
};

static const char *const ours[] = {
    "authentication_error", "permission_error", "permission_denied", "billing_error",
    "invalid_api_key", "insufficient_quota", "not_found_error", "model_not_found",
};

/* Some say it by the number of a status. */
static const char *
word_of(int64_t number)
{
    switch (number) {
    case 400:
    case 422:
        return "invalid_request_error";
    case 401:
    case 402:
    case 403:
    case 404:
        return "permission_error";
    case 413:
        return "request_too_large";
    case 429:
        return "rate_limit_error";
    case 503:
    case 529:
        return "overloaded_error";
    case 408:
    case 504:
        return "timeout_error";
    default:
        return NULL;
    }
}

static const struct fault *
find(const char *word)
{
    for (size_t i = 0; word != NULL && i < sizeof(faults) / sizeof(faults[0]); i++) {
        if (strcmp(word, faults[i].word) == 0)
            return &faults[i];
    }
    return NULL;
}

static bool
is_ours(const char *word)
{
    for (size_t i = 0; word != NULL && i < sizeof(ours) / sizeof(ours[0]); i++) {
        if (strcmp(word, ours[i]) == 0)
            return true;
    }
    return false;
}

void
mg_decoder_fault(const struct mg_decoder *d, struct json_object *error)
{
    struct mg_err err = MG_ERR_INIT;
    struct json_object *inner = mg_json_get(error, "error");
    if (json_object_is_type(inner, json_type_object))
        error = inner;
    const char *code = mg_json_text(error, "code"), *type = mg_json_text(error, "type");
    const char *text = mg_json_text(error, "message");
    if (code == NULL)
        code = word_of(mg_json_int(error, "code", 0));
    if (json_object_is_type(error, json_type_string))
        text = json_object_get_string(error);
    const struct fault *fault = find(code) ? find(code) : find(type);
    if (is_ours(code) || is_ours(type) || text == NULL || *text == '\0')
        text = "The upstream could not complete the answer.";
    mg_err_set(&err, fault ? fault->status : 502, fault ? fault->code : "server_error", "%s",
               text);
    mg_err_detail(&err, "upstream error type %s code %s", type ? type : "-", code ? code : "-");
    struct mg_event event = {.kind = MG_EVENT_ERROR, .err = &err};
    mg_sink_put(d->sink, &event);
    mg_err_free(&err);
}
