/* The parts of a Messages request that hold the conversation. */
#ifndef MG_WIRE_MESSAGES_BODY_H
#define MG_WIRE_MESSAGES_BODY_H

#include "json/writer.h"
#include "wire/crossing.h"

/* Writes `system` from the system messages at the beginning and `more` (empty = nothing).
 * Returns the first message behind them. */
const struct mg_message *mg_messages_body_system(struct mg_crossing *x, struct mg_jw *w,
                                                 struct mg_span more) __attribute__((nonnull));
/* Writes `messages`: roles alternate, no text is blank, no message empty. 0; -1 with a 400 when
 * nothing is left, or when the conversation ends with the assistant. */
int mg_messages_body_talk(struct mg_crossing *x, struct mg_jw *w, const struct mg_message *first)
    __attribute__((nonnull(1, 2), warn_unused_result));

#endif
