/* What the gateway remembers for a request, and what it is to remember of it.
 *
 * References to earlier answers are replaced by what they refer to, so that the request that
 * goes on is complete in itself; then the keep of its answer is made (infer/keep.h). */
#ifndef MG_INFER_RECALL_H
#define MG_INFER_RECALL_H

#include "infer/plan.h"

/* For a plan whose facts are read and whose model is chosen. May replace req->body, the plan's
 * tree and its facts. 0; -1 with err: see mg_chain_expand and mg_keep_make. */
int mg_recall(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
              struct mg_plan *plan, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* The same for a request that is only counted: nothing is kept, and the facts stay as they are. */
int mg_recall_count(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
                    struct mg_plan *plan, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
