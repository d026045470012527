/* Content blocks of Messages: their shape, their signatures, and the pairs of call and result. */
#include "check.h"
#include "sign.h"

#include <string.h>

/* Where a block stands, for the messages. */
struct place {
    struct sim_check *k;
    size_t message;
    size_t block;
};

static bool bad(struct place at, const char *type, const char *what)
{
    return sim_check_bad(at.k, NULL, NULL, "messages.%zu.content.%zu.%s%s", at.message, at.block,
                         type, what);
}

static bool check_text(struct place at, struct json_object *b)
{
    const char *text = sim_js_str(b, "text");

    if (!text) {
        return bad(at, "text.text", ": Field required");
    }
    if (!*text) {
        return sim_check_bad(at.k, NULL, NULL, "messages: text content blocks must be non-empty");
    }
    if (!text[strspn(text, " \t\r\n")]) {
        return sim_check_bad(at.k, NULL, NULL,
                             "messages: text content blocks must contain non-whitespace text");
    }
    return true;
}

static bool check_image(struct place at, struct json_object *b)
{
    static const char *const kinds[] = { "image/jpeg", "image/png", "image/gif", "image/webp" };
    struct json_object *source = sim_js_get(b, "source");
    const char *media = sim_js_str(source, "media_type");
    size_t i;

    if (!source) {
        return bad(at, "image.source", ": Field required");
    }
    if (!sim_js_is(source, "type", "base64")) {
        return true;
    }
    for (i = 0; media && i < 4; i++) {
        if (strcmp(media, kinds[i]) == 0) {
            return sim_js_str(source, "data") ||
                   bad(at, "image.source.base64.data", ": Field required");
        }
    }
    return bad(at, "image.source.base64.media_type",
               ": Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'");
}

static bool check_tool_use(struct place at, struct json_object *b)
{
    const char *name = sim_js_str(b, "name");

    if (!sim_check_name(sim_js_str(b, "id"), SIZE_MAX)) {
        return bad(at, "tool_use.id", ": String should match pattern '^[a-zA-Z0-9_-]+$'");
    }
    if (!name || !*name || strlen(name) > 200) {
        return bad(at, "tool_use.name", ": String should have at most 200 characters");
    }
    if (!json_object_is_type(sim_js_get(b, "input"), json_type_object)) {
        return bad(at, "tool_use.input", ": Input should be a valid dictionary");
    }
    return true;
}

static bool check_tool_result(struct place at, struct json_object *b)
{
    struct json_object *content = sim_js_get(b, "content");
    size_t i;

    if (!sim_check_name(sim_js_str(b, "tool_use_id"), SIZE_MAX)) {
        return bad(at, "tool_result.tool_use_id",
                   ": String should match pattern '^[a-zA-Z0-9_-]+$'");
    }
    for (i = 0; i < sim_js_len(content); i++) {
        struct json_object *part = sim_js_at(content, i);

        if (sim_js_is(part, "type", "text") && !check_text(at, part)) {
            return false;
        }
        if (sim_js_is(part, "type", "image") && !check_image(at, part)) {
            return false;
        }
    }
    return true;
}

static bool check_thinking(struct place at, struct json_object *b)
{
    const char *text = sim_js_str(b, "thinking");
    const char *signature = sim_js_str(b, "signature");

    if (!text) {
        return bad(at, "thinking.thinking", ": Field required");
    }
    if (!signature) {
        return bad(at, "thinking.signature", ": Field required");
    }
    if (!sim_sign_check_thinking(text, strlen(text), signature)) {
        return sim_check_bad(at.k, NULL, NULL, "messages.%zu.content.%zu: Invalid `signature` in "
                             "`thinking` block", at.message, at.block);
    }
    return true;
}

static bool check_redacted(struct place at, struct json_object *b)
{
    const char *data = sim_js_str(b, "data");

    if (!data || sim_sign_check("redacted", data) != 1) {
        return sim_check_bad(at.k, NULL, NULL, "messages.%zu.content.%zu: Invalid `data` in "
                             "`redacted_thinking` block", at.message, at.block);
    }
    return true;
}

static bool check_any(struct place at, struct json_object *b)
{
    (void)at;
    (void)b;
    return true;
}

static const struct block_type {
    const char *type;
    bool (*check)(struct place at, struct json_object *b);
    const char *keys[8]; /* NULL first: not looked at */
} block_types[] = {
    { "text", check_text, { "type", "text", "cache_control", "citations", NULL } },
    { "image", check_image, { "type", "source", "cache_control", NULL } },
    { "tool_use", check_tool_use,
      { "type", "id", "name", "input", "cache_control", "caller", NULL } },
    { "tool_result", check_tool_result,
      { "type", "tool_use_id", "content", "is_error", "cache_control", NULL } },
    { "thinking", check_thinking, { "type", "thinking", "signature", NULL } },
    { "redacted_thinking", check_redacted, { "type", "data", NULL } },
    { "document", check_any, { "type", "source", "title", "context", "citations",
                               "cache_control", NULL } },
    { "search_result", check_any, { NULL } },
    { "server_tool_use", check_any, { NULL } },
    { "web_search_tool_result", check_any, { NULL } },
    { "web_fetch_tool_result", check_any, { NULL } },
    { "code_execution_tool_result", check_any, { NULL } },
    { "bash_code_execution_tool_result", check_any, { NULL } },
    { "text_editor_code_execution_tool_result", check_any, { NULL } },
    { "tool_search_tool_result", check_any, { NULL } },
    { "container_upload", check_any, { NULL } },
    { "mid_conv_system", check_any, { NULL } },
    { "compaction", check_any, { NULL } },
};

static bool check_block(struct place at, struct json_object *b)
{
    const char *type = sim_js_str(b, "type");
    size_t i;

    for (i = 0; type && i < sizeof block_types / sizeof block_types[0]; i++) {
        const struct block_type *t = &block_types[i];
        const char *foreign;

        if (strcmp(t->type, type) != 0) {
            continue;
        }
        foreign = t->keys[0] ? sim_check_foreign_key(b, t->keys) : NULL;
        if (foreign) {
            return sim_check_bad(at.k, NULL, NULL, "messages.%zu.content.%zu.%s.%s: Extra inputs "
                                 "are not permitted", at.message, at.block, type, foreign);
        }
        return t->check(at, b);
    }
    return sim_check_bad(at.k, NULL, NULL, "messages.%zu.content.%zu: Input tag '%s' found using "
                         "'type' does not match any of the expected tags", at.message, at.block,
                         type ? type : "");
}

bool sim_check_blocks(struct sim_check *k, struct json_object *content, size_t message,
                      const char *role)
{
    struct place at = { k, message, 0 };
    size_t count = sim_js_len(sim_js_get(k->ask->body, "messages"));
    bool is_string = json_object_is_type(content, json_type_string);

    if (!is_string && !json_object_is_type(content, json_type_array)) {
        return sim_check_bad(k, NULL, NULL, "messages.%zu.content: Input should be a valid string "
                             "or array", message);
    }
    if (is_string ? json_object_get_string_len(content) == 0 : sim_js_len(content) == 0) {
        return (message + 1 == count && strcmp(role, "assistant") == 0) ||
               sim_check_bad(k, NULL, NULL, "messages.%zu: all messages must have non-empty "
                             "content except for the optional final assistant message", message);
    }
    for (; at.block < sim_js_len(content); at.block++) {
        if (!check_block(at, sim_js_at(content, at.block))) {
            return false;
        }
    }
    return true;
}

static const char *block_id(struct json_object *b, const char *type, const char *member)
{
    return sim_js_is(b, "type", type) ? sim_js_str(b, member) : NULL;
}

/* First message at or after i that is not of the given role (or a system note between turns). */
static size_t run_end(struct json_object *messages, size_t i, const char *role)
{
    while (i < sim_js_len(messages) && (sim_js_is(sim_js_at(messages, i), "role", role) ||
                                        sim_js_is(sim_js_at(messages, i), "role", "system"))) {
        i++;
    }
    return i;
}

/* True when a block of messages [from, to) has the id in the member of that block type. */
static bool in_run(struct json_object *messages, size_t from, size_t to, const char *type,
                   const char *member, const char *id)
{
    size_t i, b;

    for (i = from; i < to; i++) {
        struct json_object *content = sim_js_get(sim_js_at(messages, i), "content");

        for (b = 0; b < sim_js_len(content); b++) {
            const char *other = block_id(sim_js_at(content, b), type, member);

            if (other && strcmp(other, id) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Every tool_use of the assistant run [from, to) must be answered in the user run [to, end). */
static bool check_answers(struct sim_check *k, struct json_object *messages, size_t from, size_t to,
                          size_t end)
{
    size_t i, b;

    for (i = from; i < to; i++) {
        struct json_object *content = sim_js_get(sim_js_at(messages, i), "content");

        for (b = 0; b < sim_js_len(content); b++) {
            const char *id = block_id(sim_js_at(content, b), "tool_use", "id");

            if (id && !in_run(messages, to, end, "tool_result", "tool_use_id", id)) {
                return sim_check_bad(k, NULL, NULL, "messages.%zu: `tool_use` ids were found "
                                     "without `tool_result` blocks immediately after: %s. Each "
                                     "`tool_use` block must have a corresponding `tool_result` "
                                     "block in the next message.", i, id);
            }
        }
    }
    return true;
}

/* Every tool_result of the user run [from, to) must belong to the assistant run [before, from). */
static bool check_results(struct sim_check *k, struct json_object *messages, size_t before,
                          size_t from, size_t to)
{
    size_t i, b;

    for (i = from; i < to; i++) {
        struct json_object *content = sim_js_get(sim_js_at(messages, i), "content");
        bool text = false;

        for (b = 0; b < sim_js_len(content); b++) {
            const char *id = block_id(sim_js_at(content, b), "tool_result", "tool_use_id");

            if (id && !in_run(messages, before, from, "tool_use", "id", id)) {
                return sim_check_bad(k, NULL, NULL, "messages.%zu.content.%zu: unexpected "
                                     "`tool_use_id` found in `tool_result` blocks: %s. Each "
                                     "`tool_result` block must have a corresponding `tool_use` "
                                     "block in the previous message.", i, b, id);
            }
            if (id && text && i == from) {
                return sim_check_bad(k, NULL, NULL, "messages.%zu: `tool_use` ids were found "
                                     "without `tool_result` blocks immediately after: %s.", i, id);
            }
            text = text || !id;
        }
    }
    return true;
}

/* With thinking on, the turn that the last results answer must begin with thinking. */
static bool check_leading_thinking(struct sim_check *k, struct json_object *messages, size_t at)
{
    struct json_object *first = sim_js_at(sim_js_get(sim_js_at(messages, at), "content"), 0);
    const char *type = sim_js_str(first, "type");

    if (!sim_js_is(sim_js_get(k->ask->body, "thinking"), "type", "enabled") || !type ||
        strcmp(type, "thinking") == 0 || strcmp(type, "redacted_thinking") == 0) {
        return true;
    }
    return sim_check_bad(k, NULL, NULL, "messages.%zu.content.0.type: Expected `thinking` or "
                         "`redacted_thinking`, but found `%s`. When `thinking` is enabled, a final "
                         "`assistant` message must start with a thinking block (preceding the "
                         "lastmost set of `tool_use` and `tool_result` blocks).", at, type);
}

bool sim_check_pairs(struct sim_check *k, struct json_object *messages)
{
    size_t n = sim_js_len(messages);
    size_t before = 0; /* begin of the assistant run before i */
    size_t i = 0;

    while (i < n) {
        size_t user_end = run_end(messages, i, "user");
        size_t assistant_end = run_end(messages, user_end, "assistant");
        size_t next_end = run_end(messages, assistant_end, "user");

        if (!check_results(k, messages, before, i, user_end) ||
            !check_answers(k, messages, user_end, assistant_end, next_end)) {
            return false;
        }
        if (next_end == n && assistant_end < n &&
            in_run(messages, user_end, assistant_end, "tool_use", "type", "tool_use") &&
            !check_leading_thinking(k, messages, user_end)) {
            return false;
        }
        before = user_end;
        i = assistant_end;
    }
    return true;
}
