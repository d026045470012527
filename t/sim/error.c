#include "error.h"

#include <string.h>

struct usual {
    int status;
    const char *openai_type;
    const char *openai_code;
    const char *messages_type;
};

static const struct usual *usual(int status)
{
    static const struct usual table[] = {
        { 400, "invalid_request_error", NULL, "invalid_request_error" },
        { 401, "invalid_request_error", "invalid_api_key", "authentication_error" },
        { 402, "insufficient_quota", "insufficient_quota", "billing_error" },
        { 403, "invalid_request_error", NULL, "permission_error" },
        { 404, "invalid_request_error", "model_not_found", "not_found_error" },
        { 405, "invalid_request_error", NULL, "invalid_request_error" },
        { 409, "invalid_request_error", NULL, "conflict_error" },
        { 413, "invalid_request_error", "request_too_large", "request_too_large" },
        { 422, "invalid_request_error", NULL, "invalid_request_error" },
        { 429, "requests", "rate_limit_exceeded", "rate_limit_error" },
        { 500, "server_error", NULL, "api_error" },
        { 503, "server_error", "server_is_overloaded", "overloaded_error" },
        { 504, "server_error", NULL, "timeout_error" },
        { 529, "server_error", "server_is_overloaded", "overloaded_error" },
    };
    static const struct usual other = { 0, "server_error", NULL, "api_error" };
    size_t i;

    for (i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].status == status) {
            return &table[i];
        }
    }
    return &other;
}

static const char *type_of(enum sim_family family, const struct sim_error *err)
{
    const struct usual *u = usual(err->status);

    if (err->type) {
        return err->type;
    }
    return family == SIM_MESSAGES ? u->messages_type : u->openai_type;
}

static const char *code_of(const struct sim_error *err)
{
    return err->code ? err->code : err->type ? NULL : usual(err->status)->openai_code;
}

static void put_fields(struct sim_buf *b, enum sim_family family, const struct sim_error *err)
{
    sim_j_str(b, "message", err->message);
    sim_j_str(b, "type", type_of(family, err));
    sim_j_str(b, "param", err->param);
    sim_j_str(b, "code", code_of(err));
}

static void put_messages(struct sim_buf *b, const struct sim_error *err, const char *request_id)
{
    sim_j_open(b, NULL, '{');
    sim_j_str(b, "type", "error");
    sim_j_open(b, "error", '{');
    sim_j_str(b, "type", type_of(SIM_MESSAGES, err));
    sim_j_str(b, "message", err->message);
    sim_j_close(b, '}');
    sim_j_str(b, "request_id", request_id);
    sim_j_close(b, '}');
}

static void put_openai(struct sim_buf *b, enum sim_family family, const struct sim_error *err)
{
    sim_j_open(b, NULL, '{');
    sim_j_open(b, "error", '{');
    put_fields(b, family, err);
    sim_j_close(b, '}');
    sim_j_close(b, '}');
}

void sim_error_reply(struct sim_reply *r, enum sim_family family, const struct sim_error *err,
                     const char *request_id)
{
    r->status = err->status;
    r->type = "application/json";
    r->stream = false;
    r->body.len = 0;
    r->events = 0;
    if (family == SIM_MESSAGES) {
        put_messages(&r->body, err, request_id);
    } else {
        put_openai(&r->body, family, err);
    }
}

/* The error event of Responses carries its fields flat and once more under "error". */
static void put_numbered(struct sim_buf *b, const struct sim_error *err, int64_t seq)
{
    sim_j_open(b, NULL, '{');
    sim_j_str(b, "type", "error");
    sim_j_int(b, "sequence_number", seq);
    sim_j_str(b, "code", code_of(err));
    sim_j_str(b, "message", err->message);
    sim_j_str(b, "param", err->param);
    sim_j_open(b, "error", '{');
    put_fields(b, SIM_RESPONSES, err);
    sim_j_close(b, '}');
    sim_j_close(b, '}');
}

void sim_error_event(struct sim_reply *r, const struct sim_cmd *cmd, enum sim_family family,
                     const struct sim_error *err, int64_t seq)
{
    struct sim_buf b = {0};
    const char *name = family == SIM_MESSAGES || family == SIM_RESPONSES ? "error" : NULL;

    if (family == SIM_MESSAGES) {
        put_messages(&b, err, NULL);
    } else if (family == SIM_RESPONSES) {
        put_numbered(&b, err, seq);
    } else {
        put_openai(&b, family, err);
    }
    sim_sse_add(r, cmd, name, b.p, b.len);
    sim_buf_free(&b);
}

struct sim_error sim_error_scripted(const struct sim_cmd *cmd, int status)
{
    struct sim_error err = { status, cmd->type, cmd->code, cmd->param, cmd->message };

    if (!err.message) {
        err.message = status == 429 ? "Rate limit reached for the simulated model."
                      : status >= 500 ? "The simulated provider is having trouble."
                                      : "The simulated provider refuses this request.";
    }
    return err;
}
