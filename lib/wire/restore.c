#include "wire/restore.h"

#include "base/alloc.h"
#include "base/pool.h"
#include "wire/compaction.h"
#include "wire/unwrap.h"

#include <stdlib.h>
#include <string.h>

/* What becomes of the open block. */
enum fate {
    FATE_PASS,    /* as it is */
    FATE_UNWRAP,  /* a custom tool's text out of its wrapping */
    FATE_MUTE,    /* nothing of it */
    FATE_WAIT,    /* reasoning that may not be shown: begins if a proof comes */
    FATE_SEALED,  /* … which came: only the proof is told */
    FATE_COLLECT  /* the text of a compaction */
};

struct mg_restore {
    const struct mg_reply *reply;
    struct mg_sink to;
    struct mg_pool *pool;
    enum fate fate;
    struct mg_event begin; /* of a block that waits */
    struct mg_unwrap unwrap;
    struct mg_str scratch, collected;
    const char **ids;      /* of the calls so far */
    size_t calls, room;
    unsigned invented;     /* ids made here */
    bool answered;         /* the tool that stands for JSON output has spoken */
    bool spoke;            /* text, a refusal or a call was told */
};

struct mg_restore *
mg_restore_new(const struct mg_reply *reply, struct mg_sink to)
{
    struct mg_restore *r = mg_calloc(1, sizeof(*r));
    r->reply = reply;
    r->to = to;
    r->pool = mg_pool_new();
    mg_unwrap_init(&r->unwrap);
    mg_str_init(&r->scratch, MG_REPLY_MAX);
    mg_str_init(&r->collected, MG_REPLY_MAX);
    return r;
}

void
mg_restore_free(struct mg_restore **restore)
{
    struct mg_restore *r = *restore;
    if (r == NULL)
        return;
    mg_unwrap_free(&r->unwrap);
    mg_str_free(&r->scratch);
    mg_str_free(&r->collected);
    mg_pool_free(&r->pool);
    free(r->ids);
    free(r);
    *restore = NULL;
}

static bool
is_taken(const struct mg_restore *r, const char *id)
{
    for (size_t i = 0; i < r->calls; i++) {
        if (strcmp(r->ids[i], id) == 0)
            return true;
    }
    return false;
}

/* An id that is the client's for this call and no other's in this answer. */
static const char *
call_id(struct mg_restore *r, struct mg_span upstream)
{
    const char *prefix = r->reply->client == MG_MESSAGES ? "toolu" : "call";
    const char *id = mg_translation_call_id(r->reply->left, upstream, r->pool);
    while (id[0] == '\0' || is_taken(r, id))
        id = mg_pool_printf(r->pool, "%s_%.24s%03u", prefix, r->reply->seed, r->invented++);
    if (r->calls == r->room) {
        r->room = r->room ? r->room * 2 : 8;
        r->ids = mg_realloc(r->ids, r->room * sizeof(*r->ids));
    }
    r->ids[r->calls++] = id;
    return id;
}

static void
begin_call(struct mg_restore *r, struct mg_event event)
{
    const struct mg_translation *left = r->reply->left;
    const struct mg_translated_tool *tool = mg_translation_tool(left, event.name);
    event.id = mg_span_z(call_id(r, event.id));
    if (tool != NULL) {
        event.name = mg_span_z(tool->client);
        event.space = mg_span_z(tool->space ? tool->space : "");
        event.custom = tool->custom;
        r->fate = tool->custom && tool->wrapped ? FATE_UNWRAP : FATE_PASS;
    }
    r->spoke = true;
    mg_sink_put(r->to, &event);
}

/* JSON output by way of a tool: the call's arguments are the text of the answer. */
static void
begin_answer(struct mg_restore *r, struct mg_event event)
{
    if (r->answered) {
        r->fate = FATE_MUTE;
        return;
    }
    event.part = MG_PART_TEXT;
    r->answered = r->spoke = true;
    mg_sink_put(r->to, &event);
}

static void
begin(struct mg_restore *r, const struct mg_event *event)
{
    const struct mg_translation *left = r->reply->left;
    r->fate = FATE_PASS;
    if (left->compaction) {
        r->fate = event->part == MG_PART_TEXT ? FATE_COLLECT : FATE_MUTE;
    } else if (event->part == MG_PART_TOOL) {
        if (left->json == MG_JSON_TOOL && mg_span_is(event->name, left->json_tool))
            begin_answer(r, *event);
        else
            begin_call(r, *event);
    } else if (event->part == MG_PART_REASONING && !left->show_reasoning) {
        r->fate = FATE_WAIT;
        r->begin = (struct mg_event){.kind = MG_EVENT_BEGIN, .number = event->number,
                                     .part = MG_PART_REASONING};
    } else {
        r->spoke |= event->part != MG_PART_REASONING;
        mg_sink_put(r->to, event);
    }
}

static void
tell_scratch(struct mg_restore *r, unsigned number)
{
    struct mg_event event = {.kind = MG_EVENT_DELTA, .number = number,
                             .text = mg_str_span(&r->scratch)};
    if (event.text.n > 0)
        mg_sink_put(r->to, &event);
    mg_str_reset(&r->scratch);
}

static void
delta(struct mg_restore *r, const struct mg_event *event)
{
    switch (r->fate) {
    case FATE_PASS:
        mg_sink_put(r->to, event);
        break;
    case FATE_UNWRAP:
        mg_unwrap_feed(&r->unwrap, event->text, &r->scratch);
        tell_scratch(r, event->number);
        break;
    case FATE_COLLECT:
        mg_str_addspan(&r->collected, event->text);
        break;
    case FATE_MUTE:
    case FATE_WAIT:
    case FATE_SEALED:
        break;
    }
}

/* Puts a proof into the one opaque field that the client has for it. */
static void
seal(struct mg_restore *r, struct mg_event event)
{
    if (r->fate == FATE_WAIT) {
        mg_sink_put(r->to, &r->begin);
        r->fate = FATE_SEALED;
    }
    if (r->fate != FATE_PASS && r->fate != FATE_SEALED)
        return;
    if (r->reply->native) {
        event.text = event.proof.blob;
        if (event.text.n > 0)
            mg_sink_put(r->to, &event);
        return;
    }
    event.proof.origin = mg_span_z(r->reply->left->origin ? r->reply->left->origin : "");
    mg_pack_write(r->reply->left->key, &event.proof, &r->scratch);
    event.text = mg_str_span(&r->scratch);
    mg_sink_put(r->to, &event);
    mg_str_reset(&r->scratch);
}

static void
end_block(struct mg_restore *r, struct mg_event event)
{
    if (r->fate == FATE_UNWRAP) {
        event.torn = !mg_unwrap_end(&r->unwrap, &r->scratch);
        tell_scratch(r, event.number);
    }
    if (r->fate == FATE_PASS || r->fate == FATE_UNWRAP || r->fate == FATE_SEALED)
        mg_sink_put(r->to, &event);
}

static bool
is_stop(const struct mg_restore *r, struct mg_span sequence)
{
    for (const char *const *stop = r->reply->left->stops; *stop != NULL; stop++) {
        if (mg_span_is(sequence, *stop))
            return true;
    }
    return false;
}

static enum mg_end
settle_end(const struct mg_restore *r, const struct mg_event *event)
{
    enum mg_end end = event->end;
    int64_t limit = r->reply->left->limit_raised_from;
    bool by_itself = end == MG_END_STOP || end == MG_END_SEQUENCE || end == MG_END_TOOLS
                     || end == MG_END_REFUSAL;
    if (by_itself && limit > 0
        && !(r->reply->usage.has_output && r->reply->usage.output <= limit))
        return MG_END_LENGTH;
    if (by_itself && r->calls > 0)
        return MG_END_TOOLS;
    if (end == MG_END_TOOLS || (end == MG_END_SEQUENCE && !is_stop(r, event->text)))
        return MG_END_STOP;
    return end;
}

/* A whole block with one text. */
static void
tell_block(struct mg_restore *r, enum mg_part part, enum mg_event_kind kind, struct mg_span text)
{
    struct mg_event event = {.kind = MG_EVENT_BEGIN, .part = part};
    mg_sink_put(r->to, &event);
    event = (struct mg_event){.kind = kind, .text = text};
    mg_sink_put(r->to, &event);
    event = (struct mg_event){.kind = MG_EVENT_END};
    mg_sink_put(r->to, &event);
}

static void
tell_compaction(struct mg_restore *r)
{
    mg_compaction_write(r->reply->left->key, r->reply->left->owner, mg_str_span(&r->collected),
                        &r->scratch);
    tell_block(r, MG_PART_COMPACTION, MG_EVENT_SEAL, mg_str_span(&r->scratch));
    mg_str_reset(&r->scratch);
}

/* A compaction of nothing would lose the conversation. */
static void
refuse_nothing(struct mg_restore *r)
{
    struct mg_err err = MG_ERR_INIT;
    struct mg_event event = {.kind = MG_EVENT_ERROR, .err = &err};
    mg_err_set(&err, 502, "server_error", "The model wrote no summary of the conversation.");
    mg_sink_put(r->to, &event);
    mg_err_free(&err);
}

static void
finish(struct mg_restore *r, struct mg_event event)
{
    if (r->reply->left->compaction && r->collected.len == 0) {
        refuse_nothing(r);
        return;
    }
    if (r->reply->left->compaction)
        tell_compaction(r);
    else if (event.end == MG_END_FILTER && event.text.n > 0 && !r->spoke)
        tell_block(r, MG_PART_REFUSAL, MG_EVENT_DELTA, event.text);
    event.end = settle_end(r, &event);
    mg_sink_put(r->to, &event);
}

void
mg_restore_put(void *restore, const struct mg_event *event)
{
    struct mg_restore *r = restore;
    switch (event->kind) {
    case MG_EVENT_BEGIN:
        begin(r, event);
        break;
    case MG_EVENT_DELTA:
        delta(r, event);
        break;
    case MG_EVENT_SEAL:
        seal(r, *event);
        break;
    case MG_EVENT_CITE:
        if (r->fate == FATE_PASS)
            mg_sink_put(r->to, event);
        break;
    case MG_EVENT_END:
        end_block(r, *event);
        break;
    case MG_EVENT_FINISH:
        finish(r, *event);
        break;
    case MG_EVENT_START:
    case MG_EVENT_ERROR:
        mg_sink_put(r->to, event);
        break;
    }
}
