/* Encoder of Messages: the stream of content blocks, or one `message`.
 *
 * message_start states an estimate of the input, because that is what clients fill their
 * context meters from; message_delta states the figures of the upstream. */
#ifndef MG_WIRE_MESSAGES_WRITER_H
#define MG_WIRE_MESSAGES_WRITER_H

#include "wire/encoder.h"

struct mg_encoder *mg_messages_writer_new(const struct mg_reply *reply)
    __attribute__((nonnull, warn_unused_result));

#endif
