/* The gate: who may pass to a route. Called by the router before the body is read. */
#ifndef MG_SERVICE_GATE_H
#define MG_SERVICE_GATE_H

#include "http/route.h"

/* Authenticates by the route's `auth` and leaves the caller in req->user. 0, or -1 with a 401
 * or 503, or on the VIP endpoint without access a 403. `context` is the process's struct mg_app. */
int mg_gate_pass(struct mg_request *req, void *context, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
