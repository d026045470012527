/*
 * Where the commands of a request come from: process defaults, then the request's text, then its
 * x-sim header; a later one wins. Also counts how often a set of commands was used, for times= and
 * skip=. Safe for all threads.
 */
#ifndef SIM_SCRIPT_H
#define SIM_SCRIPT_H

#include "ask.h"
#include "cmd.h"

/* Replaces the defaults of the process by those commands (text form). initial: they are also what
 * sim_script_reset() goes back to. Returns NULL, or what is wrong (static or in the pool). */
const char *sim_script_defaults(struct sim_pool *pool, const char *text, bool initial);

/* Reads all commands for a request. header is the value of x-sim or NULL. Returns NULL, or what is
 * wrong. */
const char *sim_script_read(struct sim_cmd *cmd, struct sim_pool *pool, const char *text,
                            const char *header);

/* The defaults as text, in the pool. */
const char *sim_script_show(struct sim_pool *pool);

/* Back to the initial defaults, and every use counted anew. */
void sim_script_reset(void);

#endif
