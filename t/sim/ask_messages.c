#include "ask.h"

#include <string.h>

static void read_block(struct sim_ask *ask, struct json_object *block, struct sim_pool *pool)
{
    const char *type = sim_js_str(block, "type");

    if (!type) {
        return;
    }
    if (strcmp(type, "text") == 0) {
        sim_ask_user_text(ask, sim_js_str(block, "text"));
    } else if (strcmp(type, "tool_result") == 0) {
        sim_ask_result(ask, sim_js_get(block, "content"), pool);
    } else if (strcmp(type, "image") == 0) {
        ask->images++;
    } else if (strcmp(type, "document") == 0) {
        ask->files++;
    }
}

static void read_message(struct sim_ask *ask, struct json_object *m, struct sim_pool *pool)
{
    struct json_object *content = sim_js_get(m, "content");
    size_t i;

    if (!sim_js_is(m, "role", "user")) {
        return;
    }
    if (json_object_is_type(content, json_type_string)) {
        sim_ask_user_text(ask, json_object_get_string(content));
    }
    for (i = 0; i < sim_js_len(content); i++) {
        read_block(ask, sim_js_at(content, i), pool);
    }
}

static void read_tools(struct sim_ask *ask, struct sim_pool *pool)
{
    struct json_object *tools = sim_js_get(ask->body, "tools");
    size_t i;

    for (i = 0; i < sim_js_len(tools); i++) {
        struct json_object *t = sim_js_at(tools, i);
        const char *type = sim_js_str(t, "type");
        struct sim_tool *tool = sim_ask_add_tool(ask, pool);

        tool->kind = !type || strcmp(type, "custom") == 0 ? SIM_TOOL_FUNCTION : SIM_TOOL_HOSTED;
        tool->type = type;
        tool->name = sim_js_str(t, "name");
        tool->schema = sim_js_get(t, "input_schema");
    }
}

static void read_choice(struct sim_ask *ask)
{
    struct json_object *c = sim_js_get(ask->body, "tool_choice");

    if (sim_js_is(c, "type", "none")) {
        ask->choice = SIM_CHOICE_NONE;
    } else if (sim_js_is(c, "type", "any")) {
        ask->choice = SIM_CHOICE_ANY;
    } else if (sim_js_is(c, "type", "tool")) {
        ask->choice = SIM_CHOICE_NAMED;
        ask->choice_name = sim_js_str(c, "name");
    }
}

void sim_ask_messages(struct sim_ask *ask, struct sim_pool *pool)
{
    struct json_object *messages = sim_js_get(ask->body, "messages");
    struct json_object *thinking = sim_js_get(ask->body, "thinking");
    struct json_object *format = sim_js_get(sim_js_get(ask->body, "output_config"), "format");
    size_t i;

    for (i = 0; i < sim_js_len(messages); i++) {
        read_message(ask, sim_js_at(messages, i), pool);
    }
    read_tools(ask, pool);
    read_choice(ask);
    sim_ask_stops(ask, sim_js_get(ask->body, "stop_sequences"), pool);
    ask->max_tokens = sim_js_int(ask->body, "max_tokens", -1);
    ask->thinking = thinking && !sim_js_is(thinking, "type", "disabled");
    ask->thinking_hidden = sim_js_is(thinking, "display", "omitted");
    if (!format) {
        format = sim_js_get(ask->body, "output_format");
    }
    if (sim_js_is(format, "type", "json_schema")) {
        ask->output = SIM_OUT_JSON_SCHEMA;
        ask->schema = sim_js_get(format, "schema");
    }
}
