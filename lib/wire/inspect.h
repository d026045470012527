/* What a piece of an upstream's answer means: the eyes of pass-through.
 *
 * Pass-through forwards bytes, but it has to meter them, to find the model name in them, and to
 * know whether the answer is whole. This looks at one event (or one whole reply) by scanning:
 * no tree is built, nothing is copied. */
#ifndef MG_WIRE_INSPECT_H
#define MG_WIRE_INSPECT_H

#include "base/str.h"
#include "wire/family.h"

#include <stdbool.h>
#include <stdint.h>

struct mg_inspection {
    struct mg_span model;    /* value of the model member (with quotes), n = 0: none */
    struct mg_span usage;    /* usage object, n = 0: none */
    struct mg_span response; /* Responses: the response object the event carries */
    int64_t sequence;        /* Responses: sequence_number, -1 = none */
    size_t content;          /* bytes of generated text, reasoning, arguments */
    unsigned finished;       /* Chat, Completions: choices that ended with this event */
    int64_t choice;          /* Chat, Completions: largest choice index seen, -1 = none */
    bool usage_only;         /* Chat, Completions: usage and no choices */
    bool partial_usage;      /* Messages: message_start, whose output figure is not final */
    bool stop_reason;        /* Messages: the end reason has been stated */
    bool terminal;           /* nothing comes after this: the answer is complete (or failed) */
    bool error;              /* the upstream reports a failure */
    bool bare_error;         /* Chat, Completions: the message itself is the error */
};

/* Looks at the data of one event of a stream. false: it is not JSON of this family. */
bool mg_inspect_event(enum mg_family family, struct mg_span data, struct mg_inspection *seen)
    __attribute__((nonnull));
/* Looks at a whole reply. false: it is no JSON object. */
bool mg_inspect_body(enum mg_family family, struct mg_span body, struct mg_inspection *seen)
    __attribute__((nonnull));

#endif
