/* Decoder of Responses: streams of `response.*` events and whole `response` objects.
 *
 * Everything in this format is told several times: in deltas, in the done event of the text, of
 * the part, of the item, and in the final response. Upstreams leave some of these out. What was
 * not told by deltas is taken from whichever later event has it, exactly once. */
#ifndef MG_WIRE_RESPONSES_REPLY_H
#define MG_WIRE_RESPONSES_REPLY_H

#include "wire/decoder.h"

/* Events go to `sink`, figures to *usage. Free through ops->free. */
struct mg_decoder *mg_responses_reply_new(struct mg_sink sink, struct mg_usage *usage)
    __attribute__((nonnull, warn_unused_result));

#endif
