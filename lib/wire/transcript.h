/* What a client saw of a stream, as the object that the stream told of.
 *
 * For keeping answers: the same object that a reply in one piece would have been. A stream that
 * came to its end says it all in its last event (Responses) or in the sum of its chunks (Chat).
 * One that was cut gives what had arrived: unfinished items are "incomplete", choices without a
 * finish_reason end by "length", and the status says why it ended. Pure. */
#ifndef MG_WIRE_TRANSCRIPT_H
#define MG_WIRE_TRANSCRIPT_H

#include "base/str.h"
#include "wire/family.h"
#include "wire/usage.h"

#include <stdbool.h>
#include <stdint.h>

enum mg_transcript_end {
    MG_TRANSCRIPT_WHOLE,     /* the stream has its own end: believe it */
    MG_TRANSCRIPT_LEFT,      /* the client left, and the generation was stopped */
    MG_TRANSCRIPT_FAILED     /* anything else */
};

struct mg_transcript {
    struct mg_str object;    /* JSON */
    struct mg_str tail;      /* Responses: a terminal event for a stream that lacks one */
    int64_t first, last;     /* Responses: sequence_numbers, the tail's too; -1 = none */
    bool failed;             /* an error was told inside the stream */
    bool whole;              /* it ended as it should */
};

/* Reads `events`, the bytes of a stream of Chat or Responses. `usage` is written into a Chat
 * object whose stream did not show it. 0; -1 when nothing in it has an id yet. Free in any case
 * with mg_transcript_free. */
int mg_transcript_read(enum mg_family family, struct mg_span events, const struct mg_usage *usage,
                       enum mg_transcript_end end, struct mg_transcript *transcript)
    __attribute__((nonnull, warn_unused_result));
void mg_transcript_free(struct mg_transcript *transcript) __attribute__((nonnull));

/* The two formats; inside of transcript.c. */
int mg_transcript_chat(struct mg_span events, const struct mg_usage *usage,
                       struct mg_transcript *transcript)
    __attribute__((nonnull, warn_unused_result));
int mg_transcript_responses(struct mg_span events, enum mg_transcript_end end,
                            struct mg_transcript *transcript)
    __attribute__((nonnull, warn_unused_result));

#endif
