#include "infer/recall.h"

#include "http/body.h"
#include "infer/keep.h"
#include "json/parse.h"
#include "json/scan.h"
#include "json/splice.h"
#include "store/chain.h"

#include <string.h>

#define SEALED "reasoning.encrypted_content"
#define SLACK 65536 /* what small edits may add to a body */

/* Whether the input has to be put together: a chain, or references in it. Requests that are not
 * kept are mostly large and never of that kind: they are not walked through without need. */
static bool
refers(const struct mg_plan *plan, struct mg_span body, struct mg_span input)
{
    if (plan->facts.previous != NULL)
        return true;
    if (!plan->facts.store && memmem(body.p, body.n, "item_reference", 14) == NULL)
        return false;
    return mg_chain_refers(input);
}

static int
expand(struct mg_app *app, const struct mg_principal *who, const struct mg_plan *plan,
       struct mg_span input, struct mg_str *own, struct mg_str *whole, struct mg_err *err)
{
    const struct mg_chain_in in = {
        .account_id = who->account_id,
        .previous = plan->facts.previous,
        .input = input,
        .upstream = plan->model->upstream->name,
    };
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int rc = mg_chain_expand(db, &in, own, whole, err);
    mg_db_pool_put(app->db, db);
    return rc;
}

/* `include` with sealed reasoning in it, so that the next turn can give it back; false when that
 * is asked for already. */
static bool
include_sealed(struct mg_span body, struct mg_str *out)
{
    struct mg_span list, element;
    size_t at = 0;
    mg_str_addz(out, "[\"" SEALED "\"");
    if (mg_scan_member(body, "include", &list) == 1 && list.n > 0 && list.p[0] == '[') {
        while (mg_scan_element(list, &at, &element) == 1) {
            if (mg_span_is(element, "\"" SEALED "\""))
                return false;
            mg_str_addc(out, ',');
            mg_str_addspan(out, element);
        }
    }
    mg_str_addc(out, ']');
    return true;
}

/* The body with members changed takes the place of the one that came. */
static int
rewrite(struct mg_app *app, struct mg_request *req, const struct mg_edit *edits, size_t count,
        struct mg_err *err)
{
    struct mg_str body;
    mg_str_init(&body, (size_t)app->conf->body_limit + SLACK);
    int rc = mg_splice(req->body, edits, count, &body);
    if (rc == 0)
        mg_body_replace(req, &body);
    else
        rc = mg_err_set(err, 413, "request_too_large", "The request is too large with what it "
                                                       "refers to.");
    mg_str_free(&body);
    return rc;
}

/* Reads the rewritten body anew; what is estimated of it is scaled for the model as before. */
static int
read_again(struct mg_request *req, struct mg_plan *plan, struct mg_err *err)
{
    int64_t factor = plan->facts.factor;
    struct json_object *tree;
    if (mg_json_parse(req->body.p, req->body.n, &tree, err) != 0)
        return -1;
    json_object_put(plan->tree);
    plan->tree = tree;
    if (mg_facts_read(plan->client, req->body, tree, &plan->facts, err) != 0)
        return -1;
    mg_facts_scale(&plan->facts, factor);
    return 0;
}

static bool
wants_sealed(const struct mg_plan *plan)
{
    return plan->keep != NULL && plan->model->capabilities & MG_CAP_REASONING;
}

static int
recall_response(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
                struct mg_plan *plan, struct mg_err *err)
{
    struct mg_str own, whole, include;
    struct mg_span input = {"", 0};
    struct mg_edit edits[3];
    size_t n = 0;
    (void)mg_scan_member(req->body, "input", &input);
    bool expanded = refers(plan, req->body, input);
    if (!expanded && !plan->facts.store)
        return 0;
    mg_str_init(&own, (size_t)app->conf->body_limit);
    mg_str_init(&whole, (size_t)app->conf->body_limit);
    mg_str_init(&include, SLACK / 2);
    if (plan->facts.previous != NULL)
        plan->previous = mg_pool_strdup(req->pool, plan->facts.previous);
    int rc = expanded ? expand(app, who, plan, input, &own, &whole, err) : 0;
    if (expanded) {
        input = mg_str_span(&own);
        edits[n++] = (struct mg_edit){"input", mg_str_span(&whole)};
    }
    if (rc == 0 && plan->facts.store) {
        rc = mg_keep_make(app, req, who, plan, input.n > 0 ? input : mg_span_z("[]"), err);
        if (rc == 0 && plan->keep == NULL)
            edits[n++] = (struct mg_edit){"store", mg_span_z("false")};
        else if (rc == 0 && wants_sealed(plan) && include_sealed(req->body, &include))
            edits[n++] = (struct mg_edit){"include", mg_str_span(&include)};
    }
    if (rc == 0 && n > 0)
        rc = rewrite(app, req, edits, n, err);
    if (rc == 0 && expanded) /* the other edits are not among the facts */
        rc = read_again(req, plan, err);
    mg_str_free(&own);
    mg_str_free(&whole);
    mg_str_free(&include);
    return rc;
}

int
mg_recall(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
          struct mg_plan *plan, struct mg_err *err)
{
    struct mg_span messages;
    if (plan->client == MG_RESPONSES)
        return recall_response(app, req, who, plan, err);
    if (plan->client == MG_CHAT && plan->facts.store &&
        mg_scan_member(req->body, "messages", &messages) == 1)
        return mg_keep_make(app, req, who, plan, messages, err);
    return 0;
}

int
mg_recall_count(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
                struct mg_plan *plan, struct mg_err *err)
{
    struct mg_str own, whole;
    struct mg_span input = {"", 0};
    struct json_object *tree;
    (void)mg_scan_member(req->body, "input", &input);
    if (plan->client != MG_RESPONSES || !refers(plan, req->body, input))
        return 0;
    mg_str_init(&own, (size_t)app->conf->body_limit);
    mg_str_init(&whole, (size_t)app->conf->body_limit);
    int rc = expand(app, who, plan, input, &own, &whole, err);
    const struct mg_edit edit = {"input", mg_str_span(&whole)};
    if (rc == 0)
        rc = rewrite(app, req, &edit, 1, err);
    if (rc == 0 && (rc = mg_json_parse(req->body.p, req->body.n, &tree, err)) == 0) {
        json_object_put(plan->tree);
        plan->tree = tree;
        plan->facts.model = plan->facts.previous = plan->facts.conversation = NULL;
    }
    mg_str_free(&own);
    mg_str_free(&whole);
    return rc;
}
