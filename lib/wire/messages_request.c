/* Messages requests into the neutral form. */
#include "wire/effort.h"
#include "wire/media.h"
#include "wire/reasoning.h"
#include "wire/requests.h"
#include "wire/settings.h"
#include "wire/tools.h"

#include <string.h>

/* Blocks that tell what a server tool did in an earlier turn: the answer that used it stands in
 * the text behind. */
static const char *const past_blocks[] = {
    "server_tool_use", "web_search_tool_result", "web_fetch_tool_result",
    "tool_search_tool_result", "code_execution_tool_result", "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
};

static bool
is_past(struct mg_span type)
{
    for (size_t i = 0; i < sizeof(past_blocks) / sizeof(past_blocks[0]); i++) {
        if (mg_span_is(type, past_blocks[i]))
            return true;
    }
    return false;
}

/* A coding client puts a line for its provider's accounts, different in every request, before
 * its system text. It tells the model nothing and would spoil any other upstream's cache. */
#define ACCOUNT_LINE "x-anthropic-billing-header:"

static bool
is_account_line(const struct mg_crossing *x, struct mg_node *block)
{
    struct mg_span text = mg_node_text_at(block, "text");
    return x->in->client != x->in->upstream && text.n >= strlen(ACCOUNT_LINE) &&
           memcmp(text.p, ACCOUNT_LINE, strlen(ACCOUNT_LINE)) == 0;
}

static int read_blocks(struct mg_crossing *x, struct mg_node *content, struct mg_message *message,
                       const char *at);

/* A source made of blocks becomes these blocks, with the title before them. */
static int
read_content_source(struct mg_crossing *x, struct mg_node *block, struct mg_message *message,
                    const char *at)
{
    struct mg_span title = mg_node_text_at(block, "title");
    struct mg_node *content = mg_node_get(mg_node_get(block, "source"), "content");
    if (title.n > 0)
        mg_turn_text(x->turn, message, title, at);
    return read_blocks(x, content, message, mg_place(x, "%s.source.content", at));
}

static int
read_media(struct mg_crossing *x, struct mg_node *block, struct mg_message *message,
           const char *at, enum mg_block_type type)
{
    struct mg_node *source = mg_node_get(block, "source");
    if (type == MG_BLOCK_FILE && mg_node_says(mg_node_get(source, "type"), "content"))
        return read_content_source(x, block, message, at);
    struct mg_block *media = mg_turn_block(x->turn, message, type, at);
    if (mg_media_source(x, mg_place(x, "%s.source", at), source, &media->media) != 0)
        return -1;
    media->media.name = mg_node_text_at(block, "title");
    media->media.context = mg_node_text_at(block, "context");
    if (mg_node_flag_at(mg_node_get(block, "citations"), "enabled") == 1)
        mg_dropz(x, "citations");
    return 0;
}

static int
read_search_result(struct mg_crossing *x, struct mg_node *block, struct mg_message *message,
                   const char *at)
{
    struct mg_span title = mg_node_text_at(block, "title"),
                   source = mg_node_text_at(block, "source");
    struct mg_str head;
    mg_str_init(&head, title.n + source.n + 8);
    mg_str_addspan(&head, title);
    mg_str_addz(&head, title.n > 0 && source.n > 0 ? "\n" : "");
    mg_str_addspan(&head, source);
    struct mg_span text = {mg_pool_strndup(x->pool, head.p, head.len), head.len};
    mg_str_free(&head);
    mg_turn_text(x->turn, message, text, at);
    return read_blocks(x, mg_node_get(block, "content"), message, mg_place(x, "%s.content", at));
}

static int
read_call(struct mg_crossing *x, struct mg_node *block, struct mg_message *message, const char *at)
{
    struct mg_block *call = mg_turn_block(x->turn, message, MG_BLOCK_CALL, at);
    struct mg_node *input = mg_node_get(block, "input");
    if (mg_want_text(x, at, block, "id", &call->call.id) != 0 ||
        mg_want_text(x, at, block, "name", &call->call.name) != 0)
        return -1;
    if (input != NULL && mg_want(x, mg_place(x, "%s.input", at), input, MG_NODE_OBJECT) != 0)
        return -1;
    call->call.arguments = input != NULL ? input->raw : mg_span_z("{}");
    return 0;
}

static int
read_result(struct mg_crossing *x, struct mg_node *block, const char *at)
{
    struct mg_message *content = mg_pool_alloc(x->pool, sizeof(*content));
    struct mg_message *message = mg_turn_message(x->turn, MG_ROLE_TOOL, at);
    struct mg_block *result = mg_turn_block(x->turn, message, MG_BLOCK_RESULT, at);
    if (mg_want_text(x, at, block, "tool_use_id", &result->call.id) != 0 ||
        read_blocks(x, mg_node_get(block, "content"), content, mg_place(x, "%s.content", at)) != 0)
        return -1;
    result->call.content = content->first;
    result->call.error = mg_node_flag_at(block, "is_error") == 1;
    result->cache = mg_node_raw_at(block, "cache_control");
    return 0;
}

/* Blocks that are little more than a text. */
static int
read_simple(struct mg_crossing *x, struct mg_node *block, struct mg_span type,
            struct mg_message *message, const char *at)
{
    struct mg_span text;
    if (mg_span_is(type, "text")) {
        if (mg_want_text(x, at, block, "text", &text) != 0)
            return -1;
        mg_turn_text(x->turn, message, text, at);
        return 0;
    }
    if (mg_span_is(type, "tool_reference")) {
        if (mg_want_text(x, at, block, "tool_name", &text) != 0)
            return -1;
        mg_turn_block(x->turn, message, MG_BLOCK_TOOL_NAME, at)->text = text;
        return 0;
    }
    text = mg_node_text_at(block, "content"); /* compaction: the summary in words */
    if (text.n > 0) {
        mg_turn_text(x->turn, message, text, at);
        return 0;
    }
    return mg_refuse(x, at, "a compaction that only its provider can read cannot be translated");
}

static int
read_block(struct mg_crossing *x, struct mg_node *block, struct mg_message *message,
           const char *at)
{
    struct mg_span type;
    int rc = 0;
    if (mg_want(x, at, block, MG_NODE_OBJECT) != 0 ||
        mg_want_text(x, at, block, "type", &type) != 0)
        return -1;
    const struct mg_block *before = message->last;
    if (mg_span_is(type, "text") || mg_span_is(type, "tool_reference") ||
        mg_span_is(type, "compaction"))
        rc = read_simple(x, block, type, message, at);
    else if (mg_span_is(type, "image"))
        rc = read_media(x, block, message, at, MG_BLOCK_IMAGE);
    else if (mg_span_is(type, "document"))
        rc = read_media(x, block, message, at, MG_BLOCK_FILE);
    else if (mg_span_is(type, "tool_use"))
        rc = read_call(x, block, message, at);
    else if (mg_span_is(type, "thinking") || mg_span_is(type, "redacted_thinking"))
        mg_reasoning_read_messages(x, message, block, at);
    else if (mg_span_is(type, "search_result"))
        rc = read_search_result(x, block, message, at);
    else if (mg_span_is(type, "mid_conv_system"))
        return read_blocks(x, mg_node_get(block, "content"),
                           mg_turn_message(x->turn, MG_ROLE_SYSTEM, at), at);
    else if (is_past(type))
        mg_drop(x, type);
    else
        return mg_refuse(x, at, "content blocks of type '%.*s' cannot be translated for this model",
                         (int)(type.n < 60 ? type.n : 60), type.p);
    if (rc == 0 && message->last != before)
        message->last->cache = mg_node_raw_at(block, "cache_control");
    return rc;
}

static int
read_blocks(struct mg_crossing *x, struct mg_node *content, struct mg_message *message,
            const char *at)
{
    return mg_want_parts(x, content, message, at, read_block);
}

/* A user turn: its tool results first, as every format wants them, then what the user says. */
static int
read_user(struct mg_crossing *x, struct mg_node *content, const char *at)
{
    size_t i = 0;
    if (content->type == MG_NODE_ARRAY) {
        for (struct mg_node *b = mg_node_first(content); b != NULL; b = b->next, i++) {
            if (mg_node_says(mg_node_get(b, "type"), "tool_result") &&
                read_result(x, b, mg_place(x, "%s[%zu]", at, i)) != 0)
                return -1;
        }
    } else {
        return read_blocks(x, content, mg_turn_message(x->turn, MG_ROLE_USER, at), at);
    }
    struct mg_message *message = NULL;
    i = 0;
    for (struct mg_node *b = mg_node_first(content); b != NULL; b = b->next, i++) {
        if (mg_node_says(mg_node_get(b, "type"), "tool_result"))
            continue;
        if (message == NULL)
            message = mg_turn_message(x->turn, MG_ROLE_USER, at);
        if (read_block(x, b, message, mg_place(x, "%s[%zu]", at, i)) != 0)
            return -1;
    }
    return 0;
}

static int
read_message(struct mg_crossing *x, struct mg_node *object, const char *at)
{
    struct mg_span role;
    const char *place = mg_place(x, "%s.content", at);
    if (mg_want(x, at, object, MG_NODE_OBJECT) != 0 ||
        mg_want_text(x, at, object, "role", &role) != 0)
        return -1;
    struct mg_node *content = mg_node_get(object, "content");
    if (content == NULL || (content->type != MG_NODE_STRING && content->type != MG_NODE_ARRAY))
        return mg_wrong_type(x, place, content, MG_NODE_ARRAY);
    if (mg_span_is(role, "user"))
        return read_user(x, content, place);
    if (mg_span_is(role, "assistant"))
        return read_blocks(x, content, mg_turn_message(x->turn, MG_ROLE_ASSISTANT, at), place);
    if (mg_span_is(role, "system"))
        return read_blocks(x, content, mg_turn_message(x->turn, MG_ROLE_SYSTEM, at), place);
    return mg_wrong_value(x, mg_place(x, "%s.role", at),
                          "Input should be 'user', 'assistant' or 'system'");
}

static int
read_thinking(struct mg_crossing *x, struct mg_node *body)
{
    struct mg_node *thinking = mg_node_get(body, "thinking");
    struct mg_node *type = mg_node_get(thinking, "type");
    struct mg_thought *thought = &x->turn->thought;
    struct mg_span effort = mg_node_text_at(mg_node_get(body, "output_config"), "effort");
    thought->effort = mg_effort_parse(effort);
    if (effort.n > 0 && thought->effort == MG_EFFORT_UNSET)
        return mg_contradiction(x, "output_config.effort", "use low, medium, high, xhigh or max");
    if (thinking == NULL)
        return 0;
    thought->hidden = mg_node_says(mg_node_get(thinking, "display"), "omitted");
    if (mg_node_says(type, "disabled")) {
        thought->mode = MG_THINKING_OFF;
    } else if (mg_node_says(type, "enabled")) {
        thought->mode = MG_THINKING_ON;
        thought->budget = mg_node_count_at(thinking, "budget_tokens");
        if (thought->budget < 0)
            return mg_wrong_type(x, "thinking.budget_tokens",
                                 mg_node_get(thinking, "budget_tokens"), MG_NODE_NUMBER);
    } else if (mg_node_says(type, "adaptive") || mg_node_says(type, "between_tools")) {
        thought->mode = MG_THINKING_ADAPTIVE;
    } else {
        return mg_wrong_value(x, "thinking.type",
                              "Input should be 'enabled', 'adaptive' or 'disabled'");
    }
    return 0;
}

static int
read_format(struct mg_crossing *x, struct mg_node *body)
{
    struct mg_node *format = mg_node_get(mg_node_get(body, "output_config"), "format");
    const char *at = "output_config.format";
    if (format == NULL) {
        format = mg_node_get(body, "output_format");
        at = "output_format";
    }
    if (format == NULL)
        return 0;
    if (mg_want(x, at, format, MG_NODE_OBJECT) != 0)
        return -1;
    if (!mg_node_says(mg_node_get(format, "type"), "json_schema"))
        return mg_refuse(x, at, "the only form of output is json_schema");
    return mg_settings_schema(x, format, at);
}

/* State at the provider and servers of the client's own cannot be had elsewhere. */
static int
refuse_foreign(struct mg_crossing *x, struct mg_node *body)
{
    if (x->in->client == x->in->upstream)
        return 0;
    if (mg_node_first(mg_node_get(body, "mcp_servers")) != NULL)
        return mg_refuse(x, "mcp_servers", "this model cannot call MCP servers itself; connect "
                                           "them in the client");
    if (mg_node_get(body, "thread") == NULL)
        return 0;
    mg_refuse(x, "thread", "threads are not kept for this model; send the whole conversation");
    static const char details[] =
        "{\"error_code\":\"thread_unsupported_request\",\"unsupported\":[\"thread\"]}";
    memcpy(x->err->details_json, details, sizeof(details));
    return -1;
}

static int
read_system(struct mg_crossing *x, struct mg_node *system)
{
    size_t i = 0;
    if (system == NULL)
        return 0;
    struct mg_message *message = mg_turn_message(x->turn, MG_ROLE_SYSTEM, "system");
    if (system->type == MG_NODE_STRING)
        return read_blocks(x, system, message, "system");
    for (struct mg_node *b = mg_node_first(system); b != NULL; b = b->next) {
        const char *at = mg_place(x, "system[%zu]", i++);
        if (!is_account_line(x, b) && read_block(x, b, message, at) != 0)
            return -1;
    }
    return 0;
}

int
mg_messages_request_read(struct mg_crossing *x, struct mg_node *body)
{
    size_t i = 0;
    if (refuse_foreign(x, body) != 0 || read_system(x, mg_node_get(body, "system")) != 0)
        return -1;
    for (struct mg_node *m = mg_node_first(mg_node_get(body, "messages")); m != NULL; m = m->next) {
        if (read_message(x, m, mg_place(x, "messages[%zu]", i++)) != 0)
            return -1;
    }
    if (mg_settings_sampling(x, body) != 0 ||
        mg_settings_stops(x, body, "stop_sequences") != 0 ||
        mg_settings_limit(x, body, "max_tokens", NULL) != 0 || read_thinking(x, body) != 0 ||
        read_format(x, body) != 0)
        return -1;
    x->turn->safety = mg_node_text_at(mg_node_get(body, "metadata"), "user_id");
    x->turn->tier = mg_node_text_at(body, "service_tier");
    return mg_tools_read_messages(x, body);
}
