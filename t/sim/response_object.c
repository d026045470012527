/* The response object and response.compaction. */
#include "responses.h"
#include "sign.h"
#include "usage.h"

#include <string.h>

const char *sim_response_status(const struct sim_turn *turn)
{
    switch (turn->end) {
    case SIM_END_LENGTH:
    case SIM_END_FILTER:
    case SIM_END_REFUSAL:
        return "incomplete";
    case SIM_END_RAW:
        return strcmp(turn->end_raw, "failed") == 0 ? "failed" : "completed";
    default:
        return "completed";
    }
}

/* A member of the request as it came, or the default that the real API shows. */
static void same(struct sim_buf *b, const struct sim_turn *turn, const char *key, const char *dflt)
{
    struct json_object *v = sim_js_get(turn->ask->body, key);

    sim_j_raw(b, key, v ? sim_js_text(v) : dflt);
}

/* A member of o, or dflt as JSON. */
static void member(struct sim_buf *b, struct json_object *o, const char *key, const char *dflt)
{
    struct json_object *v = sim_js_get(o, key);

    sim_j_raw(b, key, v ? sim_js_text(v) : dflt);
}

static void put_function(struct sim_buf *b, struct json_object *tool)
{
    sim_j_open(b, NULL, '{');
    sim_j_str(b, "type", "function");
    member(b, tool, "name", "\"\"");
    member(b, tool, "description", "null");
    member(b, tool, "parameters", "null");
    member(b, tool, "strict", "true");
    sim_j_close(b, '}');
}

static void put_tools(struct sim_buf *b, const struct sim_turn *turn)
{
    struct json_object *tools = sim_js_get(turn->ask->body, "tools");
    size_t i;

    sim_j_open(b, "tools", '[');
    for (i = 0; i < sim_js_len(tools); i++) {
        struct json_object *tool = sim_js_at(tools, i);

        if (sim_js_is(tool, "type", "function")) {
            put_function(b, tool);
        } else {
            sim_j_raw(b, NULL, sim_js_text(tool));
        }
    }
    sim_j_close(b, ']');
}

static void put_text(struct sim_buf *b, const struct sim_turn *turn)
{
    struct json_object *text = sim_js_get(turn->ask->body, "text");
    struct json_object *format = sim_js_get(text, "format");

    sim_j_open(b, "text", '{');
    if (sim_js_is(format, "type", "json_schema")) {
        sim_j_open(b, "format", '{');
        sim_j_str(b, "type", "json_schema");
        member(b, format, "description", "null");
        member(b, format, "name", "\"\"");
        member(b, format, "schema", "{}");
        member(b, format, "strict", "false");
        sim_j_close(b, '}');
    } else {
        member(b, text, "format", "{\"type\":\"text\"}");
    }
    member(b, text, "verbosity", "\"medium\"");
    sim_j_close(b, '}');
}

const char *sim_response_echo(const struct sim_turn *turn)
{
    static const char *const members[][2] = {
        { "background", "false" }, { "frequency_penalty", "0" }, { "instructions", "null" },
        { "max_output_tokens", "null" }, { "max_tool_calls", "null" },
        { "parallel_tool_calls", "true" }, { "presence_penalty", "0" },
        { "previous_response_id", "null" }, { "prompt_cache_key", "null" },
        { "safety_identifier", "null" }, { "store", "true" }, { "temperature", "1" },
        { "tool_choice", "\"auto\"" }, { "top_logprobs", "0" }, { "top_p", "1" },
        { "truncation", "\"disabled\"" }, { "metadata", "{}" },
    };
    struct json_object *reasoning = sim_js_get(turn->ask->body, "reasoning");
    struct sim_buf b = {0};
    const char *s;
    size_t i;

    sim_j_open(&b, NULL, '{');
    for (i = 0; i < sizeof members / sizeof members[0]; i++) {
        same(&b, turn, members[i][0], members[i][1]);
    }
    sim_j_open(&b, "reasoning", '{');
    member(&b, reasoning, "effort", "\"medium\"");
    member(&b, reasoning, "summary", "null");
    sim_j_close(&b, '}');
    sim_j_str(&b, "service_tier", "default");
    put_text(&b, turn);
    put_tools(&b, turn);
    s = sim_pool_copy(turn->pool, b.p + 1, b.len - 1);
    sim_buf_free(&b);
    return s;
}

static void put_outcome(struct sim_buf *b, const struct sim_turn *turn, const char *status)
{
    if (strcmp(status, "failed") == 0) {
        sim_j_open(b, "error", '{');
        sim_j_str(b, "code", turn->cmd->code ? turn->cmd->code : "server_error");
        sim_j_str(b, "message", turn->cmd->message ? turn->cmd->message
                                                    : "The simulated model failed.");
        sim_j_close(b, '}');
    } else {
        sim_j_null(b, "error");
    }
    if (strcmp(status, "incomplete") == 0) {
        sim_j_open(b, "incomplete_details", '{');
        sim_j_str(b, "reason", turn->end == SIM_END_LENGTH ? "max_output_tokens"
                                                           : "content_filter");
        sim_j_close(b, '}');
    } else {
        sim_j_null(b, "incomplete_details");
    }
}

static void put_output(struct sim_buf *b, const struct sim_turn *turn, bool finished)
{
    size_t i;

    sim_j_open(b, "output", '[');
    for (i = 0; finished && i < turn->parts; i++) {
        sim_item_put(b, NULL, turn, i, SIM_ITEM_DONE);
    }
    sim_j_close(b, ']');
}

void sim_response_put(struct sim_buf *b, const char *key, const struct sim_turn *turn,
                      const char *echo, const char *status, bool usage)
{
    bool finished = strcmp(status, "in_progress") != 0 && strcmp(status, "queued") != 0;

    sim_j_open(b, key, '{');
    sim_j_str(b, "id", sim_pool_fmt(turn->pool, "resp_%s", turn->id));
    sim_j_str(b, "object", "response");
    sim_j_int(b, "created_at", turn->created);
    sim_j_str(b, "status", status);
    if (strcmp(status, "completed") == 0) {
        sim_j_int(b, "completed_at", turn->created);
    } else {
        sim_j_null(b, "completed_at");
    }
    put_outcome(b, turn, status);
    sim_j_str(b, "model", turn->model);
    put_output(b, turn, finished);
    if (usage) {
        sim_usage_responses(b, "usage", turn);
    } else {
        sim_j_null(b, "usage");
    }
    sim_buf_puts(b, ",");
    sim_buf_puts(b, echo);
    sim_j_close(b, '}');
}

/* A user's message of the request as an item of the compacted window. */
static void put_user(struct sim_buf *b, const struct sim_turn *turn, struct json_object *content,
                     size_t i)
{
    sim_j_open(b, NULL, '{');
    sim_j_str(b, "type", "message");
    sim_j_str(b, "id", sim_pool_fmt(turn->pool, "msg_%su%02zu", turn->id, i));
    sim_j_str(b, "status", "completed");
    sim_j_str(b, "role", "user");
    if (json_object_is_type(content, json_type_array)) {
        sim_j_raw(b, "content", sim_js_text(content));
    } else {
        sim_j_open(b, "content", '[');
        sim_j_open(b, NULL, '{');
        sim_j_str(b, "type", "input_text");
        sim_j_str(b, "text", json_object_get_string(content));
        sim_j_close(b, '}');
        sim_j_close(b, ']');
    }
    sim_j_close(b, '}');
}

static void put_users(struct sim_buf *b, const struct sim_turn *turn)
{
    struct json_object *input = sim_js_get(turn->ask->body, "input");
    size_t i;

    if (json_object_is_type(input, json_type_string)) {
        put_user(b, turn, input, 0);
    }
    for (i = 0; i < sim_js_len(input); i++) {
        struct json_object *item = sim_js_at(input, i);

        if (sim_js_is(item, "role", "user")) {
            put_user(b, turn, sim_js_get(item, "content"), i);
        }
    }
}

void sim_render_compact(struct sim_reply *r, const struct sim_turn *turn)
{
    const char *summary = sim_pool_fmt(turn->pool, "Summary so far: %.500s", turn->ask->user_text);
    struct sim_buf *b = &r->body;

    sim_j_open(b, NULL, '{');
    sim_j_str(b, "id", sim_pool_fmt(turn->pool, "resp_%s", turn->id));
    sim_j_str(b, "object", "response.compaction");
    sim_j_int(b, "created_at", turn->created);
    sim_j_open(b, "output", '[');
    put_users(b, turn);
    sim_j_open(b, NULL, '{');
    sim_j_str(b, "id", sim_pool_fmt(turn->pool, "cmp_%s", turn->id));
    sim_j_str(b, "type", "compaction");
    sim_j_str(b, "encrypted_content",
              sim_sign_seal(turn->pool, "compaction", summary, strlen(summary)));
    sim_j_close(b, '}');
    sim_j_close(b, ']');
    sim_usage_responses(b, "usage", turn);
    sim_j_close(b, '}');
}
