/* The stream of a response that is still generated, read by somebody else: another process, a
 * client that comes back.
 *
 * What the generating process has put away is fetched piece by piece and sent on, until the
 * terminal event. No worker waits: a timer on an event loop asks, a clerk reads the database.
 * Every follower costs a query several times a second, so a process has only so many. */
#ifndef MG_INFER_FOLLOW_H
#define MG_INFER_FOLLOW_H

#include "http/request.h"
#include "infer/app.h"
#include "store/object.h"

/* Streams the events behind `after` (sequence_number, -1 = all). 0: a loop has the request now;
 * -1 with err: 503 when too many are followed here. */
int mg_follow(struct mg_app *app, struct mg_request *req, const struct mg_object *object,
              int64_t after, struct mg_err *err) __attribute__((nonnull, warn_unused_result));

#endif
