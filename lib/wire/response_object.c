#include "wire/response_object.h"

#include "base/alloc.h"
#include "json/parse.h"
#include "json/scan.h"
#include "json/splice.h"
#include "wire/translate.h"

#include <stdio.h>
#include <stdlib.h>

/* Settings that are repeated as they were sent. `null` stands for a null that was sent, where
 * the schema wants a value. */
static const struct {
    const char *name, *absent, *null;
} echoed[] = {
    {"background", "false", "false"},
    {"frequency_penalty", "0", "0"},
    {"instructions", "null", "null"},
    {"max_output_tokens", "null", "null"},
    {"max_tool_calls", "null", "null"},
    {"metadata", "{}", "{}"},
    {"parallel_tool_calls", "true", "true"},
    {"presence_penalty", "0", "0"},
    {"previous_response_id", "null", "null"},
    {"prompt_cache_key", "null", "null"},
    {"safety_identifier", "null", "null"},
    {"store", "true", "true"},
    {"temperature", "1", "1"},
    {"tool_choice", "\"auto\"", "\"auto\""},
    {"top_logprobs", "0", "0"},
    {"top_p", "1", "1"},
    {"truncation", "\"disabled\"", "\"disabled\""},
};

static void
add_member(struct mg_str *out, const char *name, struct mg_span value)
{
    mg_str_addf(out, ",\"%s\":", name);
    mg_str_addspan(out, value);
}

/* The bytes of a member of an object, or `otherwise` when it is absent, null or no object. */
static struct mg_span
member_or(struct mg_span object, const char *name, const char *otherwise)
{
    struct mg_span value;
    if (object.n == 0 || mg_scan_member(object, name, &value) != 1 || mg_span_is(value, "null"))
        return mg_span_z(otherwise);
    return value;
}

static void
add_reasoning(const struct mg_reply *reply, struct mg_str *out)
{
    struct mg_span sent = mg_translation_echo(reply->left, "reasoning");
    mg_str_addz(out, ",\"reasoning\":{\"effort\":");
    mg_str_addspan(out, member_or(sent, "effort", "null"));
    mg_str_addz(out, ",\"summary\":");
    mg_str_addspan(out, member_or(sent, "summary", "null"));
    mg_str_addc(out, '}');
}

/* Adds to an object the members it lacks. */
static void
add_completed(struct mg_str *out, struct mg_span object, const char *const *names,
              const char *const *values)
{
    struct mg_edit edits[4];
    size_t count = 0;
    for (size_t i = 0; names[i] != NULL; i++) {
        struct mg_span there;
        if (mg_scan_member(object, names[i], &there) == 0)
            edits[count++] = (struct mg_edit){names[i], mg_span_z(values[i])};
    }
    if (mg_splice(object, edits, count, out) != 0)
        mg_str_addz(out, "{}");
}

static void
add_text(const struct mg_reply *reply, struct mg_str *out)
{
    static const char *const names[] = {"description", "strict", NULL};
    static const char *const values[] = {"\"\"", "false"};
    struct mg_span sent = mg_translation_echo(reply->left, "text"), type;
    struct mg_span format = member_or(sent, "format", "{\"type\":\"text\"}");
    mg_str_addz(out, ",\"text\":{\"format\":");
    if (mg_scan_member(format, "type", &type) == 1 && mg_span_is(type, "\"json_schema\""))
        add_completed(out, format, names, values);
    else
        mg_str_addspan(out, format);
    mg_str_addz(out, ",\"verbosity\":");
    mg_str_addspan(out, member_or(sent, "verbosity", "\"medium\""));
    mg_str_addc(out, '}');
}

static void
add_tools(const struct mg_reply *reply, struct mg_str *out)
{
    static const char *const names[] = {"description", "parameters", "strict", NULL};
    static const char *const values[] = {"null", "null", "null"};
    struct mg_span tools = mg_translation_echo(reply->left, "tools"), tool, type;
    size_t at = 0, count = 0;
    mg_str_addz(out, ",\"tools\":[");
    while (tools.n > 0 && mg_scan_element(tools, &at, &tool) == 1) {
        if (count++ > 0)
            mg_str_addc(out, ',');
        if (mg_scan_member(tool, "type", &type) == 1 && mg_span_is(type, "\"function\""))
            add_completed(out, tool, names, values);
        else
            mg_str_addspan(out, tool);
    }
    mg_str_addc(out, ']');
}

void
mg_response_settings(const struct mg_reply *reply, struct mg_str *out)
{
    for (size_t i = 0; i < sizeof(echoed) / sizeof(echoed[0]); i++) {
        struct mg_span sent = mg_translation_echo(reply->left, echoed[i].name);
        if (sent.n == 0)
            sent = mg_span_z(echoed[i].absent);
        else if (mg_span_is(sent, "null"))
            sent = mg_span_z(echoed[i].null);
        add_member(out, echoed[i].name, sent);
    }
    add_reasoning(reply, out);
    add_member(out, "service_tier", mg_span_z("\"default\""));
    add_text(reply, out);
    add_tools(reply, out);
}

static void
write_error(struct mg_jw *w, const struct mg_err *err)
{
    if (err == NULL) {
        mg_jw_null(w, "error");
        return;
    }
    mg_jw_object(w, "error");
    mg_jw_string(w, "code", err->code[0] != '\0' ? err->code : "server_error");
    mg_jw_string(w, "message", err->message);
    mg_jw_end(w);
}

static void
write_incomplete(struct mg_jw *w, const char *reason)
{
    if (reason == NULL) {
        mg_jw_null(w, "incomplete_details");
        return;
    }
    mg_jw_object(w, "incomplete_details");
    mg_jw_string(w, "reason", reason);
    mg_jw_end(w);
}

void
mg_response_object(struct mg_jw *w, const char *key, const struct mg_reply *reply,
                   struct mg_span settings, const struct mg_response_state *state)
{
    char id[MG_REPLY_ID];
    mg_jw_object(w, key);
    mg_jw_string(w, "id", mg_reply_id(reply, "resp", -1, id));
    mg_jw_string(w, "object", "response");
    mg_jw_int(w, "created_at", reply->now_s);
    mg_jw_string(w, "status", state->status);
    if (mg_span_is(mg_span_z(state->status), "completed"))
        mg_jw_int(w, "completed_at", reply->now_s);
    else
        mg_jw_null(w, "completed_at");
    write_error(w, state->err);
    write_incomplete(w, state->incomplete);
    mg_jw_string(w, "model", reply->model);
    mg_jw_array(w, "output");
    mg_str_addspan(w->out, state->output);
    mg_jw_end(w);
    if (state->usage != NULL)
        mg_usage_write(MG_RESPONSES, w, "usage", state->usage);
    else
        mg_jw_null(w, "usage");
    mg_str_addspan(w->out, settings);
    mg_jw_end(w);
}

/* The members of a request but its input, which is not repeated. */
static char *
without_input(struct mg_span body, struct mg_pool *pool)
{
    const struct mg_edit edit = {"input", {NULL, 0}};
    struct mg_str out;
    mg_str_init(&out, body.n + 64);
    char *text = mg_pool_strdup(pool, mg_splice(body, &edit, 1, &out) == 0 ? out.p : "{}");
    mg_str_free(&out);
    return text;
}

void
mg_response_begun(struct mg_span body, const char *model, const char *seed, int64_t now_s,
                  struct mg_str *out)
{
    const struct mg_response_state state = {.status = "queued", .output = {"", 0}};
    struct mg_str settings;
    struct mg_jw w;
    struct mg_reply reply = {.client = MG_RESPONSES, .model = mg_strdup(model), .now_s = now_s};
    snprintf(reply.seed, sizeof(reply.seed), "%s", seed);
    reply.left = mg_translation_new(MG_RESPONSES, MG_RESPONSES);
    reply.left->echo = mg_span_z(without_input(body, reply.left->pool));
    mg_str_init(&settings, body.n + 65536);
    mg_response_settings(&reply, &settings);
    mg_jw_init(&w, out);
    mg_response_object(&w, NULL, &reply, mg_str_span(&settings), &state);
    mg_str_free(&settings);
    mg_translation_free(&reply.left);
    free(reply.model);
}
