#include "service/stored.h"

#include "service/service.h"

#include <string.h>

static const struct {
    const char *parameter, *name;
} kinds[] = {
    [MG_OBJECT_RESPONSE] = {"response_id", "Response"},
    [MG_OBJECT_COMPLETION] = {"completion_id", "Chat completion"},
};

const char *
mg_stored_id(const struct mg_request *req, const char *name, struct mg_err *err)
{
    const char *id = req->param[0];
    if (mg_object_id_valid(mg_span_z(id)))
        return id;
    if (strlen(id) >= MG_OBJECT_ID)
        mg_err_field(err, "string_too_long", "String should have at most 128 characters",
                     "path/%s", name);
    else
        mg_err_field(err, "string_pattern_mismatch",
                     "String should match pattern '^[A-Za-z0-9_.:-]+$'", "path/%s", name);
    return NULL;
}

int
mg_stored_unknown(enum mg_object_kind kind, const char *id, struct mg_err *err)
{
    return mg_err_param(err, 404, "not_found", kinds[kind].parameter,
                        "%s with id '%.128s' not found.", kinds[kind].name, id);
}

int
mg_stored_find(struct mg_app *app, const struct mg_request *req, enum mg_object_kind kind,
               struct mg_object *object, struct mg_db **db, struct mg_err *err)
{
    const char *id = mg_stored_id(req, kinds[kind].parameter, err);
    *db = NULL;
    if (id == NULL || (*db = mg_db_pool_get(app->db, err)) == NULL)
        return -1;
    int found = mg_object_find(*db, mg_service_caller(req)->account_id, kind, id, object, err);
    if (found == 1)
        return 0;
    mg_db_pool_put(app->db, *db);
    *db = NULL;
    return found < 0 ? -1 : mg_stored_unknown(kind, id, err);
}

int
mg_stored_page(const struct mg_request *req, bool descending, struct mg_stored_page *page,
               struct mg_err *err)
{
    int64_t limit = MG_STORED_PAGE;
    const char *order = mg_request_query(req, "order");
    int rc = mg_request_query_int(req, "limit", 1, MG_STORED_PAGE_MOST, &limit, err) < 0 ? -1 : 0;
    if (order != NULL && strcmp(order, "asc") != 0 && strcmp(order, "desc") != 0)
        rc = mg_err_field(err, "literal_error", "Input should be 'asc' or 'desc'", "query/order");
    page->after = mg_request_query(req, "after");
    page->limit = (size_t)limit;
    page->descending = order != NULL ? strcmp(order, "desc") == 0 : descending;
    return rc;
}

int
mg_stored_bad_after(const char *after, struct mg_err *err)
{
    return mg_err_param(err, 400, "", "after", "There is no entry with id '%.128s' to go on after.",
                        after);
}
