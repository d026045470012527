/* The model list in both styles (specification part 4, Models). */
#include "http/reply.h"
#include "identity/allowance.h"
#include "service/service.h"
#include "wire/model_list.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_MOST 1000
#define REPLY_MAX ((size_t)16 << 20)

/* The snapshot that the caller's request belongs to. Released by the caller. */
static const struct mg_catalogue *
catalogue_of(struct mg_request *req, struct mg_app *app, struct mg_err *err)
{
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return NULL;
    const struct mg_catalogue *c =
        mg_catalogue_get(app->catalogue, db, mg_service_caller(req)->catalogue, err);
    mg_db_pool_put(app->db, db);
    return c;
}

static struct mg_model_info
describe(const char *id, int64_t created_ms, const struct mg_model *m)
{
    /* A client of another format is translated: then both ways to think are understood. */
    bool native = m->upstream->formats & 1u << MG_MESSAGES;
    return (struct mg_model_info){
        .id = id,
        .display_name = *m->label != '\0' ? m->label : id,
        .created_ms = created_ms,
        .context = m->context,
        .max_output = m->max_output,
        .image = m->capabilities & MG_CAP_IMAGE,
        .pdf = m->capabilities & MG_CAP_PDF,
        .tools = m->capabilities & MG_CAP_TOOLS,
        .structured = m->capabilities & MG_CAP_STRUCTURED,
        .reasoning = m->capabilities & MG_CAP_REASONING,
        .efforts = m->efforts,
        .adaptive = !native || m->thinking == MG_THINKING_EFFORT,
        .budget = !native || m->thinking == MG_THINKING_BUDGET,
    };
}

/* Aliases first, then models: all ids that a request of this key may name. Array in the request's
 * pool. */
static struct mg_model_info *
describe_all(struct mg_request *req, const struct mg_catalogue *c, size_t *count)
{
    struct mg_model_info *all =
        mg_pool_alloc(req->pool, (c->alias_count + c->model_count + 1) * sizeof(*all));
    const char *allowed = mg_service_caller(req)->models;
    *count = 0;
    for (size_t i = 0; i < c->alias_count; i++) {
        const struct mg_alias *a = &c->aliases[i];
        if (!mg_allowance_has(allowed, a->id))
            continue;
        struct mg_model_info info = describe(a->id, a->created_ms, a->model);
        info.display_name = a->id; /* the alias promises no particular model */
        all[(*count)++] = info;
    }
    for (size_t i = 0; i < c->model_count; i++)
        if (mg_allowance_has(allowed, c->models[i].id))
            all[(*count)++] = describe(c->models[i].id, c->models[i].created_ms, &c->models[i]);
    return all;
}

static size_t
place_of(const struct mg_model_info *all, size_t count, const char *id)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].id, id) == 0)
            return i;
    return count;
}

/* One Messages-style page: after_id, before_id, limit. */
static int
page(struct mg_request *req, const struct mg_model_info *all, size_t count, struct mg_str *out,
     struct mg_err *err)
{
    const char *after = mg_request_query(req, "after_id");
    const char *before = mg_request_query(req, "before_id");
    int64_t limit = 20;
    size_t from = 0, to = count;
    if (mg_request_query_int(req, "limit", 1, PAGE_MOST, &limit, err) < 0)
        return -1;
    if (after != NULL && (from = place_of(all, count, after) + 1) > count)
        return mg_err_param(err, 404, "model_not_found", "after_id", "No such model.");
    if (before != NULL) {
        to = place_of(all, count, before);
        if (to == count)
            return mg_err_param(err, 404, "model_not_found", "before_id", "No such model.");
        from = to > (size_t)limit ? to - (size_t)limit : 0;
        mg_model_list_messages(all + from, to - from, from > 0, out);
        return 0;
    }
    if (to - from > (size_t)limit)
        to = from + (size_t)limit;
    mg_model_list_messages(all + from, to - from, to < count, out);
    return 0;
}

static int
list_models(struct mg_request *req, void *app, struct mg_err *err)
{
    const struct mg_catalogue *c = catalogue_of(req, app, err);
    struct mg_str out;
    size_t count;
    int rc = 0;
    if (c == NULL)
        return -1;
    mg_str_init(&out, REPLY_MAX);
    struct mg_model_info *all = describe_all(req, c, &count);
    if (req->messages_errors) /* a version header was sent */
        rc = page(req, all, count, &out, err);
    else
        mg_model_list_openai(all, count, mg_request_query(req, "client_version") != NULL, &out);
    if (rc == 0)
        mg_reply_json(req, 200, &out);
    mg_str_free(&out);
    mg_catalogue_release(c);
    return rc;
}

static int
show_model(struct mg_request *req, void *app, struct mg_err *err)
{
    const struct mg_catalogue *c = catalogue_of(req, app, err);
    struct mg_str out;
    size_t count;
    if (c == NULL)
        return -1;
    mg_str_init(&out, REPLY_MAX);
    struct mg_model_info *all = describe_all(req, c, &count);
    size_t at = place_of(all, count, req->param[0]);
    int rc = 0;
    if (at == count)
        rc = mg_err_param(err, 404, "model_not_found", "model_id",
                          "The model `%.100s` does not exist or is not offered here.",
                          req->param[0]);
    else if (req->messages_errors)
        mg_model_show_messages(&all[at], &out);
    else
        mg_model_show_openai(&all[at], &out);
    if (rc == 0)
        mg_reply_json(req, 200, &out);
    mg_str_free(&out);
    mg_catalogue_release(c);
    return rc;
}

static const struct mg_route routes[] = {
    {"GET", "/v1/models", MG_AUTH_KEY, MG_ROUTE_VERSIONED, MG_CHAT, list_models},
    {"GET", "/v1/models/{model_id}", MG_AUTH_KEY, MG_ROUTE_VERSIONED, MG_CHAT, show_model},
};

int
main(int argc, char **argv)
{
    static const struct mg_service service = {
        "models", routes, sizeof(routes) / sizeof(routes[0]), 0};
    return mg_service_main(&service, argc, argv);
}
