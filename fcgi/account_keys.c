/* The keys of an account, to its owner in the dashboard. */
#include "base/clock.h"
#include "fcgi/account.h"
#include "json/parse.h"
#include "service/key_json.h"

#include <stdlib.h>

int
list_keys(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct mg_key *keys;
    struct mg_str out;
    size_t count;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int rc = mg_keyring_list(db, mg_service_caller(req)->account_id, req->pool, &keys, &count,
                             err);
    mg_db_pool_put(app->db, db);
    if (rc != 0)
        return -1;
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    mg_json_keys(keys, count, &out);
    return account_reply(req, &out);
}

/* Reads the body's options over those that are there. */
static int
read_options(struct mg_request *req, struct mg_app *app, struct mg_db *db,
             struct mg_key_options *options, struct mg_err *err)
{
    struct json_object *tree = NULL;
    int rc = mg_json_parse(req->body.p, req->body.n, &tree, err);
    const struct mg_catalogue *c =
        rc == 0 ? mg_catalogue_get(app->catalogue, db, mg_service_caller(req)->catalogue, err)
                : NULL;
    rc = c != NULL ? mg_json_key_options(tree, c, mg_now_ms(), options, err) : -1;
    mg_catalogue_release(c);
    json_object_put(tree);
    return rc;
}

int
create_key(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct mg_key_options options = {0};
    struct mg_key key;
    char secret[MG_KEY_SIZE];
    struct mg_str out;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int rc = read_options(req, app, db, &options, err);
    if (rc == 0)
        rc = mg_keyring_create(db, mg_service_caller(req)->account_id, &options, &key, secret,
                               err);
    mg_db_pool_put(app->db, db);
    if (rc != 0)
        return -1;
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    mg_json_key(&key, secret, &out);
    mg_reply_json(req, 201, &out);
    mg_str_free(&out);
    return 0;
}

/* The User API Key that the path names. 0, or -1: 422 no number, 404 not the account's, 403 the
 * System Key. */
static int
find_key(struct mg_request *req, struct mg_db *db, struct mg_key *key, struct mg_err *err)
{
    char *end;
    unsigned long long id = strtoull(req->param[0], &end, 10);
    if (*end != '\0' || req->param[0][0] < '0' || req->param[0][0] > '9')
        return mg_err_field(err, "int_parsing", "Input should be the number of a key",
                            "path/key_id");
    int found = mg_keyring_find(db, mg_service_caller(req)->account_id, id, key, err);
    if (found == 0)
        return mg_err_set(err, 404, "not_found", "The account has no key with this number.");
    if (found == 1 && key->system)
        return mg_err_set(err, 403, "system_key_permanent",
                          "The System Key is permanent: it is neither changed nor removed here.");
    return found == 1 ? 0 : -1;
}

static int
change(struct mg_request *req, struct mg_app *app, struct mg_db *db, struct mg_key *key,
       struct mg_err *err)
{
    uint64_t account = mg_service_caller(req)->account_id;
    if (find_key(req, db, key, err) != 0 ||
        read_options(req, app, db, &key->options, err) != 0)
        return -1;
    int found = mg_keyring_change(db, account, key->id, &key->options, err);
    if (found == 0)
        return mg_err_set(err, 404, "not_found", "The account has no key with this number.");
    return found == 1 ? 0 : -1;
}

int
change_key(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct mg_key key;
    struct mg_str out;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int rc = change(req, app, db, &key, err);
    mg_db_pool_put(app->db, db);
    if (rc != 0)
        return -1;
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    mg_json_key(&key, NULL, &out);
    return account_reply(req, &out);
}

int
delete_key(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct mg_key key;
    struct mg_str out;
    struct mg_jw w;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int rc = find_key(req, db, &key, err);
    if (rc == 0 &&
        mg_keyring_revoke(db, mg_service_caller(req)->account_id, key.id, err) < 0)
        rc = -1;
    mg_db_pool_put(app->db, db);
    if (rc != 0)
        return -1;
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    mg_jw_init(&w, &out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "api_key");
    mg_jw_int(&w, "id", (int64_t)key.id);
    mg_jw_bool(&w, "deleted", true);
    mg_jw_end(&w);
    return account_reply(req, &out);
}
