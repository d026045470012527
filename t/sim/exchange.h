/*
 * From a request to its reply: route, record, read, check, script, render, break.
 */
#ifndef SIM_EXCHANGE_H
#define SIM_EXCHANGE_H

#include "http.h"
#include "reply.h"

/*
 * Fills the initialised reply. Returns the request's number in the recorder, 0 for a control
 * request.
 */
uint64_t sim_exchange(struct sim_reply *r, const struct sim_request *req);

#endif
