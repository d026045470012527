/* What an answer says, read from any format by the shortest way: for comparing both sides of a
 * translation. Shares no code with the translation. */
#ifndef MG_T_WIRE_SUMMARY_H
#define MG_T_WIRE_SUMMARY_H

#include "base/str.h"
#include "wire/family.h"

#include <stdbool.h>

/* Appends one line a fact: text, refusal, calls with their arguments, why it ended, tokens. A
 * stream that is not whole has no end. */
void summarize_stream(enum mg_family family, struct mg_span sse, struct mg_str *out);
void summarize_body(enum mg_family family, struct mg_span body, struct mg_str *out);
/* How many events of the stream end it, with success or not. */
int count_ends(enum mg_family family, struct mg_span sse, bool *success);

#endif
