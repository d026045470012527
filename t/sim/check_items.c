/* Input items of Responses: ids, call pairs, content parts, encrypted state. */
#include "check.h"
#include "sign.h"

#include <string.h>

enum { CALL_ID_MAX = 64 };

static const char *item_type(struct json_object *item)
{
    const char *type = sim_js_str(item, "type");

    return type ? type : "message";
}

static bool ends_with(const char *s, const char *tail)
{
    size_t n = strlen(s);
    size_t m = strlen(tail);

    return n >= m && strcmp(s + n - m, tail) == 0;
}

static bool is_call(struct json_object *item)
{
    return ends_with(item_type(item), "_call") && sim_js_str(item, "call_id");
}

static bool is_output(struct json_object *item)
{
    return ends_with(item_type(item), "_call_output");
}

static bool check_id(struct sim_check *k, struct json_object *item, size_t i)
{
    static const char *const prefixes[][2] = {
        { "reasoning", "rs" }, { "function_call", "fc" }, { "custom_tool_call", "ctc" },
        { "compaction", "cmp" },
    };
    const char *type = item_type(item);
    const char *id = sim_js_str(item, "id");
    const char *want = NULL;
    size_t p;

    for (p = 0; p < sizeof prefixes / sizeof prefixes[0]; p++) {
        want = strcmp(type, prefixes[p][0]) == 0 ? prefixes[p][1] : want;
    }
    if (strcmp(type, "message") == 0 && sim_js_is(item, "role", "assistant")) {
        want = "msg";
    }
    if (!id || !want || strncmp(id, want, strlen(want)) == 0) {
        return true;
    }
    return sim_check_bad(k, sim_pool_fmt(k->pool, "input[%zu].id", i), "invalid_value",
                         "Invalid 'input[%zu].id': '%s'. Expected an ID that begins with '%s'.", i,
                         id, want);
}

static bool check_call_id(struct sim_check *k, struct json_object *item, size_t i)
{
    const char *id = sim_js_str(item, "call_id");

    if (!id && (is_output(item) || strcmp(item_type(item), "function_call") == 0)) {
        return sim_check_bad(k, sim_pool_fmt(k->pool, "input[%zu].call_id", i),
                             "missing_required_parameter",
                             "Missing required parameter: 'input[%zu].call_id'.", i);
    }
    if (id && strlen(id) > CALL_ID_MAX) {
        return sim_check_bad(k, sim_pool_fmt(k->pool, "input[%zu].call_id", i),
                             "string_above_max_length", "Invalid 'input[%zu].call_id': string too "
                             "long. Expected a string with maximum length 64, but got a string "
                             "with length %zu instead.", i, strlen(id));
    }
    return true;
}

/* True when some item of the input has that call_id and is a call, or an output. */
static bool has_partner(struct json_object *input, const char *id,
                        bool (*kind)(struct json_object *))
{
    size_t i;

    for (i = 0; i < sim_js_len(input); i++) {
        if (kind(sim_js_at(input, i)) && sim_js_is(sim_js_at(input, i), "call_id", id)) {
            return true;
        }
    }
    return false;
}

static bool check_pair(struct sim_check *k, struct json_object *input, struct json_object *item)
{
    const char *id = sim_js_str(item, "call_id");

    if (is_output(item) && !has_partner(input, id, is_call)) {
        return sim_check_bad(k, "input", NULL, "No tool call found for %s with call_id %s.",
                             strcmp(item_type(item), "custom_tool_call_output") == 0
                                 ? "custom tool call output" : "function call output", id);
    }
    if (is_call(item) && !has_partner(input, id, is_output)) {
        return sim_check_bad(k, "input", NULL, "No tool output found for %s %s.",
                             strcmp(item_type(item), "custom_tool_call") == 0 ? "custom tool call"
                                                                            : "function call", id);
    }
    if (is_output(item) && !sim_js_get(item, "output")) {
        return sim_check_bad(k, "input", "missing_required_parameter",
                             "Missing required parameter: 'output' of call_id %s.", id);
    }
    return true;
}

static bool check_part(struct sim_check *k, struct json_object *part, bool assistant, size_t i,
                       size_t p)
{
    static const char *const user[] = { "input_text", "input_image", "input_file", "input_audio" };
    static const char *const model[] = { "output_text", "refusal" };
    const char *type = sim_js_str(part, "type");
    const char *const *list = assistant ? model : user;
    size_t n = assistant ? 2 : 4;
    size_t t = 0;

    while (t < n && (!type || strcmp(type, list[t]) != 0)) {
        t++;
    }
    if (t == n) {
        return sim_check_bad(k, sim_pool_fmt(k->pool, "input[%zu].content[%zu]", i, p),
                             "invalid_value", "Invalid value: '%s'. Supported values are: %s.",
                             type ? type : "",
                             assistant ? "'output_text' and 'refusal'"
                                       : "'input_text', 'input_image', and 'input_file'");
    }
    if (sim_js_has(part, "image_url") && !sim_js_str(part, "image_url") &&
        sim_js_get(part, "image_url")) {
        return sim_check_bad(k, sim_pool_fmt(k->pool, "input[%zu].content[%zu].image_url", i, p),
                             "invalid_type", "Invalid type for 'input[%zu].content[%zu].image_url':"
                             " expected an image URL, but got an object instead.", i, p);
    }
    return true;
}

static bool check_message(struct sim_check *k, struct json_object *item, size_t i)
{
    static const char *const roles[] = { "user", "assistant", "system", "developer" };
    struct json_object *content = sim_js_get(item, "content");
    const char *role = sim_js_str(item, "role");
    size_t r = 0;
    size_t p;

    while (r < 4 && (!role || strcmp(role, roles[r]) != 0)) {
        r++;
    }
    if (r == 4) {
        return sim_check_bad(k, sim_pool_fmt(k->pool, "input[%zu].role", i), "invalid_value",
                             "Invalid value: '%s'. Supported values are: 'assistant', 'system', "
                             "'developer', and 'user'.", role ? role : "");
    }
    if (!content) {
        return sim_check_bad(k, sim_pool_fmt(k->pool, "input[%zu].content", i),
                             "missing_required_parameter",
                             "Missing required parameter: 'input[%zu].content'.", i);
    }
    for (p = 0; p < sim_js_len(content); p++) {
        if (!check_part(k, sim_js_at(content, p), r == 1, i, p)) {
            return false;
        }
    }
    return true;
}

static bool check_sealed(struct sim_check *k, struct json_object *item)
{
    bool reasoning = strcmp(item_type(item), "reasoning") == 0;
    const char *sealed = sim_js_str(item, "encrypted_content");
    const char *why;
    int verdict;

    if (!sealed || (!reasoning && strcmp(item_type(item), "compaction") != 0)) {
        return true;
    }
    verdict = sim_sign_check(reasoning ? sim_js_str(item, "id") : "compaction", sealed);
    if (verdict == 1) {
        return true;
    }
    why = verdict == 0 ? "Encrypted content item_id did not match the target item id"
                       : "Encrypted content could not be decrypted or parsed";
    return sim_check_bad(k, NULL, "invalid_encrypted_content",
                         "The encrypted content %.8s... could not be verified. Reason: %s.",
                         sealed, why);
}

static bool check_item(struct sim_check *k, struct json_object *input, size_t i)
{
    struct json_object *item = sim_js_at(input, i);
    const char *type = item_type(item);

    if (strcmp(type, "message") == 0 && !check_message(k, item, i)) {
        return false;
    }
    if (strcmp(type, "reasoning") == 0 && i + 1 == sim_js_len(input)) {
        return sim_check_bad(k, "input", NULL, "Item '%s' of type 'reasoning' was provided without "
                             "its required following item.",
                             sim_js_str(item, "id") ? sim_js_str(item, "id") : "");
    }
    if (strcmp(type, "item_reference") == 0) {
        return sim_check_bad(k, "input", NULL, "Item with id '%s' not found.",
                             sim_js_str(item, "id") ? sim_js_str(item, "id") : "");
    }
    return check_id(k, item, i) && check_call_id(k, item, i) && check_pair(k, input, item) &&
           check_sealed(k, item);
}

bool sim_check_items(struct sim_check *k, struct json_object *input)
{
    size_t i;

    for (i = 0; i < sim_js_len(input); i++) {
        if (!check_item(k, input, i)) {
            return false;
        }
    }
    return true;
}
