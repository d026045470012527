/* Encoder of legacy Completions: partial `text_completion` objects, or one.
 *
 * Only text exists in this format: reasoning is left out, a refusal is text. The prompt goes
 * first where the client asked to have it echoed. */
#ifndef MG_WIRE_COMPLETIONS_WRITER_H
#define MG_WIRE_COMPLETIONS_WRITER_H

#include "wire/encoder.h"

struct mg_encoder *mg_completions_writer_new(const struct mg_reply *reply)
    __attribute__((nonnull, warn_unused_result));

#endif
