/* Encoder of Chat Completions: chunks, or one `chat.completion`.
 *
 * Reasoning goes into `reasoning_content`, its proof into `reasoning_details`: members that the
 * published schema does not have, but that clients of reasoning models read. */
#ifndef MG_WIRE_CHAT_WRITER_H
#define MG_WIRE_CHAT_WRITER_H

#include "wire/encoder.h"

struct mg_encoder *mg_chat_writer_new(const struct mg_reply *reply)
    __attribute__((nonnull, warn_unused_result));
/* "stop", "length", "tool_calls", "content_filter". */
const char *mg_chat_finish_reason(enum mg_end end);

#endif
