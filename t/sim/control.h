/*
 * The control door: everything under /_sim/. It scripts the provider and asks what it saw; it is
 * never recorded and never scripted itself.
 */
#ifndef SIM_CONTROL_H
#define SIM_CONTROL_H

#include "http.h"
#include "reply.h"

/* Answers a request whose path starts with /_sim/. */
void sim_control(struct sim_reply *r, const struct sim_request *req);

#endif
