#include "infer/compact.h"

#include "base/log.h"
#include "http/body.h"
#include "infer/generate.h"
#include "json/parse.h"
#include "json/scan.h"
#include "wire/compact.h"

#include <stdlib.h>

#define SLACK 4096

/* What is compacted. */
static struct mg_span
input_of(struct mg_span body)
{
    struct mg_span input;
    return mg_scan_member(body, "input", &input) == 1 ? input : (struct mg_span){"", 0};
}

/* Replaces the body by the same wish as a Responses request. */
static int
rewrite(struct mg_request *req, struct mg_span body, struct mg_span input, bool trigger,
        struct mg_err *err)
{
    struct mg_str own;
    mg_str_init(&own, body.n + input.n + SLACK);
    if (mg_compact_ask(body, input, trigger, &own) != 0) {
        mg_str_free(&own);
        return mg_err_internal(err, "a compaction does not fit its buffer");
    }
    mg_body_replace(req, &own);
    return 0;
}

static int
plan_compaction(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
                struct mg_span body, struct mg_span input, struct mg_plan *plan,
                struct mg_err *err)
{
    struct mg_str kept;
    if (rewrite(req, body, input, true, err) != 0 ||
        mg_plan_make(app, req, who, MG_RESPONSES, plan, err) != 0)
        return -1;
    if (mg_plan_passes(plan)) { /* its own endpoint */
        plan->path = "/responses/compact";
        plan->hold.least = plan->hold.want; /* it takes no limit that could be lowered */
        return rewrite(req, body, input, false, err);
    }
    mg_str_init(&kept, 2 * input.n + SLACK);
    mg_compact_keep(input, req->id_text + 4, &kept);
    plan->kept = mg_str_take(&kept);
    return 0;
}

static int
check(struct mg_span body, struct mg_err *err)
{
    struct json_object *tree = NULL;
    int rc = mg_json_parse(body.p, body.n, &tree, err);
    if (rc == 0)
        rc = mg_compact_check(tree, true, err);
    const char *previous = mg_json_text(tree, "previous_response_id");
    if (rc == 0 && previous != NULL)
        rc = mg_err_param(err, 400, "previous_response_not_found", "previous_response_id",
                          "Previous response with id '%.64s' not found.", previous);
    json_object_put(tree);
    return rc;
}

int
mg_compact(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
           struct mg_err *err)
{
    struct mg_plan plan = {0};
    struct mg_str sent;
    if (check(req->body, err) != 0)
        return -1;
    mg_str_init(&sent, req->body.n);
    mg_str_addspan(&sent, req->body); /* the request's own is written anew */
    int rc = plan_compaction(app, req, who, mg_str_span(&sent), input_of(mg_str_span(&sent)),
                             &plan, err);
    mg_str_free(&sent);
    if (rc == 0)
        return mg_generate_plan(app, req, who, &plan, err);
    mg_plan_free(&plan);
    return -1;
}

int
mg_compact_finish(const struct mg_plan *plan, struct mg_str *reply, struct mg_err *err)
{
    struct mg_str object;
    mg_str_init(&object, reply->max);
    if (mg_compact_reply(mg_str_span(reply), mg_span_z(plan->kept), &object) != 0) {
        mg_str_free(&object);
        return mg_err_set(err, 502, "upstream_invalid_reply",
                          "The upstream's reply holds no compaction.");
    }
    mg_str_free(reply);
    *reply = object;
    return 0;
}
