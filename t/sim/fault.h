/*
 * Faults: what a broken provider does to a reply that was rendered whole. Each one either changes
 * the bytes or sets where the sender stops.
 */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

#include "ask.h"
#include "reply.h"

/*
 * Applies fault=… to r. Returns NULL, or a sentence when the name is unknown (the caller refuses
 * the request, so that a misspelt test is noticed).
 */
const char *sim_fault_apply(struct sim_reply *r, const struct sim_cmd *cmd, enum sim_family family);

#endif
