/*
 * The words of the simulated model: what it says when the script does not give the text itself.
 * All results live in the pool of the turn or are static.
 */
#ifndef SIM_SAY_H
#define SIM_SAY_H

#include "turn.h"

/* n words in a fixed order, so that a test can compute them: "alpha beta gamma ...". */
const char *sim_say_words(struct sim_pool *pool, int64_t n);

/* A friendly sentence that repeats the user's text, or the last tool result. */
const char *sim_say_greeting(const struct sim_turn *turn);

/* The smallest JSON that fits the structured output which the request asks for. */
const char *sim_say_structured(const struct sim_turn *turn);

/* What text=, words=, bytes= or bigline= want said; NULL when none of them was given. */
const char *sim_say_wanted(const struct sim_turn *turn);

#endif
