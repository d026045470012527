#include "wire/turn.h"

#include <string.h>

struct mg_turn *
mg_turn_new(struct mg_pool *pool, const uint8_t *secret)
{
    struct mg_turn *turn = mg_pool_alloc(pool, sizeof(*turn));
    turn->pool = pool;
    turn->limit = -1;
    turn->top_logprobs = -1;
    turn->n = 1;
    turn->choice.parallel = -1;
    turn->format.strict = -1;
    mg_map_init(&turn->tool_keys, pool, secret);
    mg_map_init(&turn->tool_names, pool, secret);
    return turn;
}

struct mg_message *
mg_turn_message(struct mg_turn *turn, enum mg_role role, const char *at)
{
    struct mg_message *message = mg_pool_alloc(turn->pool, sizeof(*message));
    message->role = role;
    message->at = at;
    if (turn->last != NULL)
        turn->last->next = message;
    else
        turn->first = message;
    return turn->last = message;
}

struct mg_block *
mg_turn_block(struct mg_turn *turn, struct mg_message *message, enum mg_block_type type,
              const char *at)
{
    struct mg_block *block = mg_pool_alloc(turn->pool, sizeof(*block));
    block->type = type;
    block->at = at;
    if (message == NULL)
        return block;
    block->opens = message->first == NULL;
    if (message->last != NULL)
        message->last->next = block;
    else
        message->first = block;
    return message->last = block;
}

struct mg_block *
mg_turn_text(struct mg_turn *turn, struct mg_message *message, struct mg_span text,
             const char *at)
{
    struct mg_block *block = mg_turn_block(turn, message, MG_BLOCK_TEXT, at);
    block->text = text;
    return block;
}

struct mg_span
mg_tool_key(struct mg_pool *pool, struct mg_span name, struct mg_span space)
{
    if (space.n == 0)
        return name;
    char *key = mg_pool_alloc(pool, space.n + name.n + 2);
    memcpy(key, space.p, space.n);
    key[space.n] = '\n';
    memcpy(key + space.n + 1, name.p, name.n);
    return (struct mg_span){key, space.n + name.n + 1};
}

struct mg_tool *
mg_turn_tool(struct mg_turn *turn, struct mg_span name, struct mg_span space, const char *at)
{
    void **place = mg_map_at(&turn->tool_keys, mg_tool_key(turn->pool, name, space));
    if (*place != NULL)
        return NULL;
    struct mg_tool *tool = *place = mg_pool_alloc(turn->pool, sizeof(*tool));
    tool->name = name;
    tool->space = space;
    tool->at = at;
    tool->strict = -1;
    place = mg_map_at(&turn->tool_names, name);
    if (*place == NULL)
        *place = tool;
    if (turn->last_tool != NULL)
        turn->last_tool->next = tool;
    else
        turn->tools = tool;
    return turn->last_tool = tool;
}

void
mg_turn_carry(struct mg_turn *turn, struct mg_span name, struct mg_span value)
{
    struct mg_carried *carried = mg_pool_alloc(turn->pool, sizeof(*carried));
    carried->name = name;
    carried->value = value;
    if (turn->last_carried != NULL)
        turn->last_carried->next = carried;
    else
        turn->carried = carried;
    turn->last_carried = carried;
}

struct mg_tool *
mg_turn_find_tool(const struct mg_turn *turn, struct mg_span name, struct mg_span space)
{
    struct mg_tool *tool = mg_map_get(&turn->tool_keys, mg_tool_key(turn->pool, name, space));
    return tool != NULL || space.n > 0 ? tool : mg_map_get(&turn->tool_names, name);
}

bool
mg_block_has_words(const struct mg_block *b)
{
    const struct mg_media *m = &b->media;
    if (b->type == MG_BLOCK_FILE)
        return m->text.p != NULL && m->data.n == 0 && m->url.n == 0 && m->file_id.n == 0;
    return b->type == MG_BLOCK_TEXT || b->type == MG_BLOCK_REFUSAL ||
           b->type == MG_BLOCK_TOOL_NAME;
}

static struct mg_span
document_words(struct mg_pool *pool, const struct mg_media *m)
{
    if (m->name.n == 0 && m->context.n == 0)
        return m->text;
    struct mg_str text;
    mg_str_init(&text, m->name.n + m->context.n + m->text.n + 8);
    mg_str_addspan(&text, m->name);
    mg_str_addz(&text, m->name.n > 0 ? "\n\n" : "");
    mg_str_addspan(&text, m->context);
    mg_str_addz(&text, m->context.n > 0 ? "\n\n" : "");
    mg_str_addspan(&text, m->text);
    struct mg_span kept = {mg_pool_strndup(pool, text.p, text.len), text.len};
    mg_str_free(&text);
    return kept;
}

struct mg_span
mg_block_words(struct mg_pool *pool, const struct mg_block *b)
{
    if (b->type == MG_BLOCK_FILE)
        return document_words(pool, &b->media);
    if (b->type != MG_BLOCK_TOOL_NAME)
        return b->text;
    int shown = (int)(b->text.n < 256 ? b->text.n : 256);
    return mg_span_z(mg_pool_printf(pool, "The tool %.*s is available now.", shown, b->text.p));
}

bool
mg_span_blank(struct mg_span text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (strchr(" \t\r\n\f\v", text.p[i]) == NULL || text.p[i] == '\0')
            return false;
    }
    return true;
}
