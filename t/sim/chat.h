/*
 * What the two halves of the Chat Completions format (chat.c, chat_stream.c) share.
 */
#ifndef SIM_CHAT_H
#define SIM_CHAT_H

#include "render.h"

/* Starts an object of the given kind in an emptied buffer; the caller adds choices and closes. */
void sim_chat_head(struct sim_buf *b, const struct sim_turn *turn, const char *object);

/* The function or custom member of a call with n bytes of arguments; no name when part has none. */
void sim_chat_call_body(struct sim_buf *b, const struct sim_part *part, const char *text, size_t n);

bool sim_chat_is_call(const struct sim_part *part);
bool sim_chat_has_calls(const struct sim_turn *turn);

/* Renders the turn as chat.completion.chunk events. */
void sim_chat_stream(struct sim_reply *r, const struct sim_turn *turn);

#endif
