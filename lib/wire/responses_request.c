/* Responses requests into the neutral form. */
#include "wire/compaction.h"
#include "wire/effort.h"
#include "wire/media.h"
#include "wire/reasoning.h"
#include "wire/requests.h"
#include "wire/settings.h"
#include "wire/tools.h"

#include <string.h>

#define UPDATE "configuration_update"

/* Items of earlier turns that tell what a hosted tool did: the answer that used it stands in
 * the message behind. */
static const char *const past_items[] = {
    "web_search_call", "file_search_call", "code_interpreter_call", "tool_search_call",
};

static bool
is_past(struct mg_span type)
{
    for (size_t i = 0; i < sizeof(past_items) / sizeof(past_items[0]); i++) {
        if (mg_span_is(type, past_items[i]))
            return true;
    }
    return false;
}

static int
read_image(struct mg_crossing *x, struct mg_node *part, struct mg_message *message,
           const char *at)
{
    struct mg_block *block = mg_turn_block(x->turn, message, MG_BLOCK_IMAGE, at);
    block->media.detail = mg_node_text_at(part, "detail");
    block->media.file_id = mg_node_text_at(part, "file_id");
    if (block->media.file_id.n > 0)
        return 0;
    struct mg_span url;
    if (mg_want_text(x, at, part, "image_url", &url) != 0)
        return -1;
    return mg_media_address(x, at, url, &block->media);
}

static int
read_file(struct mg_crossing *x, struct mg_node *part, struct mg_message *message, const char *at)
{
    struct mg_block *block = mg_turn_block(x->turn, message, MG_BLOCK_FILE, at);
    struct mg_media *media = &block->media;
    struct mg_span data = mg_node_text_at(part, "file_data");
    media->name = mg_node_text_at(part, "filename");
    media->file_id = mg_node_text_at(part, "file_id");
    if (media->file_id.n > 0)
        return 0;
    if (data.n == 0) {
        if (mg_want_text(x, at, part, "file_url", &media->url) != 0)
            return -1;
        return 0;
    }
    if (data.n < 5 || memcmp(data.p, "data:", 5) != 0)
        return mg_contradiction(x, at, "file_data has to be a base64 data URL");
    return mg_media_address(x, at, data, media);
}

static int
read_text(struct mg_crossing *x, struct mg_node *part, struct mg_message *message, const char *at,
          enum mg_block_type type)
{
    struct mg_span text;
    const char *member = type == MG_BLOCK_REFUSAL ? "refusal" : "text";
    if (mg_want_text(x, at, part, member, &text) != 0)
        return -1;
    mg_turn_block(x->turn, message, type, at)->text = text;
    return 0;
}

static int
read_part(struct mg_crossing *x, struct mg_node *part, struct mg_message *message, const char *at)
{
    struct mg_span type;
    int rc;
    if (mg_want(x, at, part, MG_NODE_OBJECT) != 0 ||
        mg_want_text(x, at, part, "type", &type) != 0)
        return -1;
    if (mg_span_is(type, "input_text") || mg_span_is(type, "output_text") ||
        mg_span_is(type, "text"))
        rc = read_text(x, part, message, at, MG_BLOCK_TEXT);
    else if (mg_span_is(type, "refusal"))
        rc = read_text(x, part, message, at, MG_BLOCK_REFUSAL);
    else if (mg_span_is(type, "input_image"))
        rc = read_image(x, part, message, at);
    else if (mg_span_is(type, "input_file"))
        rc = read_file(x, part, message, at);
    else
        return mg_refuse(x, at, "content parts of type '%.*s' cannot be translated for this model",
                         (int)(type.n < 60 ? type.n : 60), type.p);
    if (rc == 0 && message->last != NULL) {
        message->last->breakpoint = mg_node_raw_at(part, "prompt_cache_breakpoint");
        message->last->cache = mg_node_raw_at(part, "cache_control");
    }
    return rc;
}

/* A string, or an array of parts. */
static int
read_parts(struct mg_crossing *x, struct mg_node *content, struct mg_message *message,
           const char *at)
{
    return mg_want_parts(x, content, message, at, read_part);
}

static int
read_message(struct mg_crossing *x, struct mg_node *item, const char *at)
{
    struct mg_span role;
    enum mg_role to;
    if (mg_want_text(x, at, item, "role", &role) != 0)
        return -1;
    if (mg_span_is(role, "user"))
        to = MG_ROLE_USER;
    else if (mg_span_is(role, "assistant"))
        to = MG_ROLE_ASSISTANT;
    else if (mg_span_is(role, "system") || mg_span_is(role, "developer"))
        to = MG_ROLE_SYSTEM;
    else
        return mg_wrong_value(x, mg_place(x, "%s.role", at), "Input should be 'user', "
                              "'assistant', 'system' or 'developer'");
    struct mg_node *content = mg_node_get(item, "content");
    if (content == NULL)
        return mg_wrong_type(x, mg_place(x, "%s.content", at), NULL, MG_NODE_ARRAY);
    return read_parts(x, content, mg_turn_message(x->turn, to, at),
                      mg_place(x, "%s.content", at));
}

static int
read_call(struct mg_crossing *x, struct mg_node *item, const char *at, bool custom)
{
    struct mg_message *message = mg_turn_message(x->turn, MG_ROLE_ASSISTANT, at);
    struct mg_block *block = mg_turn_block(x->turn, message, MG_BLOCK_CALL, at);
    block->call.custom = custom;
    block->call.space = mg_node_text_at(item, "namespace");
    if (mg_want_text(x, at, item, "call_id", &block->call.id) != 0 ||
        mg_want_text(x, at, item, "name", &block->call.name) != 0)
        return -1;
    return mg_want_text(x, at, item, custom ? "input" : "arguments", &block->call.arguments);
}

static int
read_result(struct mg_crossing *x, struct mg_node *item, const char *at)
{
    struct mg_message *content = mg_pool_alloc(x->pool, sizeof(*content));
    struct mg_message *message = mg_turn_message(x->turn, MG_ROLE_TOOL, at);
    struct mg_block *block = mg_turn_block(x->turn, message, MG_BLOCK_RESULT, at);
    if (mg_want_text(x, at, item, "call_id", &block->call.id) != 0 ||
        read_parts(x, mg_node_get(item, "output"), content, mg_place(x, "%s.output", at)) != 0)
        return -1;
    block->call.content = content->first;
    return 0;
}

/* The gateway's own summary becomes a message again; a provider's can only be read there. */
static int
read_compaction(struct mg_crossing *x, struct mg_node *item, const char *at)
{
    struct mg_span summary, sealed = mg_node_text_at(item, "encrypted_content");
    if (!mg_compaction_read(x->in->key, x->in->owner, sealed, x->pool, &summary))
        return mg_refuse(x, at, mg_pack_looks(sealed)
                                    ? "this compaction was altered or belongs to another account; "
                                      "send the conversation itself"
                                    : "this compaction was made by another provider and cannot be "
                                      "read here; send the conversation itself");
    struct mg_message *message = mg_turn_message(x->turn, MG_ROLE_USER, at);
    mg_turn_text(x->turn, message, mg_span_z(MG_COMPACTION_INTRO), at);
    mg_turn_text(x->turn, message, summary, at);
    return 0;
}

/* A reference is good when the item itself is in the same input: then it says nothing new. */
static int
read_reference(struct mg_crossing *x, struct mg_node *list, struct mg_node *item, const char *at)
{
    struct mg_span id = mg_node_text_at(item, "id");
    if (x->item_ids == NULL) {
        x->item_ids = mg_pool_alloc(x->pool, sizeof(*x->item_ids));
        mg_map_init(x->item_ids, x->pool, x->in->key);
        for (struct mg_node *n = mg_node_first(list); n != NULL; n = n->next) {
            if (!mg_node_says(mg_node_get(n, "type"), "item_reference"))
                *mg_map_at(x->item_ids, mg_node_text_at(n, "id")) = n;
        }
    }
    if (id.n > 0 && mg_map_get(x->item_ids, id) != NULL)
        return 0;
    return mg_contradiction(x, at, "there is no item with id '%.*s'; send the item itself",
                            (int)(id.n < 80 ? id.n : 80), id.p);
}

static int
read_item(struct mg_crossing *x, struct mg_node *list, struct mg_node *item, const char *at)
{
    if (mg_want(x, at, item, MG_NODE_OBJECT) != 0)
        return -1;
    struct mg_node *type = mg_node_get(item, "type");
    struct mg_span word = mg_node_text(type);
    if (type == NULL && mg_node_get(item, "role") == NULL && mg_node_get(item, "id") != NULL)
        return read_reference(x, list, item, at);
    if (type == NULL || mg_span_is(word, "message"))
        return read_message(x, item, at);
    if (mg_span_is(word, "function_call") || mg_span_is(word, "custom_tool_call"))
        return read_call(x, item, at, mg_span_is(word, "custom_tool_call"));
    if (mg_span_is(word, "function_call_output") || mg_span_is(word, "custom_tool_call_output"))
        return read_result(x, item, at);
    if (mg_span_is(word, "reasoning")) {
        struct mg_message *message = mg_turn_message(x->turn, MG_ROLE_ASSISTANT, at);
        mg_reasoning_read_responses(x, message, item, at);
        return 0;
    }
    if (mg_span_is(word, "compaction"))
        return read_compaction(x, item, at);
    if (mg_span_is(word, "compaction_trigger")) {
        x->turn->compaction = true;
        return 0;
    }
    if (mg_span_is(word, "additional_tools") || mg_span_is(word, "tool_search_output"))
        return mg_tools_add_responses(x, mg_node_get(item, "tools"),
                                      mg_place(x, "%s.tools", at));
    if (mg_span_is(word, "item_reference"))
        return read_reference(x, list, item, at);
    if (is_past(word)) {
        mg_drop(x, word);
        return 0;
    }
    if (mg_span_is(word, UPDATE))
        return 0; /* read_updates */
    return mg_refuse(x, at, "input items of type '%.*s' cannot be translated for this model",
                     (int)(word.n < 60 ? word.n : 60), word.p);
}

static int
read_input(struct mg_crossing *x, struct mg_node *body)
{
    struct mg_node *input = mg_node_get(body, "input");
    struct mg_node *instructions = mg_node_get(body, "instructions");
    if (instructions != NULL && instructions->raw.n > 2)
        mg_turn_text(x->turn, mg_turn_message(x->turn, MG_ROLE_SYSTEM, "instructions"),
                     mg_node_text(instructions), "instructions");
    if (input->type == MG_NODE_STRING) {
        mg_turn_text(x->turn, mg_turn_message(x->turn, MG_ROLE_USER, "input"),
                     mg_node_text(input), "input");
        return 0;
    }
    size_t i = 0;
    for (struct mg_node *item = mg_node_first(input); item != NULL; item = item->next) {
        if (read_item(x, input, item, mg_place(x, "input[%zu]", i++)) != 0)
            return -1;
    }
    return 0;
}

static int
read_format(struct mg_crossing *x, struct mg_node *format)
{
    struct mg_span type;
    if (format == NULL)
        return 0;
    x->turn->format.kind = MG_FORMAT_NONE;
    if (mg_want(x, "text.format", format, MG_NODE_OBJECT) != 0 ||
        mg_want_text(x, "text.format", format, "type", &type) != 0)
        return -1;
    if (mg_span_is(type, "json_object"))
        x->turn->format.kind = MG_FORMAT_OBJECT;
    else if (mg_span_is(type, "json_schema"))
        return mg_settings_schema(x, format, "text.format");
    else if (!mg_span_is(type, "text"))
        return mg_refuse(x, "text.format.type", "use text, json_object or json_schema");
    return 0;
}

static int
read_effort(struct mg_crossing *x, struct mg_node *reasoning)
{
    struct mg_span effort = mg_node_text_at(reasoning, "effort");
    if (effort.n == 0)
        return 0;
    x->turn->thought.effort = mg_effort_parse(effort);
    if (x->turn->thought.effort == MG_EFFORT_UNSET)
        return mg_contradiction(x, "reasoning.effort", "use none, minimal, low, medium, high, "
                                                       "xhigh or max");
    return 0;
}

static int
read_reasoning(struct mg_crossing *x, struct mg_node *body)
{
    struct mg_node *reasoning = mg_node_get(body, "reasoning");
    struct mg_thought *thought = &x->turn->thought;
    if (read_effort(x, reasoning) != 0)
        return -1;
    thought->summary = mg_node_text_at(reasoning, "summary");
    if (thought->summary.n == 0)
        thought->summary = mg_node_text_at(reasoning, "generate_summary");
    return 0;
}

/* Items that change settings within the conversation: the last word on each holds. */
static int
read_updates(struct mg_crossing *x, struct mg_node *body)
{
    for (struct mg_node *n = mg_node_first(mg_node_get(body, "input")); n != NULL; n = n->next) {
        if (!mg_node_says(mg_node_get(n, "type"), UPDATE))
            continue;
        if (read_effort(x, mg_node_get(n, "reasoning")) != 0 ||
            read_format(x, mg_node_get(mg_node_get(n, "text"), "format")) != 0)
            return -1;
    }
    return 0;
}

static void
read_include(struct mg_crossing *x, struct mg_node *body)
{
    for (struct mg_node *n = mg_node_first(mg_node_get(body, "include")); n != NULL; n = n->next) {
        x->turn->encrypted |= mg_node_says(n, "reasoning.encrypted_content");
        x->turn->logprobs |= mg_node_says(n, "message.output_text.logprobs");
    }
    x->turn->top_logprobs = mg_node_count_at(body, "top_logprobs");
}

int
mg_responses_request_read(struct mg_crossing *x, struct mg_node *body)
{
    if (read_input(x, body) != 0 || mg_settings_sampling(x, body) != 0 ||
        mg_settings_limit(x, body, "max_output_tokens", NULL) != 0 ||
        read_format(x, mg_node_get(mg_node_get(body, "text"), "format")) != 0 ||
        read_reasoning(x, body) != 0 || read_updates(x, body) != 0)
        return -1;
    x->turn->verbosity = mg_node_text_at(mg_node_get(body, "text"), "verbosity");
    read_include(x, body);
    mg_settings_caller(x, body);
    return mg_tools_read_responses(x, body);
}
