/*
 * Usage figures as each family spells them, and the ways a provider gets them wrong.
 */
#ifndef SIM_USAGE_H
#define SIM_USAGE_H

#include "buf.h"
#include "turn.h"

enum sim_usage_mode {
    SIM_USAGE_NORMAL,
    SIM_USAGE_MISSING, /* the member is left out everywhere */
    SIM_USAGE_NULL,
    SIM_USAGE_ZERO,
    SIM_USAGE_DOUBLE, /* the event that carries it comes twice */
    SIM_USAGE_EARLY,  /* in the first event, not in the last */
    SIM_USAGE_LATE,   /* Chat: beside a choice, after the end; Messages: zeros first */
    SIM_USAGE_FINISH, /* Chat: in the chunk of the finish reason */
    SIM_USAGE_EACH,   /* Chat: growing, in every chunk */
    SIM_USAGE_ALWAYS  /* Chat: without having been asked */
};

enum sim_usage_mode sim_usage_mode(const struct sim_cmd *cmd);

/* Member key with the figures of Chat Completions and Completions. */
void sim_usage_chat(struct sim_buf *b, const char *key, const struct sim_turn *turn);

/* The same with out output tokens so far. */
void sim_usage_chat_so_far(struct sim_buf *b, const char *key, const struct sim_turn *turn,
                           int64_t out);

/* Figures of a Responses object. */
void sim_usage_responses(struct sim_buf *b, const char *key, const struct sim_turn *turn);

/* Figures of a whole message, or of message_start when started is true. */
void sim_usage_message(struct sim_buf *b, const char *key, const struct sim_turn *turn,
                       bool started);

/* Figures of message_delta. */
void sim_usage_delta(struct sim_buf *b, const char *key, const struct sim_turn *turn);

#endif
