/* What Responses refuses: the top level, the tools. Input items are in check_items.c. */
#include "check.h"

#include <string.h>

enum { NAME_MAX_CHARS = 64, OUTPUT_MIN = 16, KEY_MAX_CHARS = 64 };

static const char *const known_keys[] = {
    "background", "client_metadata", "context_management", "conversation", "include", "input",
    "instructions", "max_output_tokens", "max_tool_calls", "metadata", "model", "moderation",
    "parallel_tool_calls", "personality", "previous_response_id", "prompt", "prompt_cache_key",
    "prompt_cache_options", "prompt_cache_retention", "reasoning", "safety_identifier",
    "service_tier", "store", "stream", "stream_options", "temperature", "text", "tool_choice",
    "tools", "top_logprobs", "top_p", "truncation", "user", NULL,
};

/* Members of Chat Completions and where they went. */
static const char *moved_to(const char *key)
{
    static const char *const moved[][2] = {
        { "messages", "input" }, { "response_format", "text.format" },
        { "reasoning_effort", "reasoning.effort" }, { "max_tokens", "max_output_tokens" },
        { "max_completion_tokens", "max_output_tokens" }, { "functions", "tools" },
    };
    size_t i;

    for (i = 0; i < sizeof moved / sizeof moved[0]; i++) {
        if (strcmp(moved[i][0], key) == 0) {
            return moved[i][1];
        }
    }
    return NULL;
}

static bool check_keys(struct sim_check *k)
{
    const char *foreign = sim_check_foreign_key(k->ask->body, known_keys);
    const char *now = foreign ? moved_to(foreign) : NULL;

    if (now) {
        return sim_check_bad(k, foreign, "unsupported_parameter", "Unsupported parameter: '%s'. In "
                             "the Responses API, this parameter has moved to '%s'.", foreign, now);
    }
    return !foreign || sim_check_bad(k, foreign, "unknown_parameter", "Unknown parameter: '%s'.",
                                     foreign);
}

static bool check_limits(struct sim_check *k)
{
    struct json_object *body = k->ask->body;
    double temperature = json_object_get_double(sim_js_get(body, "temperature"));
    const char *key = sim_js_str(body, "prompt_cache_key");

    if (k->ask->max_tokens >= 0 && k->ask->max_tokens < OUTPUT_MIN) {
        return sim_check_bad(k, "max_output_tokens", "integer_below_min_value", "Invalid "
                             "'max_output_tokens': integer below minimum value. Expected a value "
                             ">= 16, but got %lld instead.", (long long)k->ask->max_tokens);
    }
    if (k->cmd->max_out >= 0 && k->ask->max_tokens > k->cmd->max_out) {
        return sim_check_bad(k, "max_output_tokens", "integer_above_max_value", "Invalid "
                             "'max_output_tokens': integer above maximum value. Expected a value "
                             "<= %lld, but got %lld instead.", (long long)k->cmd->max_out,
                             (long long)k->ask->max_tokens);
    }
    if (temperature < 0 || temperature > 2) {
        return sim_check_bad(k, "temperature", "decimal_above_max_value", "Invalid 'temperature': "
                             "decimal above maximum value. Expected a value <= 2.");
    }
    if (key && strlen(key) > KEY_MAX_CHARS) {
        return sim_check_bad(k, "prompt_cache_key", "string_above_max_length", "Invalid "
                             "'prompt_cache_key': string too long. Expected a string with maximum "
                             "length 64, but got a string with length %zu instead.", strlen(key));
    }
    if (sim_js_str(body, "previous_response_id")) {
        return sim_check_bad(k, "previous_response_id", "previous_response_not_found",
                             "Previous response with id '%s' not found.",
                             sim_js_str(body, "previous_response_id"));
    }
    return true;
}

static bool check_tools(struct sim_check *k)
{
    size_t i;

    for (i = 0; i < k->ask->tools; i++) {
        const struct sim_tool *tool = &k->ask->tool[i];

        if (tool->kind == SIM_TOOL_HOSTED) {
            continue;
        }
        if (!sim_check_name(tool->name, SIZE_MAX)) {
            return sim_check_bad(k, sim_pool_fmt(k->pool, "tools[%zu].name", i), "invalid_value",
                                 "Invalid 'tools[%zu].name': string does not match pattern. "
                                 "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
                                 i);
        }
        if (strlen(tool->name) > NAME_MAX_CHARS) {
            return sim_check_bad(k, sim_pool_fmt(k->pool, "tools[%zu].name", i),
                                 "string_above_max_length", "Invalid 'tools[%zu].name': string too "
                                 "long. Expected a string with maximum length 64, but got a string "
                                 "with length %zu instead.", i, strlen(tool->name));
        }
    }
    if (k->ask->choice == SIM_CHOICE_NAMED && !sim_ask_tool(k->ask, k->ask->choice_name)) {
        return sim_check_bad(k, "tool_choice", NULL, "Tool choice '%s' not found in 'tools' "
                             "parameter.", k->ask->choice_name ? k->ask->choice_name : "");
    }
    return true;
}

static bool check_format(struct sim_check *k)
{
    struct json_object *format = sim_js_get(sim_js_get(k->ask->body, "text"), "format");
    const char *name = sim_js_str(format, "name");

    if (k->ask->output == SIM_OUT_JSON_OBJECT &&
        !strcasestr(sim_js_text(sim_js_get(k->ask->body, "input")), "json")) {
        return sim_check_bad(k, "input", NULL, "Response input messages must contain the word "
                             "'json' in some form to use 'text.format' of type 'json_object'.");
    }
    if (k->ask->output != SIM_OUT_JSON_SCHEMA) {
        return true;
    }
    if (!sim_check_name(name, NAME_MAX_CHARS)) {
        return sim_check_bad(k, "text.format.name", "missing_required_parameter",
                             "Missing required parameter: 'text.format.name'.");
    }
    return !sim_js_bool(format, "strict", false) ||
           sim_check_openai_schema(k, k->ask->schema,
                                   sim_pool_fmt(k->pool, "response_format '%s'", name),
                                   "text.format.schema");
}

bool sim_check_responses(struct sim_check *k)
{
    struct json_object *input = sim_js_get(k->ask->body, "input");

    if (!check_keys(k)) {
        return false;
    }
    if ((!k->counting || k->compacting) && (!k->ask->model || !*k->ask->model)) {
        return sim_check_bad(k, "model", "missing_required_parameter",
                             "Missing required parameter: 'model'.");
    }
    if (!k->counting && !input && !sim_js_has(k->ask->body, "previous_response_id")) {
        return sim_check_bad(k, "input", "missing_required_parameter", "One of \"input\" or "
                             "\"previous_response_id\" or 'prompt' or 'conversation_id' must be "
                             "provided.");
    }
    if (input && !json_object_is_type(input, json_type_string) &&
        !json_object_is_type(input, json_type_array)) {
        return sim_check_bad(k, "input", "invalid_type", "Invalid type for 'input': expected one "
                             "of an array of objects or a string.");
    }
    return check_limits(k) && sim_check_items(k, input) && check_tools(k) && check_format(k);
}
