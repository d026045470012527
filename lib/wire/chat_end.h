/* What the finish_reason of a Chat Completions choice says.
 *
 * Beside the words of the format those that servers of the format use: `eos`, `max_tokens`,
 * `model_length`, `sensitive` … A word for an answer that broke off is no end: such an answer
 * must not look whole. */
#ifndef MG_WIRE_CHAT_END_H
#define MG_WIRE_CHAT_END_H

#include "wire/event.h"

/* 1: the answer ended, *end says why; 0: it goes on (also for NULL); -1: it broke off. */
int mg_chat_end(const char *reason, enum mg_end *end) __attribute__((nonnull(2)));

#endif
