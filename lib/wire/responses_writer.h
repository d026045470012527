/* Encoder of Responses: the stream of events around output items, or one `response`.
 *
 * Every item has its window (added … done), every part its window inside, and the final
 * response repeats exactly the items that were announced. A turn without text has no message
 * item. */
#ifndef MG_WIRE_RESPONSES_WRITER_H
#define MG_WIRE_RESPONSES_WRITER_H

#include "wire/encoder.h"

struct mg_encoder *mg_responses_writer_new(const struct mg_reply *reply)
    __attribute__((nonnull, warn_unused_result));

#endif
