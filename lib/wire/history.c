#include "wire/history.h"

#include "wire/map.h"
#include "wire/names.h"

#include <string.h>

/* A call of the conversation. Models that number their calls anew each turn make the same id
 * twice: the later one hides the earlier, once that is answered. */
struct call {
    struct mg_block *block;
    struct mg_message *results; /* the message that takes this turn's results */
    unsigned ordinal;           /* which call with this id it is, from 1 */
    struct call *earlier;
};

struct settling {
    struct mg_crossing *x;
    struct mg_map calls;
    struct mg_message *first, *last;
    bool gathering; /* the last message is a turn of the model that may go on */
};

static void
append(struct settling *s, struct mg_message *message)
{
    message->next = NULL;
    if (s->last != NULL)
        s->last->next = message;
    else
        s->first = message;
    s->last = message;
}

/* Messages wants ids of its own for every call, so a repeated one gets its number. */
static const char *
upstream_id(struct mg_crossing *x, const struct call *call)
{
    const char *id = mg_names_call_id(x->in->upstream, call->block->call.id, x->pool);
    if (call->ordinal > 1 && x->in->upstream == MG_MESSAGES)
        return mg_pool_printf(x->pool, "%s_%u", id, call->ordinal);
    return id;
}

static void
note_call(struct settling *s, struct mg_block *block, struct mg_message *results)
{
    void **place = mg_map_at(&s->calls, block->call.id);
    struct call *call = mg_pool_alloc(s->x->pool, sizeof(*call));
    call->block = block;
    call->results = results;
    call->earlier = *place;
    call->ordinal = call->earlier != NULL ? call->earlier->ordinal + 1 : 1;
    *place = call;
    block->call.up_id = upstream_id(s->x, call);
}

/* The call that a result belongs to: the newest that still waits. */
static struct call *
waiting_call(struct settling *s, struct mg_span id)
{
    struct call *call = mg_map_get(&s->calls, id);
    if (call != NULL && call->block->call.answered && call->earlier != NULL &&
        !call->earlier->block->call.answered)
        return call->earlier;
    return call;
}

static bool
may_join(const struct settling *s)
{
    return s->x->in->client == MG_RESPONSES || s->x->in->upstream == MG_MESSAGES;
}

/* Texts of the system at the beginning are one message for Chat, where many models take only
 * one; a Chat client's own stay as they are. */
static bool
joins_system(const struct settling *s, const struct mg_message *message)
{
    return message->role == MG_ROLE_SYSTEM && s->x->in->upstream == MG_CHAT &&
           s->x->in->client != MG_CHAT && s->first != NULL && s->first == s->last &&
           s->first->role == MG_ROLE_SYSTEM && message->first != NULL;
}

/* Puts the blocks of a message behind those of another. */
static void
join(struct mg_message *into, const struct mg_message *message)
{
    if (into->last != NULL)
        into->last->next = message->first;
    else
        into->first = message->first;
    into->last = message->last;
}

static bool
has_calls(const struct mg_message *message)
{
    for (const struct mg_block *b = message->first; b != NULL; b = b->next) {
        if (b->type == MG_BLOCK_CALL)
            return true;
    }
    return false;
}

static void
add_assistant(struct settling *s, struct mg_message *message)
{
    struct mg_message *into = message;
    if (s->gathering && may_join(s) && message->first != NULL) {
        into = s->last;
        join(into, message);
    } else {
        append(s, message);
    }
    s->gathering = true;
    if (into->results == NULL && has_calls(message)) {
        into->results = mg_pool_alloc(s->x->pool, sizeof(*into->results));
        into->results->role = MG_ROLE_TOOL;
        into->results->at = message->at;
    }
    for (struct mg_block *b = message->first; b != NULL; b = b->next) {
        if (b->type == MG_BLOCK_CALL)
            note_call(s, b, into->results);
    }
}

static int
place_result(struct settling *s, struct mg_block *block)
{
    struct mg_span id = block->call.id;
    int shown = (int)(id.n < 80 ? id.n : 80);
    struct call *call = waiting_call(s, id);
    if (call == NULL)
        return mg_contradiction(s->x, block->at, "there is no tool call with id '%.*s' for this "
                                "result", shown, id.p);
    if (call->block->call.answered)
        return mg_contradiction(s->x, block->at, "the tool call '%.*s' has two results", shown,
                                id.p);
    call->block->call.answered = true;
    block->call.up_id = call->block->call.up_id;
    block->call.custom = call->block->call.custom;
    block->next = NULL;
    if (call->results->last != NULL)
        call->results->last->next = block;
    else
        call->results->first = block;
    call->results->last = block;
    return 0;
}

static int
place_results(struct settling *s, struct mg_message *message)
{
    s->gathering = false;
    for (struct mg_block *b = message->first, *next; b != NULL; b = next) {
        next = b->next;
        if (place_result(s, b) != 0)
            return -1;
    }
    return 0;
}

/* Puts each turn's results behind it. */
static int
insert_results(struct settling *s)
{
    for (struct mg_message *m = s->first, *next; m != NULL; m = next) {
        next = m->next;
        for (struct mg_block *b = m->first; b != NULL; b = b->next) {
            if (b->type == MG_BLOCK_CALL && !b->call.answered)
                return mg_contradiction(s->x, b->at, "the tool call '%.*s' has no result",
                                        (int)(b->call.id.n < 80 ? b->call.id.n : 80),
                                        b->call.id.p);
        }
        if (m->results != NULL) {
            m->results->next = next;
            m->next = m->results;
        }
    }
    return 0;
}

int
mg_turn_settle(struct mg_crossing *x)
{
    struct settling s = {.x = x};
    mg_map_init(&s.calls, x->pool, x->in->key);
    for (struct mg_message *m = x->turn->first, *next; m != NULL; m = next) {
        next = m->next;
        if (m->role == MG_ROLE_TOOL) {
            if (place_results(&s, m) != 0)
                return -1;
        } else if (m->role == MG_ROLE_ASSISTANT) {
            add_assistant(&s, m);
        } else if (joins_system(&s, m)) {
            join(s.first, m);
        } else {
            s.gathering = false;
            append(&s, m);
        }
    }
    if (insert_results(&s) != 0)
        return -1;
    x->turn->first = s.first;
    for (x->turn->last = s.first; x->turn->last != NULL && x->turn->last->next != NULL;)
        x->turn->last = x->turn->last->next;
    return 0;
}
