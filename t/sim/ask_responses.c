#include "ask.h"

#include <string.h>

static void read_parts(struct sim_ask *ask, struct json_object *parts)
{
    size_t i;

    for (i = 0; i < sim_js_len(parts); i++) {
        struct json_object *part = sim_js_at(parts, i);

        if (sim_js_is(part, "type", "input_image")) {
            ask->images++;
        } else if (sim_js_is(part, "type", "input_file")) {
            ask->files++;
        } else {
            sim_ask_user_text(ask, sim_js_str(part, "text"));
        }
    }
}

static void read_tools(struct sim_ask *ask, struct json_object *tools, const char *ns,
                       struct sim_pool *pool)
{
    size_t i;

    for (i = 0; i < sim_js_len(tools); i++) {
        struct json_object *t = sim_js_at(tools, i);
        const char *type = sim_js_str(t, "type");
        struct sim_tool *tool;

        type = type ? type : "";
        if (strcmp(type, "namespace") == 0) {
            read_tools(ask, sim_js_get(t, "tools"), sim_js_str(t, "name"), pool);
            continue;
        }
        tool = sim_ask_add_tool(ask, pool);
        tool->kind = strcmp(type, "function") == 0  ? SIM_TOOL_FUNCTION
                     : strcmp(type, "custom") == 0 ? SIM_TOOL_CUSTOM
                                                   : SIM_TOOL_HOSTED;
        tool->name = sim_js_str(t, "name");
        tool->name = tool->name ? tool->name : type;
        tool->ns = ns;
        tool->type = type;
        tool->schema = sim_js_get(t, "parameters");
    }
}

static void read_item(struct sim_ask *ask, struct json_object *item, struct sim_pool *pool)
{
    const char *type = sim_js_str(item, "type");
    struct json_object *content = sim_js_get(item, "content");

    ask->compaction = false;
    if (!type || strcmp(type, "message") == 0) {
        if (!sim_js_is(item, "role", "user")) {
            return;
        }
        if (json_object_is_type(content, json_type_string)) {
            sim_ask_user_text(ask, json_object_get_string(content));
        }
        read_parts(ask, content);
    } else if (strcmp(type, "function_call_output") == 0 ||
               strcmp(type, "custom_tool_call_output") == 0 ||
               strcmp(type, "local_shell_call_output") == 0) {
        sim_ask_result(ask, sim_js_get(item, "output"), pool);
    } else if (strcmp(type, "additional_tools") == 0) {
        read_tools(ask, sim_js_get(item, "tools"), NULL, pool);
    } else if (strcmp(type, "compaction_trigger") == 0) {
        /* It counts only as the last item of all. */
        ask->compaction = true;
    }
}

static void read_choice(struct sim_ask *ask)
{
    struct json_object *c = sim_js_get(ask->body, "tool_choice");
    const char *word = json_object_is_type(c, json_type_string) ? json_object_get_string(c) : "";

    if (strcmp(word, "none") == 0) {
        ask->choice = SIM_CHOICE_NONE;
    } else if (strcmp(word, "required") == 0 || sim_js_is(c, "mode", "required")) {
        ask->choice = SIM_CHOICE_ANY;
    } else if (sim_js_str(c, "name")) {
        ask->choice = SIM_CHOICE_NAMED;
        ask->choice_name = sim_js_str(c, "name");
    }
}

static void read_wishes(struct sim_ask *ask)
{
    struct json_object *format = sim_js_get(sim_js_get(ask->body, "text"), "format");
    struct json_object *include = sim_js_get(ask->body, "include");
    size_t i;

    if (sim_js_is(format, "type", "json_object")) {
        ask->output = SIM_OUT_JSON_OBJECT;
    } else if (sim_js_is(format, "type", "json_schema")) {
        ask->output = SIM_OUT_JSON_SCHEMA;
        ask->schema = sim_js_get(format, "schema");
    }
    ask->summary = sim_js_get(sim_js_get(ask->body, "reasoning"), "summary") != NULL;
    for (i = 0; i < sim_js_len(include); i++) {
        const char *s = json_object_get_string(sim_js_at(include, i));

        if (s && strcmp(s, "reasoning.encrypted_content") == 0) {
            ask->encrypted = true;
        } else if (s && strcmp(s, "message.output_text.logprobs") == 0) {
            ask->logprobs = sim_js_int(ask->body, "top_logprobs", 0);
        }
    }
}

void sim_ask_responses(struct sim_ask *ask, struct sim_pool *pool)
{
    struct json_object *input = sim_js_get(ask->body, "input");
    size_t i;

    if (json_object_is_type(input, json_type_string)) {
        sim_ask_user_text(ask, json_object_get_string(input));
    }
    for (i = 0; i < sim_js_len(input); i++) {
        read_item(ask, sim_js_at(input, i), pool);
    }
    read_tools(ask, sim_js_get(ask->body, "tools"), NULL, pool);
    read_choice(ask);
    read_wishes(ask);
    ask->max_tokens = sim_js_int(ask->body, "max_output_tokens", -1);
}
