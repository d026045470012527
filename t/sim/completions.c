/* The legacy text_completion format. */
#include "render.h"
#include "tokens.h"
#include "usage.h"

#include <string.h>

/* One choice to say: which text, in which place. */
struct saying {
    const char *text;
    size_t len;
    int64_t index;
};

static void head(struct sim_buf *b, const struct sim_turn *turn)
{
    b->len = 0;
    sim_j_open(b, NULL, '{');
    sim_j_str(b, "id", sim_pool_fmt(turn->pool, "cmpl-%s", turn->id));
    sim_j_str(b, "object", "text_completion");
    sim_j_int(b, "created", turn->created);
    sim_j_str(b, "model", turn->model);
    sim_j_str(b, "system_fingerprint", "fp_simulated");
}

/* The four parallel arrays, one entry a word piece; offset is that of text in the whole. */
static void logprobs(struct sim_buf *b, const struct sim_turn *turn, const char *text, size_t n,
                     size_t offset)
{
    static const char *const names[] = {
        "tokens", "token_logprobs", "top_logprobs", "text_offset",
    };
    size_t k;

    if (turn->ask->logprobs < 0) {
        sim_j_null(b, "logprobs");
        return;
    }
    sim_j_open(b, "logprobs", '{');
    for (k = 0; k < 4; k++) {
        size_t pos = 0;

        sim_j_open(b, names[k], '[');
        while (pos < n) {
            size_t len = sim_tokens_word(text + pos, n - pos);

            if (k == 0) {
                sim_j_text(b, NULL, text + pos, len);
            } else if (k == 1) {
                sim_j_raw(b, NULL, "-0.125");
            } else if (k == 2) {
                sim_j_raw(b, NULL, "{}");
            } else {
                sim_j_int(b, NULL, (int64_t)(offset + pos));
            }
            pos += len;
        }
        sim_j_close(b, ']');
    }
    sim_j_close(b, '}');
}

static const char *finish(const struct sim_turn *turn)
{
    const char *word = sim_render_finish(turn);

    return strcmp(word, "tool_calls") == 0 ? "stop" : word;
}

/* Prompt number i of the request; "" for token numbers. */
static const char *prompt_text(const struct sim_turn *turn, int64_t i)
{
    struct json_object *prompt = sim_js_get(turn->ask->body, "prompt");

    if (json_object_is_type(prompt, json_type_array)) {
        prompt = sim_js_at(prompt, (size_t)i);
    }
    return json_object_is_type(prompt, json_type_string) ? json_object_get_string(prompt) : "";
}

static int64_t prompt_count(const struct sim_turn *turn)
{
    struct json_object *prompt = sim_js_get(turn->ask->body, "prompt");
    struct json_object *first = sim_js_at(prompt, 0);

    return first && !json_object_is_type(first, json_type_int) ? (int64_t)sim_js_len(prompt) : 1;
}

static struct saying saying_of(const struct sim_turn *turn, int64_t index)
{
    struct saying s = { sim_turn_text(turn), 0, index };
    int64_t copies = turn->ask->n > 1 ? turn->ask->n : 1;

    if (sim_js_bool(turn->ask->body, "echo", false)) {
        s.text = sim_pool_fmt(turn->pool, "%s%s", prompt_text(turn, index / copies), s.text);
    }
    s.len = strlen(s.text);
    return s;
}

static int64_t saying_count(const struct sim_turn *turn)
{
    return prompt_count(turn) * (turn->ask->n > 1 ? turn->ask->n : 1);
}

static void stream_chunk(struct sim_reply *r, struct sim_buf *b, const struct sim_turn *turn,
                         const struct saying *s, size_t pos, size_t n, bool last)
{
    head(b, turn);
    sim_j_open(b, "choices", '[');
    sim_j_open(b, NULL, '{');
    sim_j_text(b, "text", s->text + pos, n);
    sim_j_int(b, "index", s->index);
    logprobs(b, turn, s->text + pos, n, pos);
    sim_j_str(b, "finish_reason", last ? finish(turn) : NULL);
    sim_j_close(b, '}');
    sim_j_close(b, ']');
    if (turn->ask->include_usage && sim_usage_mode(turn->cmd) != SIM_USAGE_MISSING) {
        sim_j_null(b, "usage");
    }
    sim_j_close(b, '}');
    sim_sse_add(r, turn->cmd, NULL, b->p, b->len);
}

static void stream_saying(struct sim_reply *r, struct sim_buf *b, const struct sim_turn *turn,
                          const struct saying *s)
{
    size_t pos = 0;

    while (pos < s->len) {
        size_t n = sim_tokens_word(s->text + pos, s->len - pos);

        stream_chunk(r, b, turn, s, pos, n, false);
        pos += n;
    }
    stream_chunk(r, b, turn, s, pos, 0, true);
}

static void stream_usage(struct sim_reply *r, struct sim_buf *b, const struct sim_turn *turn)
{
    enum sim_usage_mode mode = sim_usage_mode(turn->cmd);

    if (mode == SIM_USAGE_MISSING || (!turn->ask->include_usage && mode != SIM_USAGE_ALWAYS)) {
        return;
    }
    head(b, turn);
    sim_j_none(b, "choices");
    sim_usage_chat(b, "usage", turn);
    sim_j_close(b, '}');
    sim_sse_add(r, turn->cmd, NULL, b->p, b->len);
    if (mode == SIM_USAGE_DOUBLE) {
        sim_sse_add(r, turn->cmd, NULL, b->p, b->len);
    }
}

static void render_stream(struct sim_reply *r, const struct sim_turn *turn)
{
    struct sim_buf b = {0};
    int64_t i;

    sim_sse_begin(r, turn->cmd);
    for (i = 0; i < saying_count(turn); i++) {
        struct saying s = saying_of(turn, i);

        stream_saying(r, &b, turn, &s);
    }
    stream_usage(r, &b, turn);
    if (turn->cmd->no_done <= 0) {
        sim_sse_add(r, turn->cmd, NULL, "[DONE]", 6);
    }
    sim_sse_finish(r, turn->cmd);
    sim_buf_free(&b);
}

void sim_render_completions(struct sim_reply *r, const struct sim_turn *turn)
{
    int64_t i;

    if (turn->ask->stream) {
        render_stream(r, turn);
        return;
    }
    head(&r->body, turn);
    sim_j_open(&r->body, "choices", '[');
    for (i = 0; i < saying_count(turn); i++) {
        struct saying s = saying_of(turn, i);

        sim_j_open(&r->body, NULL, '{');
        sim_j_text(&r->body, "text", s.text, s.len);
        sim_j_int(&r->body, "index", s.index);
        logprobs(&r->body, turn, s.text, s.len, 0);
        sim_j_str(&r->body, "finish_reason", finish(turn));
        sim_j_close(&r->body, '}');
    }
    sim_j_close(&r->body, ']');
    sim_usage_chat(&r->body, "usage", turn);
    sim_j_close(&r->body, '}');
}
