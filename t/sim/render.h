/*
 * The wire formats: each function turns an answer (turn.h) into the reply of one family, as one
 * JSON body or as an event stream. Nothing is sent here.
 */
#ifndef SIM_RENDER_H
#define SIM_RENDER_H

#include "reply.h"
#include "turn.h"

void sim_render_chat(struct sim_reply *r, const struct sim_turn *turn);
void sim_render_completions(struct sim_reply *r, const struct sim_turn *turn);
void sim_render_messages(struct sim_reply *r, const struct sim_turn *turn);
void sim_render_responses(struct sim_reply *r, const struct sim_turn *turn);

/* The `response.compaction` object of POST /v1/responses/compact. */
void sim_render_compact(struct sim_reply *r, const struct sim_turn *turn);

/* finish_reason of Chat Completions and Completions. */
const char *sim_render_finish(const struct sim_turn *turn);

/* Id of the tool call number i, with the prefix of its family. */
const char *sim_render_call_id(const struct sim_turn *turn, const char *prefix, size_t i);

/*
 * Chat's `logprobs.content` array for n bytes of text: one entry a word piece, alternatives many
 * top_logprobs. Every figure is -0.125 and its multiples.
 */
void sim_render_logprobs(struct sim_buf *b, const char *key, const char *text, size_t n,
                         int64_t alternatives);

#endif
