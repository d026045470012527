/* The one flow that all inference routes share, in its worker: plan, then hand over to a loop. */
#ifndef MG_INFER_GENERATE_H
#define MG_INFER_GENERATE_H

#include "http/request.h"
#include "identity/principal.h"
#include "infer/app.h"
#include "infer/plan.h"
#include "wire/family.h"

/* Answers a generation request of `family` whose body has been read. 0: an event loop has it
 * now and `req` must not be touched (402 and 503 of the ledger are told there); -1 with err:
 * 400, 404, 422, 429, 503, nothing was spent. */
int mg_generate(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
                enum mg_family family, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* The same for a plan that is ready, which is taken over in any case. */
int mg_generate_plan(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
                     struct mg_plan *plan, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
