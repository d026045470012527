/* One chat.completion object. The stream is in chat_stream.c. */
#include "chat.h"

#include "tokens.h"
#include "usage.h"

#include <string.h>

const char *sim_render_finish(const struct sim_turn *turn)
{
    switch (turn->end) {
    case SIM_END_LENGTH:
        return "length";
    case SIM_END_TOOLS:
        return "tool_calls";
    case SIM_END_FILTER:
    case SIM_END_REFUSAL:
        return "content_filter";
    case SIM_END_RAW:
        return turn->end_raw;
    default:
        return "stop";
    }
}

const char *sim_render_call_id(const struct sim_turn *turn, const char *prefix, size_t i)
{
    return sim_pool_fmt(turn->pool, "%s%s%02zu", prefix, turn->id, i);
}

static void one_logprob(struct sim_buf *b, const char *s, size_t n, int64_t rank)
{
    size_t i;

    sim_j_text(b, "token", s, n);
    sim_j_raw(b, "logprob", rank ? "-2.5" : "-0.125");
    sim_j_open(b, "bytes", '[');
    for (i = 0; i < n; i++) {
        sim_j_int(b, NULL, (unsigned char)s[i]);
    }
    sim_j_close(b, ']');
}

void sim_render_logprobs(struct sim_buf *b, const char *key, const char *text, size_t n,
                         int64_t alternatives)
{
    size_t pos = 0;

    sim_j_open(b, key, '[');
    while (pos < n) {
        size_t len = sim_tokens_word(text + pos, n - pos);
        int64_t i;

        sim_j_open(b, NULL, '{');
        one_logprob(b, text + pos, len, 0);
        sim_j_open(b, "top_logprobs", '[');
        for (i = 0; i < alternatives && i < 20; i++) {
            sim_j_open(b, NULL, '{');
            one_logprob(b, text + pos, len, i);
            sim_j_close(b, '}');
        }
        sim_j_close(b, ']');
        sim_j_close(b, '}');
        pos += len;
    }
    sim_j_close(b, ']');
}

void sim_chat_head(struct sim_buf *b, const struct sim_turn *turn, const char *object)
{
    b->len = 0;
    sim_j_open(b, NULL, '{');
    sim_j_str(b, "id", sim_pool_fmt(turn->pool, "chatcmpl-%s", turn->id));
    sim_j_str(b, "object", object);
    sim_j_int(b, "created", turn->created);
    sim_j_str(b, "model", turn->model);
    sim_j_str(b, "service_tier", "default");
    sim_j_str(b, "system_fingerprint", "fp_simulated");
}

void sim_chat_call_body(struct sim_buf *b, const struct sim_part *part, const char *text, size_t n)
{
    bool custom = part->kind == SIM_PART_CUSTOM;

    sim_j_open(b, custom ? "custom" : "function", '{');
    if (part->name) {
        sim_j_str(b, "name", part->name);
    }
    sim_j_text(b, custom ? "input" : "arguments", text, n);
    sim_j_close(b, '}');
}

static void tool_calls(struct sim_buf *b, const struct sim_turn *turn)
{
    size_t call = 0;
    size_t i;

    sim_j_open(b, "tool_calls", '[');
    for (i = 0; i < turn->parts; i++) {
        const struct sim_part *part = &turn->part[i];

        if (!sim_chat_is_call(part)) {
            continue;
        }
        sim_j_open(b, NULL, '{');
        sim_j_str(b, "id", sim_render_call_id(turn, "call_", call++));
        sim_j_str(b, "type", part->kind == SIM_PART_CUSTOM ? "custom" : "function");
        sim_chat_call_body(b, part, part->text, part->len);
        sim_j_close(b, '}');
    }
    sim_j_close(b, ']');
}

bool sim_chat_is_call(const struct sim_part *part)
{
    return part->kind == SIM_PART_TOOL || part->kind == SIM_PART_CUSTOM;
}

bool sim_chat_has_calls(const struct sim_turn *turn)
{
    return sim_turn_has(turn, SIM_PART_TOOL) || sim_turn_has(turn, SIM_PART_CUSTOM);
}

static const struct sim_part *find(const struct sim_turn *turn, enum sim_part_kind kind)
{
    size_t i;

    for (i = 0; i < turn->parts; i++) {
        if (turn->part[i].kind == kind) {
            return &turn->part[i];
        }
    }
    return NULL;
}

static void message(struct sim_buf *b, const struct sim_turn *turn)
{
    const struct sim_part *refusal = find(turn, SIM_PART_REFUSAL);
    const struct sim_part *reasoning = find(turn, SIM_PART_REASONING);
    bool silent = !find(turn, SIM_PART_TEXT) && (refusal || sim_chat_has_calls(turn));

    sim_j_open(b, "message", '{');
    sim_j_str(b, "role", "assistant");
    sim_j_str(b, "content", silent ? NULL : sim_turn_text(turn));
    if (turn->cmd->reasoning_field && reasoning) {
        sim_j_text(b, turn->cmd->reasoning_field, reasoning->text, reasoning->len);
    }
    if (sim_chat_has_calls(turn)) {
        tool_calls(b, turn);
    }
    if (refusal) {
        sim_j_text(b, "refusal", refusal->text, refusal->len);
    } else {
        sim_j_null(b, "refusal");
    }
    sim_j_none(b, "annotations");
    sim_j_close(b, '}');
}

static void choice(struct sim_buf *b, const struct sim_turn *turn, int64_t index)
{
    const char *text = sim_turn_text(turn);

    sim_j_open(b, NULL, '{');
    sim_j_int(b, "index", index);
    message(b, turn);
    if (turn->ask->logprobs >= 0) {
        sim_j_open(b, "logprobs", '{');
        sim_render_logprobs(b, "content", text, strlen(text), turn->ask->logprobs);
        sim_j_null(b, "refusal");
        sim_j_close(b, '}');
    } else {
        sim_j_null(b, "logprobs");
    }
    sim_j_str(b, "finish_reason", sim_render_finish(turn));
    sim_j_close(b, '}');
}

void sim_render_chat(struct sim_reply *r, const struct sim_turn *turn)
{
    int64_t i = 0;

    if (turn->ask->stream) {
        sim_chat_stream(r, turn);
        return;
    }
    sim_chat_head(&r->body, turn, "chat.completion");
    sim_j_open(&r->body, "choices", '[');
    do {
        choice(&r->body, turn, i);
    } while (++i < turn->ask->n);
    sim_j_close(&r->body, ']');
    sim_usage_chat(&r->body, "usage", turn);
    sim_j_close(&r->body, '}');
}
