/* Chat Completions requests into the neutral form. */
#include "wire/effort.h"
#include "wire/media.h"
#include "wire/requests.h"
#include "wire/settings.h"
#include "wire/tools.h"

#include <string.h>

static int
read_image(struct mg_crossing *x, struct mg_node *part, struct mg_message *message,
           const char *at)
{
    struct mg_node *image = mg_node_get(part, "image_url");
    struct mg_block *block = mg_turn_block(x->turn, message, MG_BLOCK_IMAGE, at);
    struct mg_span url = mg_node_text(image); /* a bare string is common, if not by the book */
    if (!mg_node_is(image, MG_NODE_STRING)) {
        const char *place = mg_place(x, "%s.image_url", at);
        if (mg_want(x, place, image, MG_NODE_OBJECT) != 0 ||
            mg_want_text(x, place, image, "url", &url) != 0)
            return -1;
        block->media.detail = mg_node_text_at(image, "detail");
    }
    return mg_media_address(x, at, url, &block->media);
}

static int
read_file(struct mg_crossing *x, struct mg_node *part, struct mg_message *message, const char *at)
{
    struct mg_node *file = mg_node_get(part, "file");
    struct mg_block *block = mg_turn_block(x->turn, message, MG_BLOCK_FILE, at);
    if (mg_want(x, mg_place(x, "%s.file", at), file, MG_NODE_OBJECT) != 0)
        return -1;
    struct mg_span data = mg_node_text_at(file, "file_data");
    block->media.name = mg_node_text_at(file, "filename");
    block->media.file_id = mg_node_text_at(file, "file_id");
    if (block->media.file_id.n > 0)
        return 0;
    if (mg_media_address(x, at, data, &block->media) != 0)
        return -1;
    if (block->media.data.n == 0)
        return mg_contradiction(x, at, "file_data has to be a base64 data URL");
    return 0;
}

/* One part of a content array. */
static int
read_part(struct mg_crossing *x, struct mg_node *part, struct mg_message *message, const char *at)
{
    struct mg_span type, text;
    int rc;
    if (mg_want(x, at, part, MG_NODE_OBJECT) != 0 ||
        mg_want_text(x, at, part, "type", &type) != 0)
        return -1;
    if (mg_span_is(type, "text")) {
        rc = mg_want_text(x, at, part, "text", &text);
        if (rc == 0)
            mg_turn_text(x->turn, message, text, at);
    } else if (mg_span_is(type, "refusal")) {
        rc = mg_want_text(x, at, part, "refusal", &text);
        if (rc == 0)
            mg_turn_block(x->turn, message, MG_BLOCK_REFUSAL, at)->text = text;
    } else if (mg_span_is(type, "image_url")) {
        rc = read_image(x, part, message, at);
    } else if (mg_span_is(type, "file")) {
        rc = read_file(x, part, message, at);
    } else {
        return mg_refuse(x, at, "content parts of type '%.*s' cannot be translated for this model",
                         (int)(type.n < 60 ? type.n : 60), type.p);
    }
    if (rc == 0 && message->last != NULL) {
        message->last->cache = mg_node_raw_at(part, "cache_control");
        message->last->breakpoint = mg_node_raw_at(part, "prompt_cache_breakpoint");
    }
    return rc;
}

static int
read_content(struct mg_crossing *x, struct mg_node *object, struct mg_message *message,
             const char *at)
{
    struct mg_node *content = mg_node_get(object, "content");
    if (content == NULL)
        return 0;
    if (mg_want_parts(x, content, message, mg_place(x, "%s.content", at), read_part) != 0)
        return -1;
    if (message->last != NULL && message->last->cache.n == 0)
        message->last->cache = mg_node_raw_at(object, "cache_control");
    return 0;
}

static int
read_call(struct mg_crossing *x, struct mg_node *call, struct mg_message *message, const char *at)
{
    if (mg_want(x, at, call, MG_NODE_OBJECT) != 0)
        return -1;
    bool custom = mg_node_says(mg_node_get(call, "type"), "custom");
    const char *kind = custom ? "custom" : "function";
    const char *place = mg_place(x, "%s.%s", at, kind);
    struct mg_block *block = mg_turn_block(x->turn, message, MG_BLOCK_CALL, at);
    struct mg_node *body = mg_node_get(call, kind);
    block->call.custom = custom;
    if (mg_want_text(x, at, call, "id", &block->call.id) != 0 ||
        mg_want(x, place, body, MG_NODE_OBJECT) != 0 ||
        mg_want_text(x, place, body, "name", &block->call.name) != 0)
        return -1;
    return mg_want_text(x, place, body, custom ? "input" : "arguments", &block->call.arguments);
}

static int
read_calls(struct mg_crossing *x, struct mg_node *object, struct mg_message *message,
           const char *at)
{
    struct mg_node *calls = mg_node_get(object, "tool_calls");
    if (calls == NULL)
        return 0;
    const char *place = mg_place(x, "%s.tool_calls", at);
    if (mg_want(x, place, calls, MG_NODE_ARRAY) != 0)
        return -1;
    size_t i = 0;
    for (struct mg_node *call = mg_node_first(calls); call != NULL; call = call->next) {
        if (read_call(x, call, message, mg_place(x, "%s[%zu]", place, i++)) != 0)
            return -1;
    }
    return 0;
}

/* Reasoning that the gateway gave this client to keep: see wire/pack.h. */
static void
read_reasoning(struct mg_crossing *x, struct mg_node *object, struct mg_message *message,
               const char *at)
{
    struct mg_node *details = mg_node_get(object, "reasoning_details");
    for (struct mg_node *n = mg_node_first(details); n != NULL; n = n->next) {
        struct mg_pack pack;
        if (mg_pack_read(x->in->key, mg_node_text_at(n, "data"), x->pool, &pack))
            mg_turn_block(x->turn, message, MG_BLOCK_REASONING, at)->reasoning = pack;
    }
    struct mg_span text = mg_node_text_at(object, "reasoning_content");
    if (x->in->client == x->in->upstream && text.n > 0)
        mg_turn_block(x->turn, message, MG_BLOCK_REASONING, at)->reasoning =
            (struct mg_pack){.kind = MG_PACK_CHAT, .text = text};
}

static int
read_assistant(struct mg_crossing *x, struct mg_node *object, const char *at)
{
    struct mg_message *message = mg_turn_message(x->turn, MG_ROLE_ASSISTANT, at);
    if (mg_node_get(object, "audio") != NULL)
        return mg_refuse(x, at, "audio of an earlier answer cannot be translated for this model");
    if (mg_node_get(object, "function_call") != NULL)
        return mg_refuse(x, at, "function_call is the old form of tool calls; use tool_calls");
    read_reasoning(x, object, message, at);
    if (read_content(x, object, message, at) != 0)
        return -1;
    struct mg_span refusal = mg_node_text_at(object, "refusal");
    if (refusal.n > 0)
        mg_turn_block(x->turn, message, MG_BLOCK_REFUSAL, at)->text = refusal;
    return read_calls(x, object, message, at);
}

static int
read_result(struct mg_crossing *x, struct mg_node *object, const char *at)
{
    struct mg_message *content = mg_pool_alloc(x->pool, sizeof(*content));
    struct mg_message *message = mg_turn_message(x->turn, MG_ROLE_TOOL, at);
    struct mg_block *block = mg_turn_block(x->turn, message, MG_BLOCK_RESULT, at);
    if (mg_want_text(x, at, object, "tool_call_id", &block->call.id) != 0 ||
        read_content(x, object, content, at) != 0)
        return -1;
    block->call.content = content->first;
    return 0;
}

static int
read_message(struct mg_crossing *x, struct mg_node *object, const char *at)
{
    struct mg_span role;
    if (mg_want(x, at, object, MG_NODE_OBJECT) != 0 ||
        mg_want_text(x, at, object, "role", &role) != 0)
        return -1;
    if (mg_node_get(object, "name") != NULL)
        mg_dropz(x, "messages.name");
    if (mg_span_is(role, "assistant"))
        return read_assistant(x, object, at);
    if (mg_span_is(role, "tool"))
        return read_result(x, object, at);
    if (mg_span_is(role, "user"))
        return read_content(x, object, mg_turn_message(x->turn, MG_ROLE_USER, at), at);
    if (mg_span_is(role, "system") || mg_span_is(role, "developer"))
        return read_content(x, object, mg_turn_message(x->turn, MG_ROLE_SYSTEM, at), at);
    if (mg_span_is(role, "function"))
        return mg_refuse(x, at, "the role 'function' is the old form; use 'tool'");
    return mg_wrong_value(x, mg_place(x, "%s.role", at), "Input should be 'system', 'developer', "
                                                         "'user', 'assistant' or 'tool'");
}

static int
read_format(struct mg_crossing *x, struct mg_node *body)
{
    struct mg_node *format = mg_node_get(body, "response_format");
    struct mg_span type;
    if (format == NULL)
        return 0;
    if (mg_want_text(x, "response_format", format, "type", &type) != 0)
        return -1;
    if (mg_span_is(type, "text"))
        return 0;
    if (mg_span_is(type, "json_object")) {
        x->turn->format.kind = MG_FORMAT_OBJECT;
        return 0;
    }
    if (!mg_span_is(type, "json_schema"))
        return mg_refuse(x, "response_format.type", "use text, json_object or json_schema");
    struct mg_node *schema = mg_node_get(format, "json_schema");
    if (mg_want(x, "response_format.json_schema", schema, MG_NODE_OBJECT) != 0)
        return -1;
    return mg_settings_schema(x, schema, "response_format.json_schema");
}

/* Settings that only this format writes this way. */
static int
read_settings(struct mg_crossing *x, struct mg_node *body)
{
    struct mg_turn *turn = x->turn;
    struct mg_node *n = mg_node_get(body, "n");
    turn->n = n != NULL ? mg_node_count_at(body, "n") : 1;
    if (turn->n < 1 || turn->n > 128)
        return mg_contradiction(x, "n", "it has to be from 1 to 128");
    struct mg_span effort = mg_node_text_at(body, "reasoning_effort");
    turn->thought.effort = mg_effort_parse(effort);
    if (effort.n > 0 && turn->thought.effort == MG_EFFORT_UNSET)
        return mg_contradiction(x, "reasoning_effort", "use none, minimal, low, medium, high, "
                                                       "xhigh or max");
    turn->verbosity = mg_node_text_at(body, "verbosity");
    turn->logprobs = mg_node_flag_at(body, "logprobs") == 1;
    turn->top_logprobs = mg_node_count_at(body, "top_logprobs");
    for (struct mg_node *m = mg_node_first(mg_node_get(body, "modalities")); m != NULL;
         m = m->next) {
        if (!mg_node_says(m, "text"))
            return mg_refuse(x, "modalities", "this model answers with text only");
    }
    return 0;
}

int
mg_chat_request_read(struct mg_crossing *x, struct mg_node *body)
{
    struct mg_node *messages = mg_node_get(body, "messages");
    size_t i = 0;
    for (struct mg_node *m = mg_node_first(messages); m != NULL; m = m->next) {
        if (read_message(x, m, mg_place(x, "messages[%zu]", i++)) != 0)
            return -1;
    }
    if (mg_settings_sampling(x, body) != 0 || mg_settings_stops(x, body, "stop") != 0 ||
        mg_settings_limit(x, body, "max_completion_tokens", "max_tokens") != 0 ||
        read_settings(x, body) != 0 || read_format(x, body) != 0)
        return -1;
    mg_settings_caller(x, body);
    return mg_tools_read_chat(x, body);
}
