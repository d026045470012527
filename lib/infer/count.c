#include "infer/count.h"

#include "infer/plan.h"
#include "infer/tally.h"
#include "wire/count.h"

#define DEFAULT_VERSION "2023-06-01"

/* The upstream's count of the client's own words; 0 when it gives none. */
static int
ask_upstream(struct mg_app *app, struct mg_request *req, struct mg_plan *plan, int64_t *tokens)
{
    struct mg_err err = MG_ERR_INIT;
    struct mg_str body;
    int known = 0;
    if (!mg_plan_passes(plan) || app->conf->count_timeout_ms == 0)
        return 0;
    bool messages = plan->client == MG_MESSAGES;
    struct mg_tally_question q = {
        .upstream = plan->model->upstream,
        .family = plan->client,
        .version = messages ? DEFAULT_VERSION : NULL,
        .beta = messages ? mg_request_header(req, "anthropic-beta") : NULL,
        .timeout_ms = app->conf->count_timeout_ms,
    };
    if (mg_plan_upward(app, req, plan, -1, &body, &err) == 0) {
        q.body = mg_str_span(&body);
        known = mg_tally_ask(app->tally, app->abilities, &q, tokens);
    }
    mg_str_free(&body);
    mg_err_free(&err);
    return known;
}

int
mg_count_tokens(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
                enum mg_family family, int64_t *tokens, struct mg_err *err)
{
    struct mg_plan plan;
    int rc = mg_plan_count(app, req, who, family, &plan, err);
    /* A suspended account may count, but nobody else works for it. */
    if (rc == 0 && (who->suspended || ask_upstream(app, req, &plan, tokens) == 0))
        *tokens = mg_facts_scaled(&plan.facts, mg_count_input(family, plan.upstream, plan.tree,
                                                              MG_COUNT_CAREFUL));
    mg_plan_free(&plan);
    return rc;
}
