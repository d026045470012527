#include "wire/errors.h"

#include "json/writer.h"

#include <stdlib.h>
#include <string.h>

/* The names of the Messages format; those of the OpenAI-style formats are fewer. */
static const struct {
    int status;
    const char *messages, *openai;
} types[] = {
    {400, "invalid_request_error", "invalid_request_error"},
    {401, "authentication_error", "authentication_error"},
    {402, "billing_error", "insufficient_quota"},
    {403, "permission_error", "permission_error"},
    {404, "not_found_error", "invalid_request_error"},
    {409, "conflict_error", "invalid_request_error"},
    {413, "request_too_large", "invalid_request_error"},
    {429, "rate_limit_error", "rate_limit_error"},
    {503, "overloaded_error", "server_error"},
    {504, "timeout_error", "server_error"},
    {529, "overloaded_error", "server_error"},
};

const char *
mg_errors_type(const struct mg_err *err, bool messages)
{
    if (err->type[0] != '\0')
        return err->type;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (types[i].status == err->status)
            return messages ? types[i].messages : types[i].openai;
    if (err->status >= 500)
        return messages ? "api_error" : "server_error";
    return "invalid_request_error";
}

static const char *
or_null(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

/* The inside of `error`, as the family names its parts. */
static void
write_error(struct mg_jw *w, const char *key, const struct mg_err *err, bool messages)
{
    mg_jw_object(w, key);
    if (messages) {
        mg_jw_string(w, "type", mg_errors_type(err, true));
        mg_jw_string(w, "message", err->message);
    } else {
        mg_jw_string(w, "message", err->message);
        mg_jw_string(w, "type", mg_errors_type(err, false));
        mg_jw_string(w, "param", or_null(err->param));
        mg_jw_string(w, "code", or_null(err->code));
    }
    if (err->details_json[0] != '\0')
        mg_jw_raw(w, "details", mg_span_z(err->details_json));
    mg_jw_end(w);
}

/* "body/messages/0/role" as ["body","messages",0,"role"]. */
static void
write_loc(struct mg_jw *w, const char *loc)
{
    mg_jw_array(w, "loc");
    for (const char *part = loc; part != NULL;) {
        const char *slash = strchr(part, '/');
        size_t n = slash != NULL ? (size_t)(slash - part) : strlen(part);
        if (n > 0 && n < 10 && strspn(part, "0123456789") >= n)
            mg_jw_int(w, NULL, strtol(part, NULL, 10));
        else
            mg_jw_bytes(w, NULL, part, n);
        part = slash != NULL ? slash + 1 : NULL;
    }
    mg_jw_end(w);
}

static void
write_detail(struct mg_jw *w, const struct mg_err *err)
{
    mg_jw_array(w, "detail");
    for (size_t i = 0; i < err->fields; i++) {
        mg_jw_object(w, NULL);
        write_loc(w, err->field[i].loc);
        mg_jw_string(w, "msg", err->field[i].msg);
        mg_jw_string(w, "type", err->field[i].type);
        mg_jw_end(w);
    }
    mg_jw_end(w);
}

void
mg_errors_body(const struct mg_err *err, bool messages, const char *request_id,
               struct mg_str *out)
{
    if (err->verbatim != NULL) {
        mg_str_add(out, err->verbatim, err->verbatim_len);
        return;
    }
    struct mg_jw w;
    mg_jw_init(&w, out);
    mg_jw_object(&w, NULL);
    if (messages)
        mg_jw_string(&w, "type", "error");
    write_error(&w, "error", err, messages);
    if (messages)
        mg_jw_string(&w, "request_id", request_id);
    if (err->status == 422)
        write_detail(&w, err);
    mg_jw_end(&w);
    if (!mg_jw_done(&w))
        out->failed = true;
}

/* Responses: clients read the fields at the top or the object under `error`; give both. */
static void
write_flat(struct mg_jw *w, const struct mg_err *err, int64_t sequence)
{
    mg_jw_object(w, NULL);
    mg_jw_string(w, "type", "error");
    mg_jw_int(w, "sequence_number", sequence);
    mg_jw_string(w, "code", or_null(err->code));
    mg_jw_string(w, "message", err->message);
    mg_jw_string(w, "param", or_null(err->param));
    write_error(w, "error", err, false);
    mg_jw_end(w);
}

void
mg_errors_event(enum mg_family family, const struct mg_err *err, const char *request_id,
                int64_t sequence, struct mg_str *out)
{
    struct mg_jw w;
    mg_jw_init(&w, out);
    bool messages = mg_family_messages_errors(family);
    mg_str_addz(out, messages || family == MG_RESPONSES ? "event: error\ndata: " : "data: ");
    if (family == MG_RESPONSES) {
        write_flat(&w, err, sequence);
    } else {
        mg_jw_object(&w, NULL);
        if (messages)
            mg_jw_string(&w, "type", "error");
        write_error(&w, "error", err, messages);
        if (messages)
            mg_jw_string(&w, "request_id", request_id);
        mg_jw_end(&w);
    }
    if (!mg_jw_done(&w))
        out->failed = true;
    mg_str_addz(out, "\n\n");
}
