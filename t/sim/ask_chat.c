#include "ask.h"

#include <string.h>

static void read_part(struct sim_ask *ask, struct json_object *part)
{
    if (sim_js_is(part, "type", "image_url")) {
        ask->images++;
    } else if (sim_js_is(part, "type", "file")) {
        ask->files++;
    } else {
        sim_ask_user_text(ask, sim_js_str(part, "text"));
    }
}

static void read_message(struct sim_ask *ask, struct json_object *m, struct sim_pool *pool)
{
    struct json_object *content = sim_js_get(m, "content");
    size_t i;

    if (sim_js_is(m, "role", "tool") || sim_js_is(m, "role", "function")) {
        sim_ask_result(ask, content, pool);
        return;
    }
    if (!sim_js_is(m, "role", "user")) {
        return;
    }
    if (json_object_is_type(content, json_type_string)) {
        sim_ask_user_text(ask, json_object_get_string(content));
    }
    for (i = 0; i < sim_js_len(content); i++) {
        read_part(ask, sim_js_at(content, i));
    }
}

static void read_tools(struct sim_ask *ask, struct sim_pool *pool)
{
    struct json_object *tools = sim_js_get(ask->body, "tools");
    size_t i;

    for (i = 0; i < sim_js_len(tools); i++) {
        struct json_object *t = sim_js_at(tools, i);
        bool custom = sim_js_is(t, "type", "custom");
        struct json_object *def = sim_js_get(t, custom ? "custom" : "function");
        struct sim_tool *tool = sim_ask_add_tool(ask, pool);

        tool->kind = custom ? SIM_TOOL_CUSTOM : SIM_TOOL_FUNCTION;
        tool->type = sim_js_str(t, "type");
        tool->name = sim_js_str(def, "name");
        tool->schema = sim_js_get(def, "parameters");
    }
}

static void read_choice(struct sim_ask *ask)
{
    struct json_object *c = sim_js_get(ask->body, "tool_choice");
    const char *word = json_object_is_type(c, json_type_string) ? json_object_get_string(c) : "";

    if (strcmp(word, "none") == 0) {
        ask->choice = SIM_CHOICE_NONE;
    } else if (strcmp(word, "required") == 0) {
        ask->choice = SIM_CHOICE_ANY;
    } else if (sim_js_is(c, "type", "function") || sim_js_is(c, "type", "custom")) {
        ask->choice = SIM_CHOICE_NAMED;
        ask->choice_name = sim_js_str(sim_js_get(c, sim_js_str(c, "type")), "name");
    } else if (sim_js_is(sim_js_get(c, "allowed_tools"), "mode", "required")) {
        ask->choice = SIM_CHOICE_ANY;
    }
}

static void read_format(struct sim_ask *ask)
{
    struct json_object *format = sim_js_get(ask->body, "response_format");

    if (sim_js_is(format, "type", "json_object")) {
        ask->output = SIM_OUT_JSON_OBJECT;
    } else if (sim_js_is(format, "type", "json_schema")) {
        ask->output = SIM_OUT_JSON_SCHEMA;
        ask->schema = sim_js_get(sim_js_get(format, "json_schema"), "schema");
    }
}

void sim_ask_chat(struct sim_ask *ask, struct sim_pool *pool)
{
    struct json_object *messages = sim_js_get(ask->body, "messages");
    size_t i;

    for (i = 0; i < sim_js_len(messages); i++) {
        read_message(ask, sim_js_at(messages, i), pool);
    }
    read_tools(ask, pool);
    read_choice(ask);
    read_format(ask);
    sim_ask_stops(ask, sim_js_get(ask->body, "stop"), pool);
    ask->max_tokens = sim_js_int(ask->body, "max_completion_tokens",
                                 sim_js_int(ask->body, "max_tokens", -1));
    if (sim_js_bool(ask->body, "logprobs", false)) {
        ask->logprobs = sim_js_int(ask->body, "top_logprobs", 0);
    }
}

static void read_prompt(struct sim_ask *ask, struct json_object *prompt)
{
    size_t i;

    if (json_object_is_type(prompt, json_type_string)) {
        sim_ask_user_text(ask, json_object_get_string(prompt));
    }
    for (i = 0; i < sim_js_len(prompt); i++) {
        read_prompt(ask, sim_js_at(prompt, i));
    }
}

void sim_ask_completions(struct sim_ask *ask, struct sim_pool *pool)
{
    enum { DEFAULT_MAX_TOKENS = 16 };

    read_prompt(ask, sim_js_get(ask->body, "prompt"));
    sim_ask_stops(ask, sim_js_get(ask->body, "stop"), pool);
    ask->max_tokens = sim_js_int(ask->body, "max_tokens", DEFAULT_MAX_TOKENS);
    ask->logprobs = sim_js_int(ask->body, "logprobs", -1);
}
