#include "infer/compact.h"

#include "http/body.h"
#include "infer/generate.h"
#include "json/parse.h"
#include "json/scan.h"
#include "json/splice.h"
#include "json/writer.h"
#include "store/chain.h"
#include "wire/compact.h"

#include <stdlib.h>
#include <string.h>

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

/* What the request says, in memory of its own: the body is written anew on the way. */
struct wish {
    struct mg_str body, own, whole;
    struct mg_span input;
    char *model, *previous;
};

static int
read_wish(struct mg_request *req, size_t limit, struct wish *wish, struct mg_err *err)
{
    struct json_object *tree = NULL;
    mg_str_init(&wish->body, req->body.n);
    mg_str_init(&wish->own, limit);
    mg_str_init(&wish->whole, limit);
    mg_str_addspan(&wish->body, req->body);
    wish->input = input_of(mg_str_span(&wish->body));
    int rc = mg_json_parse(wish->body.p, wish->body.len, &tree, err);
    if (rc == 0)
        rc = mg_compact_check(tree, true, err);
    const char *model = mg_json_text(tree, "model");
    const char *previous = mg_json_text(tree, "previous_response_id");
    if (rc == 0) {
        wish->model = mg_pool_strdup(req->pool, model);
        wish->previous = previous != NULL ? mg_pool_strdup(req->pool, previous) : NULL;
    }
    json_object_put(tree);
    return rc;
}

static void
free_wish(struct wish *wish)
{
    mg_str_free(&wish->body);
    mg_str_free(&wish->own);
    mg_str_free(&wish->whole);
}

/* Puts what the request refers to in its place. */
static int
expand(struct mg_app *app, const struct mg_principal *who, struct wish *wish, struct mg_err *err)
{
    struct mg_chain_in in = {.account_id = who->account_id, .previous = wish->previous,
                             .input = wish->input, .upstream = ""};
    if (wish->previous == NULL && !mg_chain_refers(wish->input))
        return 0;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    const struct mg_catalogue *catalogue =
        mg_catalogue_get(app->catalogue, db, who->catalogue, err);
    int rc = catalogue != NULL ? 0 : -1;
    if (rc == 0) {
        const struct mg_model *model = mg_catalogue_find(catalogue, wish->model);
        if (model != NULL) /* else the plan says so */
            in.upstream = model->upstream->name;
        rc = mg_chain_expand(db, &in, &wish->own, &wish->whole, err);
        wish->input = mg_str_span(&wish->whole);
    }
    mg_catalogue_release(catalogue);
    mg_db_pool_put(app->db, db);
    return rc;
}

int
mg_compact(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
           struct mg_err *err)
{
    struct mg_plan plan = {0};
    struct wish wish = {.input = {"", 0}};
    int rc = read_wish(req, (size_t)app->conf->body_limit, &wish, err);
    if (rc == 0)
        rc = expand(app, who, &wish, err);
    if (rc == 0)
        rc = plan_compaction(app, req, who, mg_str_span(&wish.body), wish.input, &plan, err);
    free_wish(&wish);
    if (rc == 0)
        return mg_generate_plan(app, req, who, &plan, err);
    mg_plan_free(&plan);
    return -1;
}

int
mg_compact_stored(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
                  const char *id, const char *model, struct mg_err *err)
{
    struct mg_span body = req->body.n > 0 ? req->body : mg_span_z("{}"), there;
    struct mg_str own, quoted_id, quoted_model;
    struct json_object *tree = NULL;
    struct mg_edit edits[2];
    size_t n = 1;
    if (mg_json_parse(body.p, body.n, &tree, err) != 0)
        return -1;
    int rc = mg_compact_check(tree, false, err);
    json_object_put(tree);
    if (rc != 0)
        return -1;
    mg_str_init(&own, body.n + SLACK);
    mg_str_init(&quoted_id, SLACK);
    mg_str_init(&quoted_model, SLACK);
    mg_json_quote(&quoted_id, id, strlen(id));
    mg_json_quote(&quoted_model, model, strlen(model));
    edits[0] = (struct mg_edit){"previous_response_id", mg_str_span(&quoted_id)};
    if (mg_scan_member(body, "model", &there) != 1 || mg_span_is(there, "null"))
        edits[n++] = (struct mg_edit){"model", mg_str_span(&quoted_model)};
    rc = mg_splice(body, edits, n, &own);
    if (rc == 0)
        mg_body_replace(req, &own);
    mg_str_free(&own);
    mg_str_free(&quoted_id);
    mg_str_free(&quoted_model);
    return rc != 0 ? mg_err_internal(err, "a compaction does not fit its buffer")
                   : mg_compact(app, req, who, err);
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
