/* Log probabilities of output tokens. Chat Completions and Responses write them alike, but for
 * members that one of them may leave out. */
#ifndef MG_WIRE_LOGPROBS_H
#define MG_WIRE_LOGPROBS_H

#include "base/str.h"
#include "json/writer.h"

#include <stdint.h>

/* Writes the same in the shape of legacy Completions: parallel lists of tokens, their values,
 * the best tokens, and the characters of text before each, counted on from *offset. */
void mg_logprobs_legacy(struct mg_jw *w, const char *key, struct mg_span json, int64_t *offset)
    __attribute__((nonnull));
/* Appends the entries of a JSON array to `list`, elements of a JSON array without its brackets. */
void mg_logprobs_append(struct mg_str *list, struct mg_span json) __attribute__((nonnull));
/* Writes the entries of a JSON array into the array that is open in `w`, each with all members
 * that either format requires; numbers keep their spelling. What is no entry is left out. */
void mg_logprobs_write(struct mg_jw *w, struct mg_span json) __attribute__((nonnull));

#endif
