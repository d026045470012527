/* Sign-in, accounts and their addresses (specification part 4, Health and account; part 5): the
 * table of the routes. Their handlers stand in auth_TOPIC.c. */
#include "fcgi/auth.h"

#include "json/field.h"
#include "json/parse.h"

int
auth_reply(struct mg_request *req, int status, struct mg_str *out)
{
    mg_reply_json(req, status, out);
    mg_str_free(out);
    return 0;
}

int
auth_reply_object(struct mg_request *req, int status, const char *object)
{
    struct mg_str out;
    struct mg_jw w;
    mg_str_init(&out, AUTH_REPLY_MAX);
    mg_jw_init(&w, &out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", object);
    mg_jw_end(&w);
    return auth_reply(req, status, &out);
}

int
auth_read_body(struct mg_request *req, const struct mg_field *fields, size_t count, void *dest,
               struct mg_err *err)
{
    struct json_object *tree = NULL;
    int rc = mg_json_parse(req->body.p, req->body.n, &tree, err);
    if (rc == 0)
        rc = mg_field_read(tree, fields, count, dest, "", err);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        const char **text = (const char **)((char *)dest + fields[i].offset);
        if (*text != NULL)
            *text = mg_pool_strdup(req->pool, *text);
    }
    json_object_put(tree);
    return rc;
}

int
auth_txn(struct mg_app *app, const char *name, mg_db_work *fn, void *arg, struct mg_err *err)
{
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int rc = mg_db_txn(db, name, fn, arg, err);
    mg_db_pool_put(app->db, db);
    return rc;
}

int
auth_hash(struct mg_app *app, const char *password, char hash[MG_PASSWORD_HASH],
          struct mg_err *err)
{
    if (mg_hasher_enter(app->hasher, err) != 0)
        return -1;
    mg_hasher_hash(app->hasher, password, hash);
    mg_hasher_leave(app->hasher);
    return 0;
}

static const struct mg_route routes[] = {
    {"POST", "/api/auth/register", MG_AUTH_FORM, MG_ROUTE_SMALL_BODY, MG_CHAT, auth_register},
    {"POST", "/api/auth/login", MG_AUTH_FORM, MG_ROUTE_SMALL_BODY, MG_CHAT, auth_login},
    {"POST", "/api/v1/auth/login", MG_AUTH_FORM, MG_ROUTE_SMALL_BODY, MG_CHAT, auth_login},
    {"POST", "/api/auth/logout", MG_AUTH_SESSION, 0, MG_CHAT, auth_logout},
};

int
main(int argc, char **argv)
{
    static const struct mg_service service = {
        "auth", routes, sizeof(routes) / sizeof(routes[0]), MG_SIGNS_IN};
    return mg_service_main(&service, argc, argv);
}
