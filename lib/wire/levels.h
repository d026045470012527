/* How hard a model thinks: the words for it, shared by requests, model lists and the catalogue. */
#ifndef MG_WIRE_LEVELS_H
#define MG_WIRE_LEVELS_H

#include "base/str.h"

/* Reasoning effort, lowest first. */
enum mg_effort {
    MG_EFFORT_UNSET,
    MG_EFFORT_NONE,
    MG_EFFORT_MINIMAL,
    MG_EFFORT_LOW,
    MG_EFFORT_MEDIUM,
    MG_EFFORT_HIGH,
    MG_EFFORT_XHIGH,
    MG_EFFORT_MAX
};

/* The levels that nearly every model with reasoning has, as bits 1 << level. */
#define MG_EFFORTS_USUAL (1U << MG_EFFORT_LOW | 1U << MG_EFFORT_MEDIUM | 1U << MG_EFFORT_HIGH)

/* How a Messages destination is told to think. */
enum mg_thinking_style {
    MG_THINKING_BUDGET, /* thinking:{type:enabled,budget_tokens} */
    MG_THINKING_EFFORT  /* thinking:{type:adaptive} and output_config.effort */
};

/* "none", "minimal", "low", "medium", "high", "xhigh", "max" → effort; MG_EFFORT_UNSET for a
 * word that is none of them. */
enum mg_effort mg_effort_parse(struct mg_span word);
/* The word; "" for MG_EFFORT_UNSET. */
const char *mg_effort_word(enum mg_effort effort);

#endif
