/* The events of the Responses format, and its JSON body. */
#include "responses.h"

#include "usage.h"

#include <string.h>

/* The stream being written. json is the scratch buffer of one event. */
struct events {
    struct sim_reply *r;
    const struct sim_turn *turn;
    const char *echo;
    struct sim_buf json;
    int64_t seq;
    size_t item;
};

static const struct sim_part *part_of(const struct events *e)
{
    return &e->turn->part[e->item];
}

static void start(struct events *e, const char *type)
{
    e->json.len = 0;
    sim_j_open(&e->json, NULL, '{');
    sim_j_str(&e->json, "type", type);
    sim_j_int(&e->json, "sequence_number", e->seq++);
}

static void emit(struct events *e, const char *type)
{
    sim_j_close(&e->json, '}');
    sim_sse_add(e->r, e->turn->cmd, type, e->json.p, e->json.len);
}

static void lifecycle(struct events *e, const char *type, const char *status, bool usage)
{
    start(e, type);
    sim_response_put(&e->json, "response", e->turn, e->echo, status, usage);
    emit(e, type);
}

static void item_event(struct events *e, const char *type, enum sim_item_state state)
{
    start(e, type);
    sim_j_int(&e->json, "output_index", (int64_t)e->item);
    sim_item_put(&e->json, "item", e->turn, e->item, state);
    emit(e, type);
}

/* Starts an event inside the present item; index_name NULL: the item has one content only. */
static void inner(struct events *e, const char *type, const char *index_name)
{
    start(e, type);
    sim_j_str(&e->json, "item_id", sim_item_id(e->turn, e->item));
    sim_j_int(&e->json, "output_index", (int64_t)e->item);
    if (index_name) {
        sim_j_int(&e->json, index_name, 0);
    }
}

/* One delta per piece of the present part. */
static void deltas(struct events *e, const char *type, const char *index_name)
{
    bool probs = part_of(e)->kind == SIM_PART_TEXT;
    size_t pos = 0;
    size_t n;
    const char *s;

    while ((s = sim_part_next(part_of(e), &pos, &n)) != NULL) {
        inner(e, type, index_name);
        sim_j_text(&e->json, "delta", s, n);
        if (probs) {
            sim_render_logprobs(&e->json, "logprobs", s, e->turn->ask->logprobs >= 0 ? n : 0,
                                e->turn->ask->logprobs);
        }
        emit(e, type);
    }
}

/* The event that repeats the whole text of the present part. */
static void whole(struct events *e, const char *type, const char *index_name, const char *member)
{
    const struct sim_part *part = part_of(e);

    inner(e, type, index_name);
    sim_j_text(&e->json, member, part->text, part->len);
    if (part->kind == SIM_PART_TEXT) {
        sim_render_logprobs(&e->json, "logprobs", part->text,
                            e->turn->ask->logprobs >= 0 ? part->len : 0, e->turn->ask->logprobs);
    }
    if (part->kind == SIM_PART_TOOL) {
        sim_j_str(&e->json, "name", part->name);
    }
    emit(e, type);
}

static void message_part(struct events *e, const char *type, size_t n)
{
    inner(e, type, "content_index");
    sim_item_part(&e->json, "part", e->turn, e->item, n);
    emit(e, type);
}

static void message_events(struct events *e)
{
    bool refusal = part_of(e)->kind == SIM_PART_REFUSAL;

    message_part(e, "response.content_part.added", 0);
    if (refusal) {
        deltas(e, "response.refusal.delta", "content_index");
        whole(e, "response.refusal.done", "content_index", "refusal");
    } else {
        deltas(e, "response.output_text.delta", "content_index");
        whole(e, "response.output_text.done", "content_index", "text");
    }
    message_part(e, "response.content_part.done", part_of(e)->len);
}

/* part.added or part.done of a reasoning item: its text so far, n bytes of the given type. */
static void reasoning_part(struct events *e, const char *type, const char *index_name,
                           const char *part_type, size_t n)
{
    inner(e, type, index_name);
    sim_j_open(&e->json, "part", '{');
    sim_j_str(&e->json, "type", part_type);
    sim_j_text(&e->json, "text", part_of(e)->text, n);
    sim_j_close(&e->json, '}');
    emit(e, type);
}

static void reasoning_events(struct events *e)
{
    size_t n = part_of(e)->len;

    if (sim_item_open_text(e->turn)) {
        reasoning_part(e, "response.content_part.added", "content_index", "reasoning_text", 0);
        deltas(e, "response.reasoning_text.delta", "content_index");
        whole(e, "response.reasoning_text.done", "content_index", "text");
        reasoning_part(e, "response.content_part.done", "content_index", "reasoning_text", n);
    }
    if (sim_item_summary(e->turn)) {
        reasoning_part(e, "response.reasoning_summary_part.added", "summary_index", "summary_text",
                       0);
        deltas(e, "response.reasoning_summary_text.delta", "summary_index");
        whole(e, "response.reasoning_summary_text.done", "summary_index", "text");
        reasoning_part(e, "response.reasoning_summary_part.done", "summary_index", "summary_text",
                       n);
    }
}

static void call_events(struct events *e)
{
    bool custom = part_of(e)->kind == SIM_PART_CUSTOM;
    int64_t done_only = e->turn->cmd->done_only;

    if (done_only <= 0) {
        deltas(e, custom ? "response.custom_tool_call_input.delta"
                         : "response.function_call_arguments.delta", NULL);
    }
    if (done_only <= 1) {
        whole(e, custom ? "response.custom_tool_call_input.done"
                        : "response.function_call_arguments.done", NULL,
              custom ? "input" : "arguments");
    }
}

static void item_events(struct events *e)
{
    item_event(e, "response.output_item.added", SIM_ITEM_ADDED);
    switch (part_of(e)->kind) {
    case SIM_PART_TEXT:
    case SIM_PART_REFUSAL:
        message_events(e);
        break;
    case SIM_PART_REASONING:
        reasoning_events(e);
        break;
    case SIM_PART_TOOL:
    case SIM_PART_CUSTOM:
        call_events(e);
        break;
    default:
        break;
    }
    item_event(e, "response.output_item.done", SIM_ITEM_DONE);
}

static void render_stream(struct events *e)
{
    enum sim_usage_mode mode = sim_usage_mode(e->turn->cmd);
    bool early = mode == SIM_USAGE_EARLY || mode == SIM_USAGE_DOUBLE;
    const char *status = sim_response_status(e->turn);
    int64_t pings = e->turn->cmd->pings;

    sim_sse_begin(e->r, e->turn->cmd);
    lifecycle(e, "response.created", "in_progress", early);
    lifecycle(e, "response.in_progress", "in_progress", early);
    while (pings-- > 0) {
        start(e, "keepalive");
        emit(e, "keepalive");
    }
    for (e->item = 0; e->item < e->turn->parts; e->item++) {
        item_events(e);
    }
    if (e->turn->cmd->no_done <= 0) {
        lifecycle(e, sim_pool_fmt(e->turn->pool, "response.%s", status), status,
                  mode != SIM_USAGE_EARLY);
    }
    sim_sse_finish(e->r, e->turn->cmd);
}

void sim_render_responses(struct sim_reply *r, const struct sim_turn *turn)
{
    struct events e = { .r = r, .turn = turn, .echo = sim_response_echo(turn) };

    if (turn->ask->stream) {
        render_stream(&e);
    } else {
        sim_response_put(&r->body, NULL, turn, e.echo, sim_response_status(turn), true);
    }
    sim_buf_free(&e.json);
}
