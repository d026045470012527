/* The stream of a response that was not streamed, or is streamed again.
 *
 * From the object alone the whole sequence of events is made that a streamed reply would have
 * had: numbered from 0, every item added and done, every text as one delta, one terminal event.
 * The same object always gives the same events, so that a reader may go on where it was. Pure. */
#ifndef MG_WIRE_REPLAY_H
#define MG_WIRE_REPLAY_H

#include "base/str.h"

#include <stdint.h>

/* Appends the events of a `response` object (JSON) whose number is above `after` (-1 = all). A
 * response that is not at its end yet gives no terminal event. 0, or -1 when it is no response
 * or out is full. */
int mg_replay_object(struct mg_span response, int64_t after, struct mg_str *out)
    __attribute__((nonnull, warn_unused_result));
/* Appends those of `events`, stored bytes of a stream, whose sequence_number is above `after`.
 * What has no number (signs of life) is left out. 0, or -1 when they cannot be read. */
int mg_replay_events(struct mg_span events, int64_t after, struct mg_str *out)
    __attribute__((nonnull, warn_unused_result));

#endif
