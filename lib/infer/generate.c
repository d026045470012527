#include "infer/generate.h"

#include "base/alloc.h"
#include "infer/admission.h"

#include <stdio.h>

#define STREAM_SLACK ((size_t)16 << 20) /* what may wait for a client beyond a whole reply */

static int
check_account(const struct mg_principal *who, struct mg_err *err)
{
    if (!who->suspended)
        return 0;
    mg_err_set(err, 429, "account_suspended",
               "This account is suspended. Write to support to have it reopened.");
    snprintf(err->type, sizeof(err->type), "usage_limit_reached");
    err->no_retry = true;
    return -1;
}

static struct mg_exchange *
prepare(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
        const struct mg_plan *plan, const struct mg_str *upward)
{
    struct mg_exchange *x = mg_calloc(1, sizeof(*x));
    size_t limit = (size_t)app->conf->reply_limit;
    x->app = app;
    x->loop = app->loops[atomic_fetch_add(&app->next_loop, 1) % app->loop_count];
    x->req = req;
    x->who = who;
    x->plan = *plan;
    x->upward = *upward;
    mg_err_init(&x->err);
    mg_str_init(&x->body, limit);
    mg_str_init(&x->out, limit + STREAM_SLACK);
    x->stream = mg_stream_open(req, limit + STREAM_SLACK);
    return x;
}

int
mg_generate_plan(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
                 struct mg_plan *plan, struct mg_err *err)
{
    struct mg_str upward;
    mg_str_init(&upward, 0);
    if (check_account(who, err) != 0 || mg_plan_upward(app, req, plan, -1, &upward, err) != 0) {
        mg_str_free(&upward);
        mg_plan_free(plan);
        return -1;
    }
    atomic_fetch_add(&app->active, 1);
    mg_admission_ask(prepare(app, req, who, plan, &upward));
    return 0;
}

int
mg_generate(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
            enum mg_family family, struct mg_err *err)
{
    struct mg_plan plan = {0};
    if (check_account(who, err) == 0 && mg_plan_make(app, req, who, family, &plan, err) == 0)
        return mg_generate_plan(app, req, who, &plan, err);
    mg_plan_free(&plan);
    return -1;
}
