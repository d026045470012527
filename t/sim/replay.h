/*
 * Prepared replies: bytes that a test registers for the next request(s), with their own status,
 * headers, write sizes and delays. This is how recordings of real traffic and arbitrary garbage are
 * played back. Safe for all threads.
 */
#ifndef SIM_REPLAY_H
#define SIM_REPLAY_H

#include "http.h"
#include "js.h"
#include "reply.h"

/*
 * Queues the reply that o describes (README.md lists its members). Returns NULL, or what is wrong
 * (static text).
 */
const char *sim_replay_add(struct json_object *o);

/* Fills r from the first queued reply that fits the request. Returns false when there is none. */
bool sim_replay_take(struct sim_reply *r, const struct sim_request *req);

/* How many replies wait. */
size_t sim_replay_count(void);

void sim_replay_clear(void);

#endif
