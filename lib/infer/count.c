#include "infer/count.h"

#include "infer/plan.h"
#include "wire/count.h"

int
mg_count_tokens(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
                enum mg_family family, int64_t *tokens, struct mg_err *err)
{
    struct mg_plan plan;
    int rc = mg_plan_count(app, req, who, family, &plan, err);
    if (rc == 0)
        *tokens = mg_count_input(family, plan.upstream, plan.tree, MG_COUNT_CAREFUL);
    mg_plan_free(&plan);
    return rc;
}
