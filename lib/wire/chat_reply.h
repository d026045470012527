/* Decoder of Chat Completions: `chat.completion.chunk` streams and `chat.completion` bodies.
 *
 * The format has no blocks: a block ends when a piece of another kind comes or when the choice
 * finishes. Parallel tool calls may be told in turns (by index, or by id where the upstream
 * leaves the index out). Usage may come with the finish, behind it, or never; the answer is
 * finished only when [DONE], a usage chunk or the end of the stream has been seen. Only the
 * choice with index 0 is read. */
#ifndef MG_WIRE_CHAT_REPLY_H
#define MG_WIRE_CHAT_REPLY_H

#include "wire/decoder.h"

/* Events go to `sink`, figures to *usage. Free through ops->free. */
struct mg_decoder *mg_chat_reply_new(struct mg_sink sink, struct mg_usage *usage)
    __attribute__((nonnull, warn_unused_result));

#endif
