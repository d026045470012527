/* The account to a caller with a key, and the default model. */
#include "fcgi/account.h"
#include "json/field.h"
#include "json/parse.h"
#include "service/account_json.h"

/* The id that requests without a model get. */
static const char *
default_model(const struct mg_app *app, const char *chosen)
{
    return *chosen != '\0' ? chosen : app->conf->managed_alias;
}

int
show_me(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    const struct mg_principal *who = mg_service_caller(req);
    struct mg_account account;
    struct mg_str out;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int found = mg_account_by_id(db, who->account_id, &account, err);
    mg_db_pool_put(app->db, db);
    if (found != 1)
        return found < 0 ? -1 : mg_err_internal(err, "account %llu of a valid key is missing",
                                                (unsigned long long)who->account_id);
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    mg_json_me(&account, who, who->system_key ? mg_request_credential(req) : NULL,
               app->conf->base_url, default_model(app, account.default_model), &out);
    return account_reply(req, &out);
}

static int
reply_model(struct mg_request *req, const char *model)
{
    struct mg_str out;
    struct mg_jw w;
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    mg_jw_init(&w, &out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "model_preference");
    mg_jw_string(&w, "model", model);
    mg_jw_end(&w);
    return account_reply(req, &out);
}

int
show_model(struct mg_request *req, void *context, struct mg_err *err)
{
    (void)err;
    return reply_model(req, default_model(context, mg_service_caller(req)->default_model));
}

/* Sets the default model, if the catalogue has it. */
static int
store_model(struct mg_app *app, const struct mg_principal *who, const char *model,
            struct mg_err *err)
{
    struct mg_db *db = mg_db_pool_get(app->db, err);
    int rc = -1;
    if (db == NULL)
        return -1;
    const struct mg_catalogue *c = mg_catalogue_get(app->catalogue, db, who->catalogue, err);
    if (c != NULL && mg_catalogue_find(c, model) == NULL)
        mg_err_field(err, "value_error", "Not a model of this service; GET /v1/models lists them",
                     "body/model");
    else if (c != NULL)
        rc = mg_account_set_default_model(db, who->account_id, model, err) < 0 ? -1 : 0;
    mg_catalogue_release(c);
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
    struct json_object *tree = NULL;
    const char *model = NULL;
    int rc = mg_json_parse(req->body.p, req->body.n, &tree, err);
    if (rc == 0)
        rc = mg_field_read(tree, preference_fields, 1, &model, "", err);
    if (rc == 0)
        rc = store_model(context, mg_service_caller(req), model, err);
    if (rc == 0)
        reply_model(req, model);
    json_object_put(tree);
    return rc;
}
