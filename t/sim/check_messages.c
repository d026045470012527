/* What Messages refuses: the top level, the tools, thinking. Content is in check_blocks.c. */
#include "check.h"

#include <string.h>

static const char *const known_keys[] = {
    "cache_control", "container", "inference_geo", "max_tokens", "messages", "metadata", "model",
    "output_config", "service_tier", "stop_sequences", "stream", "system", "temperature",
    "thinking", "tool_choice", "tools", "top_k", "top_p", NULL,
};

/* Accepted only together with a beta header, as the real provider does. */
static const char *const beta_keys[] = {
    "context_management", "diagnostics", "fallback_credit_token", "fallbacks", "mcp_servers",
    "output_format", "speed", NULL,
};

static bool bad(struct sim_check *k, const char *text)
{
    return sim_check_bad(k, NULL, NULL, "%s", text);
}

static bool is_listed(const char *const *list, const char *key)
{
    while (*list && strcmp(*list, key) != 0) {
        list++;
    }
    return *list != NULL;
}

static bool has_beta(const struct sim_check *k, const char *part)
{
    const char *beta = sim_http_header(k->req, "anthropic-beta");

    return beta && strstr(beta, part);
}

static bool check_keys(struct sim_check *k)
{
    json_object_object_foreach(k->ask->body, key, value) {
        (void)value;
        if (!is_listed(known_keys, key) && !(has_beta(k, "") && is_listed(beta_keys, key))) {
            return sim_check_bad(k, NULL, NULL, "%s: Extra inputs are not permitted", key);
        }
    }
    return true;
}

static bool check_required(struct sim_check *k)
{
    struct json_object *body = k->ask->body;
    struct json_object *max = sim_js_get(body, "max_tokens");

    if (!sim_js_str(body, "model")) {
        return bad(k, sim_js_has(body, "model") ? "model: Input should be a valid string"
                                                : "model: Field required");
    }
    if (!json_object_is_type(sim_js_get(body, "messages"), json_type_array)) {
        return bad(k, sim_js_has(body, "messages") ? "messages: Input should be a valid array"
                                                   : "messages: Field required");
    }
    if (!k->counting && !max) {
        return bad(k, "max_tokens: Field required");
    }
    if (max && (!json_object_is_type(max, json_type_int) || k->ask->max_tokens < 0)) {
        return bad(k, "max_tokens: Input should be greater than or equal to 0");
    }
    if (k->cmd->max_out >= 0 && k->ask->max_tokens > k->cmd->max_out) {
        return sim_check_bad(k, NULL, NULL, "max_tokens: %lld > %lld, which is the maximum allowed "
                             "number of output tokens for %s", (long long)k->ask->max_tokens,
                             (long long)k->cmd->max_out, k->ask->model);
    }
    return true;
}

static bool check_sampling(struct sim_check *k)
{
    struct json_object *body = k->ask->body;
    struct json_object *t = sim_js_get(body, "temperature");
    struct json_object *meta = sim_js_get(body, "metadata");
    static const char *const meta_keys[] = { "user_id", NULL };
    const char *foreign = sim_check_foreign_key(meta, meta_keys);
    size_t i;

    if (t && (json_object_get_double(t) < 0 || json_object_get_double(t) > 1)) {
        return bad(k, "temperature: range: 0..1");
    }
    if (t && sim_js_get(body, "top_p")) {
        return bad(k, "`temperature` and `top_p` cannot both be specified for this model. Please "
                      "use only one.");
    }
    if (foreign) {
        return sim_check_bad(k, NULL, NULL, "metadata.%s: Extra inputs are not permitted", foreign);
    }
    for (i = 0; i < k->ask->stops; i++) {
        if (!k->ask->stop[i][strspn(k->ask->stop[i], " \t\r\n")]) {
            return bad(k, "stop_sequences: each stop sequence must contain non-whitespace");
        }
    }
    return true;
}

static bool check_tool(struct sim_check *k, struct json_object *t, size_t i)
{
    static const char *const known[] = {
        "type", "description", "name", "input_schema", "cache_control", "strict",
        "eager_input_streaming", "allowed_callers", "defer_loading", "input_examples", NULL,
    };
    const char *foreign = sim_check_foreign_key(t, known);
    const char *name = sim_js_str(t, "name");

    if (sim_js_str(t, "type") && !sim_js_is(t, "type", "custom")) {
        return true; /* a tool of the provider's own */
    }
    if (foreign) {
        return sim_check_bad(k, NULL, NULL, "tools.%zu.custom.%s: Extra inputs are not permitted",
                             i, foreign);
    }
    if (!name || !*name) {
        return sim_check_bad(k, NULL, NULL, "tools.%zu.custom.name: Field required", i);
    }
    if (!sim_check_name(name, 128)) {
        return sim_check_bad(k, NULL, NULL, "tools.%zu.custom.name: String should match pattern "
                             "'^[a-zA-Z0-9_-]{1,128}$'", i);
    }
    if (sim_js_has(t, "description") && !sim_js_str(t, "description")) {
        return sim_check_bad(k, NULL, NULL, "tools.%zu.custom.description: Input should be a valid "
                             "string", i);
    }
    if (!json_object_is_type(sim_js_get(t, "input_schema"), json_type_object)) {
        return sim_check_bad(k, NULL, NULL, "tools.%zu.custom.input_schema: Field required", i);
    }
    if (!sim_js_is(sim_js_get(t, "input_schema"), "type", "object")) {
        return sim_check_bad(k, NULL, NULL, "tools.%zu.custom.input_schema.type: %s", i,
                             sim_js_has(sim_js_get(t, "input_schema"), "type")
                                 ? "Input should be 'object'" : "Field required");
    }
    return true;
}

static bool check_choice(struct sim_check *k)
{
    static const char *const none_keys[] = { "type", NULL };
    struct json_object *choice = sim_js_get(k->ask->body, "tool_choice");
    const char *foreign = sim_check_foreign_key(choice, none_keys);

    if (!choice) {
        return true;
    }
    if (!sim_js_str(choice, "type")) {
        return bad(k, "tool_choice: Input should be a valid dictionary or object to extract fields "
                      "from");
    }
    if (k->ask->choice == SIM_CHOICE_NONE && foreign) {
        return sim_check_bad(k, NULL, NULL, "tool_choice.none.%s: Extra inputs are not permitted",
                             foreign);
    }
    if (!k->ask->tools && k->ask->choice != SIM_CHOICE_NONE) {
        return bad(k, "tool_choice may only be specified while providing tools.");
    }
    if (k->ask->choice == SIM_CHOICE_NAMED && !sim_ask_tool(k->ask, k->ask->choice_name)) {
        return sim_check_bad(k, NULL, NULL, "Tool '%s' not found in provided tools",
                             k->ask->choice_name ? k->ask->choice_name : "");
    }
    return true;
}

static bool check_tools(struct sim_check *k)
{
    struct json_object *tools = sim_js_get(k->ask->body, "tools");
    size_t i, j;

    for (i = 0; i < sim_js_len(tools); i++) {
        if (!check_tool(k, sim_js_at(tools, i), i)) {
            return false;
        }
        for (j = 0; j < i; j++) {
            const char *a = k->ask->tool[i].name;
            const char *b = k->ask->tool[j].name;

            if (a && b && strcmp(a, b) == 0) {
                return bad(k, "tools: Tool names must be unique.");
            }
        }
    }
    return check_choice(k);
}

bool sim_check_thinking(struct sim_check *k)
{
    struct json_object *body = k->ask->body;
    struct json_object *thinking = sim_js_get(body, "thinking");
    struct json_object *t = sim_js_get(body, "temperature");
    int64_t budget = sim_js_int(thinking, "budget_tokens", -1);

    if (!k->ask->thinking) {
        return true;
    }
    if (sim_js_is(thinking, "type", "enabled") && budget < 1024) {
        return bad(k, budget < 0 ? "thinking.enabled.budget_tokens: Field required"
                                 : "thinking.enabled.budget_tokens: Input should be greater than "
                                   "or equal to 1024");
    }
    if (!k->counting && budget >= 0 && k->ask->max_tokens <= budget &&
        !has_beta(k, "interleaved-thinking")) {
        return bad(k, "`max_tokens` must be greater than `thinking.budget_tokens`.");
    }
    if (t && json_object_get_double(t) < 1) {
        return bad(k, "`temperature` may only be set to 1 when thinking is enabled.");
    }
    if (sim_js_get(body, "top_k")) {
        return bad(k, "`top_k` must be unset when thinking is enabled.");
    }
    if (k->ask->choice == SIM_CHOICE_ANY || k->ask->choice == SIM_CHOICE_NAMED) {
        return bad(k, "Thinking may not be enabled when tool_choice forces tool use.");
    }
    return true;
}

static bool check_system(struct sim_check *k)
{
    struct json_object *system = sim_js_get(k->ask->body, "system");
    size_t i;

    for (i = 0; i < sim_js_len(system); i++) {
        const char *text = sim_js_str(sim_js_at(system, i), "text");

        if (!text || !*text) {
            return bad(k, "system: text content blocks must be non-empty");
        }
    }
    return true;
}

static bool check_roles(struct sim_check *k, struct json_object *messages)
{
    static const char *const keys[] = { "role", "content", NULL };
    size_t n = sim_js_len(messages);
    size_t i;

    if (!n) {
        return bad(k, "messages: at least one message is required");
    }
    for (i = 0; i < n; i++) {
        struct json_object *m = sim_js_at(messages, i);
        const char *role = sim_js_str(m, "role");
        const char *foreign = sim_check_foreign_key(m, keys);

        if (foreign) {
            return sim_check_bad(k, NULL, NULL, "messages.%zu.%s: Extra inputs are not permitted",
                                 i, foreign);
        }
        if (role && strcmp(role, "system") == 0 && k->cmd->no_system_role > 0) {
            return bad(k, "role 'system' is not supported on this model");
        }
        if (!role || (strcmp(role, "user") != 0 && strcmp(role, "assistant") != 0 &&
                      strcmp(role, "system") != 0)) {
            return sim_check_bad(k, NULL, NULL, "messages.%zu.role: Input should be 'user' or "
                                 "'assistant'", i);
        }
        if (i == 0 && strcmp(role, "user") != 0) {
            return bad(k, "messages: first message must use the \"user\" role");
        }
        if (!sim_check_blocks(k, sim_js_get(m, "content"), i, role)) {
            return false;
        }
    }
    return sim_check_pairs(k, messages);
}

bool sim_check_messages(struct sim_check *k)
{
    if (!sim_http_header(k->req, "anthropic-version")) {
        return bad(k, "anthropic-version: header is required");
    }
    return check_keys(k) && check_required(k) && check_sampling(k) && check_system(k) &&
           check_roles(k, sim_js_get(k->ask->body, "messages")) && check_tools(k) &&
           sim_check_thinking(k) &&
           (k->ask->output != SIM_OUT_JSON_SCHEMA ||
            sim_check_messages_schema(k, k->ask->schema));
}
