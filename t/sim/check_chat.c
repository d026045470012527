/* What Chat Completions and Completions refuse. */
#include "check.h"

#include <string.h>

enum { NAME_MAX_CHARS = 64, STOPS_MAX = 4 };

static const char *const known_keys[] = {
    "audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs",
    "max_completion_tokens", "max_tokens", "messages", "metadata", "modalities", "model",
    "moderation", "n", "parallel_tool_calls", "prediction", "presence_penalty", "prompt_cache_key",
    "prompt_cache_options", "prompt_cache_retention", "reasoning_effort", "response_format",
    "safety_identifier", "seed", "service_tier", "stop", "store", "stream", "stream_options",
    "temperature", "tool_choice", "tools", "top_logprobs", "top_p", "user", "verbosity",
    "web_search_options", NULL,
};

static bool bad_param(struct sim_check *k, const char *param, const char *code, const char *text)
{
    return sim_check_bad(k, param, code, "%s", text);
}

/* Ids of the assistant message at i that the tool messages right after it leave unanswered. */
static const char *unanswered(struct sim_check *k, struct json_object *messages, size_t i)
{
    struct json_object *calls = sim_js_get(sim_js_at(messages, i), "tool_calls");
    const char *missing = NULL;
    size_t c;

    for (c = 0; c < sim_js_len(calls); c++) {
        const char *id = sim_js_str(sim_js_at(calls, c), "id");
        size_t j = i + 1;

        while (sim_js_is(sim_js_at(messages, j), "role", "tool") &&
               !(id && sim_js_is(sim_js_at(messages, j), "tool_call_id", id))) {
            j++;
        }
        if (!sim_js_is(sim_js_at(messages, j), "role", "tool")) {
            missing = missing ? sim_pool_fmt(k->pool, "%s, %s", missing, id ? id : "?")
                              : (id ? id : "?");
        }
    }
    return missing;
}

/* True when the tool message at i answers a call of the assistant message before its run. */
static bool has_call(struct json_object *messages, size_t i)
{
    const char *id = sim_js_str(sim_js_at(messages, i), "tool_call_id");
    struct json_object *calls;
    size_t c;

    while (i > 0 && sim_js_is(sim_js_at(messages, i), "role", "tool")) {
        i--;
    }
    calls = sim_js_get(sim_js_at(messages, i), "tool_calls");
    for (c = 0; c < sim_js_len(calls); c++) {
        if (id && sim_js_is(sim_js_at(calls, c), "id", id)) {
            return true;
        }
    }
    return false;
}

static bool check_call_names(struct sim_check *k, struct json_object *m, size_t i)
{
    struct json_object *calls = sim_js_get(m, "tool_calls");
    size_t c;

    if (calls && !sim_js_len(calls)) {
        return sim_check_bad(k, sim_pool_fmt(k->pool, "messages.[%zu].tool_calls", i),
                             "empty_array", "Invalid 'messages[%zu].tool_calls': empty array. "
                             "Expected an array with minimum length 1, but got an empty array "
                             "instead.", i);
    }
    for (c = 0; c < sim_js_len(calls); c++) {
        struct json_object *def = sim_js_get(sim_js_at(calls, c), "function");
        const char *name = sim_js_str(def, "name");

        if (def && !sim_check_name(name, NAME_MAX_CHARS)) {
            return sim_check_bad(k, NULL, "invalid_value", "Invalid 'messages[%zu].tool_calls[%zu]"
                                 ".function.name': string does not match pattern. Expected a "
                                 "string that matches the pattern '^[a-zA-Z0-9_-]+$'.", i, c);
        }
        if (def && !sim_js_str(def, "arguments")) {
            return sim_check_bad(k, NULL, "invalid_type", "Invalid type for 'messages[%zu]."
                                 "tool_calls[%zu].function.arguments': expected a string.", i, c);
        }
    }
    return true;
}

static bool check_parts(struct sim_check *k, struct json_object *m, size_t i)
{
    static const char *const user_types[] = { "text", "image_url", "input_audio", "file" };
    struct json_object *content = sim_js_get(m, "content");
    size_t allowed = sim_js_is(m, "role", "user") ? 4 : 1;
    size_t p, t;

    for (p = 0; p < sim_js_len(content); p++) {
        const char *type = sim_js_str(sim_js_at(content, p), "type");

        if (sim_js_is(m, "role", "assistant") && type && strcmp(type, "refusal") == 0) {
            continue;
        }
        for (t = 0; t < allowed && (!type || strcmp(type, user_types[t]) != 0); t++) {
        }
        if (t == allowed) {
            return sim_check_bad(k, sim_pool_fmt(k->pool, "messages.[%zu].content.[%zu].type", i,
                                                 p),
                                 "invalid_value", "Invalid value: '%s'. Supported values are: "
                                 "'text'%s.", type ? type : "",
                                 allowed > 1 ? ", 'image_url', 'input_audio', and 'file'" : "");
        }
        if (strcmp(type, "image_url") == 0 &&
            !sim_js_str(sim_js_get(sim_js_at(content, p), "image_url"), "url")) {
            return sim_check_bad(k, NULL, "invalid_type", "Invalid type for 'messages[%zu]."
                                 "content[%zu].image_url': expected an object with a url.", i, p);
        }
    }
    return true;
}

static bool check_message(struct sim_check *k, struct json_object *messages, size_t i)
{
    static const char *const roles[] = {
        "system", "assistant", "user", "function", "tool", "developer",
    };
    struct json_object *m = sim_js_at(messages, i);
    const char *role = sim_js_str(m, "role");
    const char *missing;
    size_t r = 0;

    while (r < 6 && (!role || strcmp(role, roles[r]) != 0)) {
        r++;
    }
    if (r == 6) {
        return sim_check_bad(k, sim_pool_fmt(k->pool, "messages[%zu].role", i), "invalid_value",
                             "Invalid value: '%s'. Supported values are: 'system', 'assistant', "
                             "'user', 'function', 'tool', and 'developer'.", role ? role : "");
    }
    if (strcmp(role, "tool") == 0 && !has_call(messages, i)) {
        return sim_check_bad(k, sim_pool_fmt(k->pool, "messages.[%zu].role", i), NULL,
                             "Invalid parameter: messages with role 'tool' must be a response to "
                             "a preceeding message with 'tool_calls'.");
    }
    if (strcmp(role, "assistant") != 0 && !sim_js_get(m, "content")) {
        return sim_check_bad(k, sim_pool_fmt(k->pool, "messages.[%zu].content", i), NULL,
                             "Invalid value for 'content': expected a string, got null.");
    }
    missing = unanswered(k, messages, i);
    if (missing) {
        return sim_check_bad(k, "messages", NULL, "An assistant message with 'tool_calls' must be "
                             "followed by tool messages responding to each 'tool_call_id'. The "
                             "following tool_call_ids did not have response messages: %s", missing);
    }
    return check_call_names(k, m, i) && check_parts(k, m, i);
}

static bool check_messages(struct sim_check *k)
{
    struct json_object *messages = sim_js_get(k->ask->body, "messages");
    size_t i;

    if (!json_object_is_type(messages, json_type_array)) {
        return bad_param(k, "messages", "missing_required_parameter",
                         "Missing required parameter: 'messages'.");
    }
    if (!sim_js_len(messages)) {
        return bad_param(k, "messages", "empty_array", "Invalid 'messages': empty array. Expected "
                         "an array with minimum length 1, but got an empty array instead.");
    }
    for (i = 0; i < sim_js_len(messages); i++) {
        if (!check_message(k, messages, i)) {
            return false;
        }
    }
    return true;
}

static bool check_tool(struct sim_check *k, size_t i)
{
    const struct sim_tool *tool = &k->ask->tool[i];
    const char *param = sim_pool_fmt(k->pool, "tools[%zu].function.name", i);
    size_t n = tool->name ? strlen(tool->name) : 0;

    if (!n) {
        return sim_check_bad(k, param, "missing_required_parameter",
                             "Missing required parameter: '%s'.", param);
    }
    if (n > NAME_MAX_CHARS) {
        return sim_check_bad(k, param, "string_above_max_length", "Invalid '%s': string too long. "
                             "Expected a string with maximum length 64, but got a string with "
                             "length %zu instead.", param, n);
    }
    if (!sim_check_name(tool->name, NAME_MAX_CHARS)) {
        return sim_check_bad(k, param, "invalid_value", "Invalid '%s': string does not match "
                             "pattern. Expected a string that matches the pattern "
                             "'^[a-zA-Z0-9_-]+$'.", param);
    }
    return true;
}

static bool check_tools(struct sim_check *k)
{
    struct json_object *body = k->ask->body;
    size_t i;

    if (sim_js_get(body, "tools") && !k->ask->tools) {
        return bad_param(k, "tools", "empty_array", "Invalid 'tools': empty array. Expected an "
                         "array with minimum length 1, but got an empty array instead.");
    }
    for (i = 0; i < k->ask->tools; i++) {
        if (!check_tool(k, i)) {
            return false;
        }
    }
    if (!k->ask->tools && sim_js_get(body, "tool_choice")) {
        return bad_param(k, "tool_choice", NULL, "Invalid value for 'tool_choice': 'tool_choice' "
                         "is only allowed when 'tools' are specified.");
    }
    if (!k->ask->tools && sim_js_get(body, "parallel_tool_calls")) {
        return bad_param(k, "parallel_tool_calls", NULL, "Invalid value for 'parallel_tool_calls':"
                         " 'parallel_tool_calls' is only allowed when 'tools' are specified.");
    }
    if (k->ask->choice == SIM_CHOICE_NAMED && !sim_ask_tool(k->ask, k->ask->choice_name)) {
        return sim_check_bad(k, "tool_choice", NULL, "Invalid value for 'tool_choice': no function "
                             "named '%s' was specified in the 'tools' parameter.",
                             k->ask->choice_name ? k->ask->choice_name : "");
    }
    return true;
}

static bool check_limits(struct sim_check *k)
{
    struct json_object *body = k->ask->body;
    double temperature = json_object_get_double(sim_js_get(body, "temperature"));

    if (sim_js_get(body, "max_tokens") && sim_js_get(body, "max_completion_tokens")) {
        return bad_param(k, "max_tokens", "invalid_parameter_combination", "Setting 'max_tokens' "
                         "and 'max_completion_tokens' at the same time is not supported.");
    }
    if (k->cmd->max_out >= 0 && k->ask->max_tokens > k->cmd->max_out) {
        return sim_check_bad(k, "max_tokens", NULL, "max_tokens is too large: %lld. This model "
                             "supports at most %lld completion tokens.",
                             (long long)k->ask->max_tokens, (long long)k->cmd->max_out);
    }
    if (k->ask->n < 1 || k->ask->n > 128) {
        return bad_param(k, "n", "integer_below_min_value", "Invalid 'n': expected a value from 1 "
                         "to 128.");
    }
    if (temperature < 0 || temperature > 2) {
        return bad_param(k, "temperature", "decimal_above_max_value", "Invalid 'temperature': "
                         "decimal above maximum value. Expected a value <= 2.");
    }
    if (k->ask->stops > STOPS_MAX) {
        return bad_param(k, "stop", "array_above_max_length", "Invalid 'stop': array too long. "
                         "Expected an array with maximum length 4.");
    }
    if (sim_js_get(body, "stream_options") && !k->ask->stream) {
        return bad_param(k, "stream_options", NULL, "The 'stream_options' parameter is only "
                         "allowed when 'stream' is enabled.");
    }
    return true;
}

static bool check_format(struct sim_check *k)
{
    struct json_object *format = sim_js_get(sim_js_get(k->ask->body, "response_format"),
                                            "json_schema");
    const char *name = sim_js_str(format, "name");

    if (k->ask->output == SIM_OUT_JSON_OBJECT &&
        !strcasestr(sim_js_text(sim_js_get(k->ask->body, "messages")), "json")) {
        return bad_param(k, "messages", NULL, "'messages' must contain the word 'json' in some "
                         "form, to use 'response_format' of type 'json_object'.");
    }
    if (k->ask->output != SIM_OUT_JSON_SCHEMA) {
        return true;
    }
    if (!sim_check_name(name, NAME_MAX_CHARS)) {
        return bad_param(k, "response_format.json_schema.name", "missing_required_parameter",
                         "Missing required parameter: 'response_format.json_schema.name'.");
    }
    return !sim_js_bool(format, "strict", false) ||
           sim_check_openai_schema(k, k->ask->schema,
                                   sim_pool_fmt(k->pool, "response_format '%s'", name),
                                   "response_format");
}

bool sim_check_chat(struct sim_check *k)
{
    struct json_object *body = k->ask->body;
    struct json_object *metadata = sim_js_get(body, "metadata");
    const char *foreign = sim_check_foreign_key(body, known_keys);

    if (foreign) {
        return sim_check_bad(k, NULL, NULL, "Unrecognized request argument supplied: %s", foreign);
    }
    if (!k->ask->model || !*k->ask->model) {
        return bad_param(k, NULL, NULL, "you must provide a model parameter");
    }
    if (json_object_is_type(metadata, json_type_object) && json_object_object_length(metadata) &&
        !sim_js_bool(body, "store", false)) {
        return bad_param(k, "metadata", NULL, "The 'metadata' parameter is only allowed when "
                         "'store' is enabled.");
    }
    return check_messages(k) && check_tools(k) && check_limits(k) && check_format(k);
}

bool sim_check_completions(struct sim_check *k)
{
    static const char *const known[] = {
        "best_of", "echo", "frequency_penalty", "logit_bias", "logprobs", "max_tokens", "model",
        "n", "presence_penalty", "prompt", "seed", "stop", "stream", "stream_options", "suffix",
        "temperature", "top_p", "user", NULL,
    };
    const char *foreign = sim_check_foreign_key(k->ask->body, known);

    if (foreign) {
        return sim_check_bad(k, NULL, NULL, "Unrecognized request argument supplied: %s", foreign);
    }
    if (!k->ask->model || !*k->ask->model) {
        return bad_param(k, NULL, NULL, "you must provide a model parameter");
    }
    if (k->ask->logprobs > 5) {
        return bad_param(k, "logprobs", NULL, "Invalid value for 'logprobs': must be at most 5.");
    }
    return check_limits(k);
}
