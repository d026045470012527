/* The public list of models, and the default model of an account: one preference, for requests
 * that name no model and for setup scripts. */
#include "fcgi/account.h"
#include "identity/account.h"
#include "json/field.h"
#include "json/parse.h"
#include "service/model_json.h"

const char *
account_model(const struct mg_app *app, const char *chosen)
{
    return *chosen != '\0' ? chosen : app->conf->managed_alias;
}

/* `catalogue_version`: at least this one. */
static const struct mg_catalogue *
catalogue_of(struct mg_app *app, uint64_t catalogue_version, struct mg_err *err)
{
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return NULL;
    const struct mg_catalogue *c = mg_catalogue_get(app->catalogue, db, catalogue_version, err);
    mg_db_pool_put(app->db, db);
    return c;
}

int
list_models(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct mg_str out;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    const struct mg_catalogue *c = mg_catalogue_current(app->catalogue, db, err);
    mg_db_pool_put(app->db, db);
    if (c == NULL)
        return -1;
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    mg_json_models(c, &out);
    mg_catalogue_release(c);
    return account_reply(req, &out);
}

static int
reply_model(struct mg_request *req, const struct mg_catalogue *c, const char *model)
{
    struct mg_str out;
    struct mg_jw w;
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    mg_jw_init(&w, &out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "model_preference");
    mg_jw_string(&w, "model", model);
    mg_jw_string(&w, "label", mg_json_label_of(c, model));
    mg_jw_end(&w);
    return account_reply(req, &out);
}

int
show_model(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    const struct mg_principal *who = mg_service_caller(req);
    const struct mg_catalogue *c = catalogue_of(app, who->catalogue, err);
    if (c == NULL)
        return -1;
    reply_model(req, c, account_model(app, who->default_model));
    mg_catalogue_release(c);
    return 0;
}

/* Sets the default model, if the catalogue has it. */
static int
store_model(struct mg_app *app, const struct mg_principal *who, const struct mg_catalogue *c,
            const char *model, struct mg_err *err)
{
    if (mg_catalogue_find(c, model) == NULL)
        return mg_err_field(err, "value_error",
                            "Not a model of this service; GET /v1/models lists them",
                            "body/model");
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int rc = mg_account_set_default_model(db, who->account_id, model, err) < 0 ? -1 : 0;
    mg_db_pool_put(app->db, db);
    return rc;
}

/* ModelPreferenceBody of the specification. */
static const struct mg_field preference_fields[] = {
    {"model", MG_FIELD_STRING, true, 0, 1, 127},
};

int
put_model(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    const struct mg_principal *who = mg_service_caller(req);
    struct json_object *tree = NULL;
    const struct mg_catalogue *c = NULL;
    const char *model = NULL;
    int rc = mg_json_parse(req->body.p, req->body.n, &tree, err);
    if (rc == 0)
        rc = mg_field_read(tree, preference_fields, 1, &model, "", err);
    if (rc == 0)
        rc = (c = catalogue_of(app, who->catalogue, err)) != NULL ? 0 : -1;
    if (rc == 0)
        rc = store_model(app, who, c, model, err);
    if (rc == 0)
        reply_model(req, c, model);
    mg_catalogue_release(c);
    json_object_put(tree);
    return rc;
}
