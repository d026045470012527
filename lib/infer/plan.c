#include "infer/plan.h"

#include "base/clock.h"
#include "http/reply.h"
#include "identity/allowance.h"
#include "infer/ability.h"
#include "infer/keep.h"
#include "infer/recall.h"
#include "json/parse.h"
#include "wire/compact.h"
#include "wire/count_request.h"
#include "wire/needs.h"
#include "wire/purge.h"
#include "wire/translate.h"
#include "wire/upward.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UPWARD_SLACK 65536 /* what the changed members may add to a body */
#define DROPPED_MAX 2048   /* bytes of a header */

/* The snapshot, and in it the model that the request means. */
static int
choose_model(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
             struct mg_plan *plan, struct mg_err *err)
{
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    plan->catalogue = mg_catalogue_get(app->catalogue, db, who->catalogue, err);
    mg_db_pool_put(app->db, db);
    if (plan->catalogue == NULL)
        return -1;
    const char *asked = plan->facts.model;
    if (asked == NULL)
        asked = who->default_model[0] != '\0' ? who->default_model : app->conf->managed_alias;
    plan->asked = mg_pool_strdup(req->pool, asked);
    plan->model = mg_catalogue_find(plan->catalogue, asked);
    if (plan->model != NULL) {
        mg_facts_scale(&plan->facts, plan->model->token_factor);
        return 0;
    }
    return mg_err_param(err, 404, "model_not_found", "model",
                        "The model `%.100s` does not exist or is not offered here. GET /v1/models "
                        "lists the ones that are.", asked);
}

/* The format to speak with the upstream: the client's own when the upstream knows it. */
static enum mg_family
choose_format(enum mg_family client, const struct mg_upstream *upstream)
{
    return upstream->formats & 1u << client ? client : upstream->preferred;
}

bool
mg_plan_passes(const struct mg_plan *plan)
{
    return plan->client == plan->upstream && !plan->translate;
}

/* How to speak with the upstream. One that speaks Responses but has never heard of compactions is
 * asked for a summary, as the others are. */
static void
choose_words(struct mg_app *app, struct mg_plan *plan)
{
    plan->upstream = choose_format(plan->client, plan->model->upstream);
    if (plan->client == MG_RESPONSES && plan->upstream == MG_RESPONSES &&
        mg_compact_asked(plan->tree))
        plan->translate = !mg_ability_compacts(app->abilities, plan->model->upstream);
}

/* What the service itself cannot do for any destination. */
static int
check_possible(const struct mg_plan *plan, struct mg_err *err)
{
    const struct mg_facts *f = &plan->facts;
    if (f->thread) {
        mg_err_param(err, 400, "", "thread", "Server-side threads are not supported; send the "
                     "whole conversation in `messages`.");
        snprintf(err->details_json, sizeof(err->details_json),
                 "{\"error_code\":\"thread_unsupported_request\",\"unsupported\":[\"thread\"]}");
        return -1;
    }
    if (f->conversation != NULL)
        return mg_err_param(err, 400, "unsupported_parameter", "conversation",
                            "`conversation` objects are not supported; send `input` items.");
    if (f->background && !f->store)
        return mg_err_param(err, 400, "invalid_value", "background",
                            "A background response has to be stored: `store` must not be false.");
    return 0;
}

/* What this destination cannot take. Translation says that itself, more exactly, and has
 * substitutes for some of it. */
static int
check_taken(const struct mg_plan *plan, struct mg_err *err)
{
    unsigned lacks = ~plan->model->capabilities;
    struct mg_needs needs;
    if (!mg_plan_passes(plan) ||
        !(lacks & (MG_CAP_IMAGE | MG_CAP_PDF | MG_CAP_TOOLS | MG_CAP_STRUCTURED)))
        return 0;
    mg_needs_read(plan->client, plan->tree, &needs);
    const char *what = needs.image && lacks & MG_CAP_IMAGE             ? "take images"
                       : needs.pdf && lacks & MG_CAP_PDF               ? "take documents"
                       : needs.tools && lacks & MG_CAP_TOOLS           ? "take tools"
                       : needs.structured && lacks & MG_CAP_STRUCTURED ? "give structured output"
                                                                       : NULL;
    if (what == NULL)
        return 0;
    return mg_err_param(err, 400, "unsupported_content", "model",
                        "The model `%.100s` does not %s; choose one that does.", plan->asked,
                        what);
}

/* The upstream always streams, so that there is something to follow, to meter and to charge. */
static int
go_background(struct mg_plan *plan, struct mg_err *err)
{
    if (plan->keep == NULL)
        return mg_err_param(err, 413, "request_too_large", "input",
                            "The input is too large to be stored, as a background response has to "
                            "be.");
    plan->background = true;
    plan->at_once = !plan->facts.stream;
    plan->facts.stream = true;
    return 0;
}

int
mg_plan_make(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
             enum mg_family family, struct mg_plan *plan, struct mg_err *err)
{
    *plan = (struct mg_plan){.client = family, .account_id = who->account_id};
    if (mg_json_parse(req->body.p, req->body.n, &plan->tree, err) != 0 ||
        mg_facts_read(family, req->body, plan->tree, &plan->facts, err) != 0 ||
        choose_model(app, req, who, plan, err) != 0 ||
        mg_allowance_check(who, plan->asked, mg_now_ms(), err) != 0 ||
        check_possible(plan, err) != 0)
        return -1;
    choose_words(app, plan);
    if (mg_recall(app, req, who, plan, err) != 0)
        return -1;
    if (plan->facts.background && go_background(plan, err) != 0)
        return -1;
    if (check_taken(plan, err) != 0)
        return -1;
    mg_hold_first(&plan->model->price, &plan->facts, plan->model, app->conf->slice_tokens,
                  app->conf->default_max_output, &plan->hold);
    return 0;
}

int
mg_plan_count(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
              enum mg_family family, struct mg_plan *plan, struct mg_err *err)
{
    *plan = (struct mg_plan){.client = family, .account_id = who->account_id};
    if (mg_json_parse(req->body.p, req->body.n, &plan->tree, err) != 0 ||
        mg_count_request_read(family, plan->tree, &plan->facts, err) != 0 ||
        choose_model(app, req, who, plan, err) != 0 || check_possible(plan, err) != 0)
        return -1;
    plan->upstream = choose_format(family, plan->model->upstream);
    return mg_recall_count(app, req, who, plan, err);
}

/* What translation has to know of the model. */
static struct mg_destination
describe(const struct mg_app *app, const struct mg_model *m)
{
    return (struct mg_destination){
        .model = m->upstream_model,
        .origin = m->upstream->name,
        .image = m->capabilities & MG_CAP_IMAGE,
        .pdf = m->capabilities & MG_CAP_PDF,
        .tools = m->capabilities & MG_CAP_TOOLS,
        .structured = m->capabilities & MG_CAP_STRUCTURED,
        .reasoning = m->capabilities & MG_CAP_REASONING,
        .sampling = m->capabilities & MG_CAP_SAMPLING,
        .system_midway = m->capabilities & MG_CAP_SYSTEM_MIDWAY,
        .thinking = m->thinking,
        .efforts = m->efforts,
        .max_output = m->max_output,
        .default_max_output = app->conf->default_max_output,
    };
}

static int
translate(struct mg_app *app, struct mg_request *req, struct mg_plan *plan, int64_t lowered,
          struct mg_str *out, struct mg_err *err)
{
    struct mg_translate_in in = {
        .client = plan->client,
        .upstream = plan->upstream,
        .body = req->body,
        .tree = plan->tree,
        .stream = plan->facts.stream,
        .key = app->pack_key,
        .owner = plan->account_id,
        .to = describe(app, plan->model),
        .output_cap = lowered > 0 ? lowered : 0,
    };
    mg_translation_free(&plan->translation);
    return mg_translate_request(&in, out, &plan->translation, err);
}

/* The client's own bytes but for the members that the gateway answers for. */
static int
splice(struct mg_app *app, struct mg_request *req, struct mg_plan *plan, int64_t lowered,
       struct mg_str *out, struct mg_err *err)
{
    const struct mg_upward up = {plan->client, plan->model->upstream_model, lowered};
    struct mg_str clean;
    mg_str_init(&clean, out->max);
    int rc = mg_purge_body(app->pack_key, plan->account_id, plan->client, req->body, &clean,
                           err);
    if (rc >= 0 && mg_upward_body(&up, &plan->facts, rc > 0 ? mg_str_span(&clean) : req->body,
                                  out) != 0)
        rc = mg_err_internal(err, "the request does not fit its buffer");
    mg_str_free(&clean);
    return rc < 0 ? -1 : 0;
}

int
mg_plan_upward(struct mg_app *app, struct mg_request *req, struct mg_plan *plan, int64_t lowered,
               struct mg_str *out, struct mg_err *err)
{
    mg_str_init(out, req->body.n * 2 + UPWARD_SLACK);
    return mg_plan_passes(plan) ? splice(app, req, plan, lowered, out, err)
                                : translate(app, req, plan, lowered, out, err);
}

void
mg_plan_tell_dropped(const struct mg_plan *plan, struct mg_request *req)
{
    struct mg_str names;
    if (plan->translation == NULL)
        return;
    mg_str_init(&names, DROPPED_MAX);
    mg_translation_dropped(plan->translation, &names);
    if (names.len > 0)
        mg_reply_header(req, "x-dropped-parameters", names.p);
    mg_str_free(&names);
}

void
mg_plan_trim(struct mg_plan *plan)
{
    json_object_put(plan->tree);
    plan->tree = NULL;
    plan->facts.model = plan->facts.previous = plan->facts.conversation = NULL;
}

void
mg_plan_free(struct mg_plan *plan)
{
    json_object_put(plan->tree);
    mg_keep_free(&plan->keep);
    mg_catalogue_release(plan->catalogue);
    mg_translation_free(&plan->translation);
    free(plan->kept);
    *plan = (struct mg_plan){0};
}
