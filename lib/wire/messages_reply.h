/* Decoder of Messages: streams of content blocks and whole `message` objects.
 *
 * Blocks are explicit here, so this is nearly a renaming. What has no meaning in another format
 * (server tools and their results) is left out. The proof of a thinking block is its signature
 * together with the text it signs; of a redacted one, its data. */
#ifndef MG_WIRE_MESSAGES_REPLY_H
#define MG_WIRE_MESSAGES_REPLY_H

#include "wire/decoder.h"

/* Events go to `sink`, figures to *usage. Free through ops->free. */
struct mg_decoder *mg_messages_reply_new(struct mg_sink sink, struct mg_usage *usage)
    __attribute__((nonnull, warn_unused_result));

#endif
