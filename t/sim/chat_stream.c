/* chat.completion.chunk events. */
#include "chat.h"
#include "usage.h"

#include <stdlib.h>
#include <string.h>

/* The stream being written. json is the scratch buffer of one event. */
struct chunks {
    struct sim_reply *r;
    const struct sim_turn *turn;
    struct sim_buf json;
    int64_t choice;
    int64_t sent; /* pieces so far */
    enum sim_usage_mode mode;
    bool asked;
    bool began;
};

static void open_chunk(struct chunks *c)
{
    sim_chat_head(&c->json, c->turn, "chat.completion.chunk");
    sim_j_open(&c->json, "choices", '[');
    sim_j_open(&c->json, NULL, '{');
    sim_j_int(&c->json, "index", c->choice);
    sim_j_open(&c->json, "delta", '{');
}

/* Usage beside the choices of an ordinary chunk: null as the real API has it, but for the modes
 * that put figures there. */
static void chunk_usage(struct chunks *c, bool last)
{
    if (!c->asked || c->mode == SIM_USAGE_MISSING) {
        return;
    }
    if (c->mode == SIM_USAGE_EACH) {
        sim_usage_chat_so_far(&c->json, "usage", c->turn, last ? c->turn->usage.out : c->sent);
    } else if ((c->mode == SIM_USAGE_EARLY && !c->began) || (c->mode == SIM_USAGE_FINISH && last)) {
        sim_usage_chat(&c->json, "usage", c->turn);
    } else {
        sim_j_null(&c->json, "usage");
    }
    c->began = true;
}

static void emit(struct chunks *c)
{
    sim_sse_add(c->r, c->turn->cmd, NULL, c->json.p, c->json.len);
}

/* Closes the delta with an optional finish reason and sends the chunk. */
static void close_chunk(struct chunks *c, const char *finish)
{
    sim_j_close(&c->json, '}');
    sim_j_str(&c->json, "finish_reason", finish);
    sim_j_close(&c->json, '}');
    sim_j_close(&c->json, ']');
    chunk_usage(c, finish != NULL);
    sim_j_close(&c->json, '}');
    emit(c);
}

static void close_with_logprobs(struct chunks *c, const char *s, size_t n)
{
    sim_j_close(&c->json, '}');
    sim_j_null(&c->json, "finish_reason");
    sim_j_open(&c->json, "logprobs", '{');
    sim_render_logprobs(&c->json, "content", s, n, c->turn->ask->logprobs);
    sim_j_null(&c->json, "refusal");
    sim_j_close(&c->json, '}');
    sim_j_close(&c->json, '}');
    sim_j_close(&c->json, ']');
    chunk_usage(c, false);
    sim_j_close(&c->json, '}');
    emit(c);
}

static void role_chunk(struct chunks *c)
{
    open_chunk(c);
    sim_j_str(&c->json, "role", "assistant");
    sim_j_str(&c->json, "content", sim_turn_has(c->turn, SIM_PART_TEXT) ? "" : NULL);
    sim_j_null(&c->json, "refusal");
    close_chunk(c, NULL);
}

/* The pieces of a text, refusal or reasoning part under the given delta member. */
static void text_chunks(struct chunks *c, const struct sim_part *part, const char *member)
{
    size_t pos = 0;
    size_t n;
    const char *s;

    while ((s = sim_part_next(part, &pos, &n)) != NULL) {
        open_chunk(c);
        sim_j_text(&c->json, member, s, n);
        if (c->turn->cmd->empty_tool_calls > 0) {
            sim_j_none(&c->json, "tool_calls");
        }
        c->sent++;
        if (c->turn->ask->logprobs >= 0 && part->kind == SIM_PART_TEXT) {
            close_with_logprobs(c, s, n);
        } else {
            close_chunk(c, NULL);
        }
    }
}

/* tool-index=omit|same|N: what stands for the place of call i. */
static void put_index(struct chunks *c, size_t i)
{
    const char *style = c->turn->cmd->tool_index;

    if (!style) {
        sim_j_int(&c->json, "index", (int64_t)i);
    } else if (strcmp(style, "same") == 0) {
        sim_j_int(&c->json, "index", 0);
    } else if (strcmp(style, "omit") != 0) {
        sim_j_int(&c->json, "index", strtoll(style, NULL, 10) + (int64_t)i);
    }
}

/* One chunk of call i; the opening one (first) tells id, type and name. */
static void call_chunk(struct chunks *c, const struct sim_part *part, size_t i, bool first,
                       const char *s, size_t n)
{
    struct sim_part nameless = *part;

    nameless.name = NULL;
    open_chunk(c);
    sim_j_open(&c->json, "tool_calls", '[');
    sim_j_open(&c->json, NULL, '{');
    put_index(c, i);
    if (first) {
        sim_j_str(&c->json, "id", sim_render_call_id(c->turn, "call_", i));
        sim_j_str(&c->json, "type", part->kind == SIM_PART_CUSTOM ? "custom" : "function");
    }
    sim_chat_call_body(&c->json, first ? part : &nameless, s, n);
    sim_j_close(&c->json, '}');
    sim_j_close(&c->json, ']');
    close_chunk(c, NULL);
}

static void whole_call(struct chunks *c, const struct sim_part *part, size_t i)
{
    size_t pos = 0;
    size_t n;
    const char *s;

    if (part->piece <= 0) {
        call_chunk(c, part, i, true, part->text, part->len);
        return;
    }
    call_chunk(c, part, i, true, "", 0);
    while ((s = sim_part_next(part, &pos, &n)) != NULL) {
        c->sent++;
        call_chunk(c, part, i, false, s, n);
    }
}

/* interleave=1: all calls open first, then a piece of each in turn. */
static void interleaved_calls(struct chunks *c)
{
    const struct sim_part *call[SIM_PARTS_MAX];
    size_t pos[SIM_PARTS_MAX] = {0};
    size_t calls = 0;
    size_t i;
    bool more = true;

    for (i = 0; i < c->turn->parts; i++) {
        if (sim_chat_is_call(&c->turn->part[i])) {
            call[calls] = &c->turn->part[i];
            call_chunk(c, call[calls], calls, true, "", 0);
            calls++;
        }
    }
    while (more) {
        more = false;
        for (i = 0; i < calls; i++) {
            size_t n;
            const char *s = sim_part_next(call[i], &pos[i], &n);

            if (s) {
                more = true;
                c->sent++;
                call_chunk(c, call[i], i, false, s, n);
            }
        }
    }
}

static void part_chunks(struct chunks *c, const struct sim_part *part, size_t *call)
{
    if (part->kind == SIM_PART_TEXT) {
        text_chunks(c, part, "content");
    } else if (part->kind == SIM_PART_REFUSAL) {
        text_chunks(c, part, "refusal");
    } else if (part->kind == SIM_PART_REASONING && c->turn->cmd->reasoning_field) {
        text_chunks(c, part, c->turn->cmd->reasoning_field);
    } else if (sim_chat_is_call(part) && c->turn->cmd->interleave <= 0) {
        whole_call(c, part, (*call)++);
    }
}

static void choice_chunks(struct chunks *c)
{
    size_t call = 0;
    size_t i;

    role_chunk(c);
    for (i = 0; i < c->turn->parts; i++) {
        part_chunks(c, &c->turn->part[i], &call);
    }
    if (c->turn->cmd->interleave > 0) {
        interleaved_calls(c);
    }
    open_chunk(c);
    close_chunk(c, sim_render_finish(c->turn));
}

static void usage_chunk(struct chunks *c)
{
    sim_chat_head(&c->json, c->turn, "chat.completion.chunk");
    sim_j_open(&c->json, "choices", '[');
    if (c->mode == SIM_USAGE_LATE) {
        sim_j_raw(&c->json, NULL, "{\"index\":0,\"delta\":{},\"finish_reason\":null}");
    }
    sim_j_close(&c->json, ']');
    sim_usage_chat(&c->json, "usage", c->turn);
    sim_j_close(&c->json, '}');
    emit(c);
}

static bool wants_usage_chunk(const struct chunks *c)
{
    return c->asked && c->mode != SIM_USAGE_MISSING && c->mode != SIM_USAGE_EARLY &&
           c->mode != SIM_USAGE_FINISH && c->mode != SIM_USAGE_EACH;
}

void sim_chat_stream(struct sim_reply *r, const struct sim_turn *turn)
{
    struct chunks c = { .r = r, .turn = turn, .mode = sim_usage_mode(turn->cmd) };

    c.asked = turn->ask->include_usage || c.mode == SIM_USAGE_ALWAYS;
    sim_sse_begin(r, turn->cmd);
    do {
        choice_chunks(&c);
    } while (++c.choice < turn->ask->n);
    if (wants_usage_chunk(&c)) {
        usage_chunk(&c);
        if (c.mode == SIM_USAGE_DOUBLE) {
            usage_chunk(&c);
        }
    }
    if (turn->cmd->no_done <= 0) {
        sim_sse_add(r, turn->cmd, NULL, "[DONE]", 6);
    }
    sim_sse_finish(r, turn->cmd);
    sim_buf_free(&c.json);
}
