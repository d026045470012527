/* The Messages format: one message, or its events. */
#include "render.h"
#include "sign.h"
#include "usage.h"

#include <string.h>

/* The message being written. json is the scratch buffer of one event. */
struct message {
    struct sim_reply *r;
    const struct sim_turn *turn;
    struct sim_buf json;
    int64_t block;
    size_t call;
};

static const char *stop_reason(const struct sim_turn *turn)
{
    switch (turn->end) {
    case SIM_END_SEQUENCE:
        return "stop_sequence";
    case SIM_END_LENGTH:
        return "max_tokens";
    case SIM_END_TOOLS:
        return "tool_use";
    case SIM_END_FILTER:
    case SIM_END_REFUSAL:
        return "refusal";
    case SIM_END_RAW:
        return turn->end_raw;
    default:
        return "end_turn";
    }
}

static void put_end(struct sim_buf *b, const struct sim_turn *turn)
{
    bool refused = turn->end == SIM_END_FILTER || turn->end == SIM_END_REFUSAL;

    sim_j_str(b, "stop_reason", stop_reason(turn));
    sim_j_str(b, "stop_sequence", turn->end == SIM_END_SEQUENCE ? turn->stop_hit : NULL);
    if (refused) {
        sim_j_raw(b, "stop_details", "{\"type\":\"refusal\",\"category\":null,"
                                     "\"explanation\":\"The simulated model declined.\"}");
    } else {
        sim_j_null(b, "stop_details");
    }
}

static void put_head(struct sim_buf *b, const struct sim_turn *turn)
{
    sim_j_str(b, "id", sim_pool_fmt(turn->pool, "msg_%s", turn->id));
    sim_j_str(b, "type", "message");
    sim_j_str(b, "role", "assistant");
    sim_j_str(b, "model", turn->model);
}

/* The text of a thinking block as shown: empty when the request hides it. */
static size_t shown_len(const struct message *m, const struct sim_part *part)
{
    return m->turn->ask->thinking_hidden ? 0 : part->len;
}

static const char *signature(const struct message *m, const struct sim_part *part)
{
    const char *nonce = sim_pool_fmt(m->turn->pool, "%s.%d", m->turn->id, (int)m->block);

    return sim_sign_thinking(m->turn->pool, part->text, shown_len(m, part), nonce);
}

static bool is_redacted(const struct message *m, const struct sim_part *part)
{
    return part->kind == SIM_PART_REASONING && m->turn->cmd->redacted > 0;
}

/* Blocks that are not said at all: empty text, which the schema of a later request forbids. */
static bool is_silent(const struct sim_part *part)
{
    return (part->kind == SIM_PART_TEXT || part->kind == SIM_PART_REFUSAL) && part->len == 0;
}

/* True when s is one JSON object. */
static bool is_object(const char *s)
{
    const char *why;
    struct json_object *o = sim_js_parse(s, strlen(s), &why);
    bool yes = json_object_is_type(o, json_type_object);

    json_object_put(o);
    return yes;
}

/* A content block; as it starts in a stream (empty), or whole. */
static void put_block(struct message *m, struct sim_buf *b, const char *key,
                      const struct sim_part *part, bool whole)
{
    sim_j_open(b, key, '{');
    if (is_redacted(m, part)) {
        sim_j_str(b, "type", "redacted_thinking");
        sim_j_str(b, "data", sim_sign_seal(m->turn->pool, "redacted", part->text, part->len));
    } else if (part->kind == SIM_PART_REASONING) {
        sim_j_str(b, "type", "thinking");
        sim_j_text(b, "thinking", part->text, whole ? shown_len(m, part) : 0);
        sim_j_str(b, "signature", whole ? signature(m, part) : "");
    } else if (part->kind == SIM_PART_TOOL || part->kind == SIM_PART_CUSTOM) {
        sim_j_str(b, "type", "tool_use");
        sim_j_str(b, "id", sim_render_call_id(m->turn, "toolu_", m->call));
        sim_j_str(b, "name", part->name);
        sim_j_raw(b, "input", whole && is_object(part->text) ? part->text : "{}");
        sim_j_raw(b, "caller", "{\"type\":\"direct\"}");
        m->call++;
    } else {
        sim_j_str(b, "type", "text");
        sim_j_text(b, "text", part->text, whole ? part->len : 0);
        sim_j_null(b, "citations");
    }
    sim_j_close(b, '}');
}

static void start(struct message *m, const char *type)
{
    m->json.len = 0;
    sim_j_open(&m->json, NULL, '{');
    sim_j_str(&m->json, "type", type);
}

static void emit(struct message *m, const char *type)
{
    sim_j_close(&m->json, '}');
    sim_sse_add(m->r, m->turn->cmd, type, m->json.p, m->json.len);
}

static void delta(struct message *m, const char *type, const char *member, const char *s, size_t n)
{
    start(m, "content_block_delta");
    sim_j_int(&m->json, "index", m->block);
    sim_j_open(&m->json, "delta", '{');
    sim_j_str(&m->json, "type", type);
    sim_j_text(&m->json, member, s, n);
    sim_j_close(&m->json, '}');
    emit(m, "content_block_delta");
}

static void ping(struct message *m)
{
    start(m, "ping");
    emit(m, "ping");
}

static void block_deltas(struct message *m, const struct sim_part *part)
{
    bool call = part->kind == SIM_PART_TOOL || part->kind == SIM_PART_CUSTOM;
    bool thinking = part->kind == SIM_PART_REASONING;
    size_t pos = 0;
    size_t n;
    const char *s;

    if (is_redacted(m, part)) {
        return;
    }
    if (call) {
        delta(m, "input_json_delta", "partial_json", "", 0);
    }
    while (!(thinking && m->turn->ask->thinking_hidden) &&
           (s = sim_part_next(part, &pos, &n)) != NULL) {
        if (call) {
            delta(m, "input_json_delta", "partial_json", s, n);
        } else if (thinking) {
            delta(m, "thinking_delta", "thinking", s, n);
        } else {
            delta(m, "text_delta", "text", s, n);
        }
    }
    if (thinking) {
        s = signature(m, part);
        delta(m, "signature_delta", "signature", s, strlen(s));
    }
}

static void block_events(struct message *m, const struct sim_part *part)
{
    int64_t pings = m->turn->cmd->pings >= 0 ? m->turn->cmd->pings : 1;

    start(m, "content_block_start");
    sim_j_int(&m->json, "index", m->block);
    put_block(m, &m->json, "content_block", part, false);
    emit(m, "content_block_start");
    while (m->block == 0 && pings-- > 0) {
        ping(m);
    }
    block_deltas(m, part);
    start(m, "content_block_stop");
    sim_j_int(&m->json, "index", m->block++);
    emit(m, "content_block_stop");
}

static void message_start(struct message *m)
{
    start(m, "message_start");
    sim_j_open(&m->json, "message", '{');
    put_head(&m->json, m->turn);
    sim_j_none(&m->json, "content");
    sim_j_null(&m->json, "stop_reason");
    sim_j_null(&m->json, "stop_sequence");
    sim_j_null(&m->json, "stop_details");
    sim_j_null(&m->json, "container");
    sim_usage_message(&m->json, "usage", m->turn, true);
    sim_j_close(&m->json, '}');
    emit(m, "message_start");
}

static void message_delta(struct message *m)
{
    start(m, "message_delta");
    sim_j_open(&m->json, "delta", '{');
    put_end(&m->json, m->turn);
    sim_j_null(&m->json, "container");
    sim_j_close(&m->json, '}');
    sim_usage_delta(&m->json, "usage", m->turn);
    emit(m, "message_delta");
}

static void render_stream(struct message *m)
{
    size_t i;

    sim_sse_begin(m->r, m->turn->cmd);
    message_start(m);
    for (i = 0; i < m->turn->parts; i++) {
        if (!is_silent(&m->turn->part[i])) {
            block_events(m, &m->turn->part[i]);
        }
    }
    message_delta(m);
    if (sim_usage_mode(m->turn->cmd) == SIM_USAGE_DOUBLE) {
        message_delta(m);
    }
    if (m->turn->cmd->no_done <= 0) {
        start(m, "message_stop");
        emit(m, "message_stop");
    }
    sim_sse_finish(m->r, m->turn->cmd);
}

static void render_whole(struct message *m)
{
    struct sim_buf *b = &m->r->body;
    size_t i;

    sim_j_open(b, NULL, '{');
    put_head(b, m->turn);
    sim_j_open(b, "content", '[');
    for (i = 0; i < m->turn->parts; i++) {
        if (!is_silent(&m->turn->part[i])) {
            put_block(m, b, NULL, &m->turn->part[i], true);
            m->block++;
        }
    }
    sim_j_close(b, ']');
    put_end(b, m->turn);
    sim_j_null(b, "container");
    sim_usage_message(b, "usage", m->turn, false);
    sim_j_close(b, '}');
}

void sim_render_messages(struct sim_reply *r, const struct sim_turn *turn)
{
    struct message m = { .r = r, .turn = turn };

    if (turn->ask->stream) {
        render_stream(&m);
    } else {
        render_whole(&m);
    }
    sim_buf_free(&m.json);
}
