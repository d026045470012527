/* Errors in the words of each format. */
#include "tap.h"

#include "base/alloc.h"
#include "wire/errors.h"

static struct mg_err err;
static struct mg_str out;

static void
body(bool messages, const char *want, const char *what)
{
    mg_str_reset(&out);
    mg_errors_body(&err, messages, "req_1", &out);
    is_str(out.p, want, what);
}

static void
event(enum mg_family family, const char *want, const char *what)
{
    mg_str_reset(&out);
    mg_errors_event(family, &err, "req_1", 7, &out);
    is_str(out.p, want, what);
}

static void
test_bodies(void)
{
    mg_err_param(&err, 400, "bad_thing", "messages", "Say \"%s\".", "hi");
    body(false, "{\"error\":{\"message\":\"Say \\\"hi\\\".\",\"type\":\"invalid_request_error\","
                "\"param\":\"messages\",\"code\":\"bad_thing\"}}",
         "the OpenAI shape has four keys");
    body(true, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\","
               "\"message\":\"Say \\\"hi\\\".\"},\"request_id\":\"req_1\"}",
         "the Messages shape has the request id");
    mg_err_set(&err, 500, "", "x");
    body(false, "{\"error\":{\"message\":\"x\",\"type\":\"server_error\",\"param\":null,"
                "\"code\":null}}", "what is not known is null");
    mg_err_set(&err, 400, "c", "no threads");
    snprintf(err.details_json, sizeof(err.details_json), "{\"error_code\":\"t\"}");
    body(true, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":"
               "\"no threads\",\"details\":{\"error_code\":\"t\"}},\"request_id\":\"req_1\"}",
         "details stand inside the error");
    mg_err_set(&err, 400, "", "replaced");
    err.verbatim = mg_strdup("{\"their\": \"own\"}\n");
    err.verbatim_len = strlen(err.verbatim);
    body(true, "{\"their\": \"own\"}\n", "a verbatim body is not touched");
}

static void
test_validation(void)
{
    mg_err_free(&err);
    mg_err_field(&err, "missing", "Field required", "body/messages/%d/role", 0);
    mg_err_field(&err, "value_error", "no", "query/limit");
    body(false, "{\"error\":{\"message\":\"messages.0.role: Field required\",\"type\":"
                "\"invalid_request_error\",\"param\":\"messages.0.role\",\"code\":"
                "\"validation_error\"},\"detail\":[{\"loc\":[\"body\",\"messages\",0,\"role\"],"
                "\"msg\":\"Field required\",\"type\":\"missing\"},{\"loc\":[\"query\",\"limit\"],"
                "\"msg\":\"no\",\"type\":\"value_error\"}]}",
         "a 422 carries detail; digits are integers");
    body(true, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":"
               "\"messages.0.role: Field required\"},\"request_id\":\"req_1\",\"detail\":[{\"loc\":"
               "[\"body\",\"messages\",0,\"role\"],\"msg\":\"Field required\",\"type\":"
               "\"missing\"},"
               "{\"loc\":[\"query\",\"limit\"],\"msg\":\"no\",\"type\":\"value_error\"}]}",
         "in the Messages shape too");
    mg_err_free(&err);
    mg_err_field(&err, "t", "m", "body/99999999999/-1/1a");
    mg_str_reset(&out);
    mg_errors_body(&err, false, "req_1", &out);
    ok(strstr(out.p, "\"loc\":[\"body\",\"99999999999\",\"-1\",\"1a\"]") != NULL,
       "what is no small number stays text");
}

static void
test_types(void)
{
    const struct {
        int status;
        const char *messages, *openai;
    } want[] = {
        {401, "authentication_error", "authentication_error"},
        {402, "billing_error", "insufficient_quota"},
        {403, "permission_error", "permission_error"},
        {404, "not_found_error", "invalid_request_error"},
        {413, "request_too_large", "invalid_request_error"},
        {422, "invalid_request_error", "invalid_request_error"},
        {429, "rate_limit_error", "rate_limit_error"},
        {502, "api_error", "server_error"},
        {503, "overloaded_error", "server_error"},
        {504, "timeout_error", "server_error"},
    };
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        mg_err_set(&err, want[i].status, "", "x");
        ok(strcmp(mg_errors_type(&err, true), want[i].messages) == 0
               && strcmp(mg_errors_type(&err, false), want[i].openai) == 0,
           "the types of a %d", want[i].status);
    }
    snprintf(err.type, sizeof(err.type), "usage_limit_reached");
    is_str(mg_errors_type(&err, true), "usage_limit_reached", "a type of its own goes before");
}

static void
test_events(void)
{
    mg_err_set(&err, 502, "upstream_cut", "cut");
    event(MG_MESSAGES, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\","
                       "\"message\":\"cut\"},\"request_id\":\"req_1\"}\n\n", "Messages");
    event(MG_CHAT, "data: {\"error\":{\"message\":\"cut\",\"type\":\"server_error\","
                   "\"param\":null,\"code\":\"upstream_cut\"}}\n\n", "Chat");
    event(MG_RESPONSES, "event: error\ndata: {\"type\":\"error\",\"sequence_number\":7,\"code\":"
                        "\"upstream_cut\",\"message\":\"cut\",\"param\":null,\"error\":{"
                        "\"message\":"
                        "\"cut\",\"type\":\"server_error\",\"param\":null,\"code\":\"upstream_cut\""
                        "}}\n\n", "Responses: flat and nested");
}

int
main(void)
{
    plan(0);
    mg_err_init(&err);
    mg_str_init(&out, 65536);
    test_bodies();
    test_validation();
    test_types();
    test_events();
    mg_err_free(&err);
    mg_str_free(&out);
    return done();
}
