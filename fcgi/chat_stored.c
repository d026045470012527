/* Stored chat completions: listed, read, changed in their metadata, deleted; their messages. */
#include "chat.h"

#include "http/reply.h"
#include "json/field.h"
#include "json/parse.h"
#include "json/scan.h"
#include "json/writer.h"
#include "service/service.h"
#include "service/stored.h"
#include "store/body.h"
#include "store/completion.h"
#include "store/record.h"

#include <string.h>

#define REPLY_MAX (MG_BODY_MAX * 8)

/* `metadata[key]=value`, any number of times. */
static int
read_filters(const struct mg_request *req, struct mg_completion_page *page, struct mg_err *err)
{
    for (size_t i = 0; i < req->uri.queries; i++) {
        const struct mg_pair *q = &req->uri.query[i];
        size_t n = strlen(q->name);
        if (strncmp(q->name, "metadata[", 9) != 0 || q->name[n - 1] != ']')
            continue;
        if (page->pairs == MG_METADATA_PAIRS)
            return mg_err_field(err, "too_long", "metadata has at most 16 pairs",
                                "query/metadata");
        page->name[page->pairs] = mg_pool_strndup(req->pool, q->name + 9, n - 10);
        page->value[page->pairs++] = q->value;
    }
    return 0;
}

int
list_completions(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct mg_stored_page asked;
    struct mg_completion_page page = {.account_id = mg_service_caller(req)->account_id,
                                      .model = mg_request_query(req, "model")};
    struct mg_db *db;
    struct mg_str out;
    if (mg_stored_page(req, false, &asked, err) != 0 || read_filters(req, &page, err) != 0 ||
        (db = mg_db_pool_get(app->db, err)) == NULL)
        return -1;
    page.after = asked.after;
    page.limit = asked.limit;
    page.descending = asked.descending;
    mg_str_init(&out, REPLY_MAX);
    int rc = mg_completion_list(db, &page, &out, err);
    mg_db_pool_put(app->db, db);
    if (rc == 1)
        mg_reply_json(req, 200, &out);
    else if (rc == 0)
        mg_stored_bad_after(page.after, err);
    mg_str_free(&out);
    return rc == 1 ? 0 : -1;
}

static int
show(struct mg_app *app, struct mg_request *req, struct mg_db *db, const struct mg_object *o,
     struct mg_err *err)
{
    struct mg_str out;
    mg_str_init(&out, REPLY_MAX);
    int found = mg_completion_show(db, o, &out, err);
    mg_db_pool_put(app->db, db);
    if (found == 1)
        mg_reply_json(req, 200, &out);
    else if (found == 0)
        mg_stored_unknown(o->kind, o->id, err);
    mg_str_free(&out);
    return found == 1 ? 0 : -1;
}

int
get_completion(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct mg_object o;
    struct mg_db *db;
    if (mg_stored_find(app, req, MG_OBJECT_COMPLETION, &o, &db, err) != 0)
        return -1;
    return show(app, req, db, &o, err);
}

/* The new metadata of a body {"metadata": {…} or null}. */
static int
read_update(const struct mg_request *req, struct mg_str *metadata, struct mg_err *err)
{
    struct json_object *tree;
    struct mg_span value;
    if (mg_json_parse(req->body.p, req->body.n, &tree, err) != 0)
        return -1;
    bool object = json_object_is_type(tree, json_type_object);
    json_object_put(tree);
    if (!object)
        return mg_err_field(err, "dict_type", "Input should be a valid object", "body");
    if (mg_scan_member(req->body, "metadata", &value) != 1)
        return mg_err_field(err, "missing", "Field required", "body/metadata");
    return mg_metadata_read(value, metadata, err);
}

struct update {
    const struct mg_object *object;
    struct mg_span metadata;
};

static int
update(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct update *u = arg;
    return mg_record_metadata(db, u->object, u->metadata, err);
}

int
update_completion(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct mg_object o;
    struct mg_db *db;
    struct mg_str metadata;
    mg_str_init(&metadata, MG_METADATA_MAX);
    int rc = read_update(req, &metadata, err);
    if (rc == 0)
        rc = mg_stored_find(app, req, MG_OBJECT_COMPLETION, &o, &db, err);
    if (rc == 0) {
        struct update u = {&o, mg_str_span(&metadata)};
        rc = mg_db_txn(db, "completion-update", update, &u, err);
        if (rc == 0)
            rc = show(app, req, db, &o, err);
        else
            mg_db_pool_put(app->db, db);
    }
    mg_str_free(&metadata);
    return rc;
}

int
delete_completion(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct mg_object o;
    struct mg_db *db;
    struct mg_str out;
    struct mg_jw w;
    if (mg_stored_find(app, req, MG_OBJECT_COMPLETION, &o, &db, err) != 0)
        return -1;
    int found = mg_object_delete(db, o.account_id, o.kind, o.id, err);
    mg_db_pool_put(app->db, db);
    if (found != 1)
        return found < 0 ? -1 : mg_stored_unknown(o.kind, o.id, err);
    mg_str_init(&out, 1024);
    mg_jw_init(&w, &out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "chat.completion.deleted");
    mg_jw_string(&w, "id", o.id);
    mg_jw_bool(&w, "deleted", true);
    mg_jw_end(&w);
    mg_reply_json(req, 200, &out);
    mg_str_free(&out);
    return 0;
}

int
list_messages(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct mg_stored_page page;
    struct mg_object o;
    struct mg_db *db;
    struct mg_str input, out;
    if (mg_stored_page(req, false, &page, err) != 0 ||
        mg_stored_find(app, req, MG_OBJECT_COMPLETION, &o, &db, err) != 0)
        return -1;
    mg_str_init(&input, MG_BODY_MAX + 1);
    mg_str_init(&out, REPLY_MAX);
    int found = mg_body_get(db, o.seq, MG_BODY_INPUT, &input, err), rc = -1;
    mg_db_pool_put(app->db, db);
    if (found == 0)
        mg_stored_unknown(o.kind, o.id, err);
    else if (found == 1 && mg_completion_messages(o.id, mg_str_span(&input), page.after,
                                                  page.limit, page.descending, &out) != 0)
        mg_stored_bad_after(page.after, err);
    else if (found == 1)
        rc = 0;
    if (rc == 0)
        mg_reply_json(req, 200, &out);
    mg_str_free(&input);
    mg_str_free(&out);
    return rc;
}
