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

/* What a body says of a key's options, and the models that it may name. */
struct wish {
    struct json_object *tree;
    const struct mg_catalogue *catalogue;
};

/* 0 or -1; drop_wish in any case. */
static int
read_wish(struct mg_request *req, struct mg_app *app, struct mg_db *db, struct wish *wish,
          struct mg_err *err)
{
    *wish = (struct wish){0};
    if (mg_json_parse(req->body.p, req->body.n, &wish->tree, err) != 0)
        return -1;
    wish->catalogue =
        mg_catalogue_get(app->catalogue, db, mg_service_caller(req)->catalogue, err);
    return wish->catalogue != NULL ? 0 : -1;
}

static void
drop_wish(struct wish *wish)
{
    mg_catalogue_release(wish->catalogue);
    json_object_put(wish->tree);
}

/* Reads the body's options over those that are there. */
static int
apply(struct mg_key_options *options, void *arg, struct mg_err *err)
{
    const struct wish *wish = arg;
    return mg_json_key_options(wish->tree, wish->catalogue, mg_now_ms(), options, err);
}

int
create_key(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct mg_key_options options = {0};
    struct wish wish;
    struct mg_key key;
    char secret[MG_KEY_SIZE];
    struct mg_str out;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int rc = read_wish(req, app, db, &wish, err);
    if (rc == 0)
        rc = apply(&options, &wish, err);
    drop_wish(&wish);
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
    struct wish wish;
    int found = -1;
    if (find_key(req, db, key, err) != 0)
        return -1;
    if (read_wish(req, app, db, &wish, err) == 0)
        found = mg_keyring_change(db, account, key->id, apply, &wish, key, err);
    drop_wish(&wish);
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
