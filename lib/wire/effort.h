/* How hard the model shall think, in the words of each format.
 *
 * Chat and Responses name an effort; Messages gives a budget in tokens, or an effort for newer
 * models. The table of equals is in lib/wire/README.md. */
#ifndef MG_WIRE_EFFORT_H
#define MG_WIRE_EFFORT_H

#include "json/writer.h"
#include "wire/crossing.h"

/* The best level at or below `effort` that the set (bits 1 << level, 0 = low, medium, high) has,
 * or the lowest above when it has none. */
enum mg_effort mg_effort_nearest(unsigned set, enum mg_effort effort);
/* The effort that the turn asks of a Chat or Responses upstream; MG_EFFORT_UNSET = say nothing.
 * Notes a wish that the model cannot be told. */
enum mg_effort mg_effort_wanted(struct mg_crossing *x) __attribute__((nonnull));

/* What a Messages upstream is told about thinking. */
struct mg_thinking_plan {
    enum mg_thinking mode;   /* UNSET: no `thinking` member */
    int64_t budget;          /* MG_THINKING_ON */
    enum mg_effort effort;   /* for output_config; MG_EFFORT_UNSET = none */
};

/* Decides so that the upstream accepts it: a forced tool, a limit that leaves no room, and an
 * unfinished tool loop whose thinking is not at hand switch thinking off. `limit` is the
 * max_tokens that will be sent, `forced` says that a tool call is forced. */
struct mg_thinking_plan mg_effort_plan(const struct mg_crossing *x, int64_t limit, bool forced)
    __attribute__((nonnull));

#endif
