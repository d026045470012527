/* The compaction endpoint of the Responses family: one more kind of generation.
 *
 * An upstream that compacts by itself gets the request as it is; elsewhere the model is asked for
 * a summary. Either way it is admitted, held, metered and billed like every generation, and the
 * reply shows its usage. */
#ifndef MG_INFER_COMPACT_H
#define MG_INFER_COMPACT_H

#include "http/request.h"
#include "identity/principal.h"
#include "infer/app.h"
#include "infer/plan.h"

/* Answers POST /v1/responses/compact, whose body has been read. 0: an event loop has it now and
 * `req` must not be touched; -1 with err: as mg_generate. */
int mg_compact(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
               struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* The same for POST /v1/responses/{id}/compact: the conversation up to and with that response, by
 * its model unless the body (which may be empty) names another. */
int mg_compact_stored(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
                      const char *id, const char *model, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Makes a compaction object of the whole reply to a plan of this kind. 0; -1 with err 502 when
 * the model has made no summary. */
int mg_compact_finish(const struct mg_plan *plan, struct mg_str *reply, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
