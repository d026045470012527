/* Reasoning of earlier turns: which of it an upstream is given back.
 *
 * A proof (signature, encrypted text) goes only to the format, and where that is known to the
 * upstream, that made it. All other reasoning is left out: the models ignore what they did not
 * write, or refuse the request over it. */
#ifndef MG_WIRE_REASONING_H
#define MG_WIRE_REASONING_H

#include "wire/crossing.h"

/* A native block of Messages (thinking, redacted_thinking) or item of Responses (reasoning),
 * or what the gateway packed into one. Appended to the message; false when it is nothing that
 * could be given back to anybody. */
bool mg_reasoning_read_messages(struct mg_crossing *x, struct mg_message *message,
                                struct mg_node *block, const char *at) __attribute__((nonnull));
bool mg_reasoning_read_responses(struct mg_crossing *x, struct mg_message *message,
                                 struct mg_node *item, const char *at) __attribute__((nonnull));
/* Removes the reasoning blocks that the upstream must not see. */
void mg_reasoning_filter(struct mg_crossing *x) __attribute__((nonnull));

#endif
