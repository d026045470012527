/* Sign-in, accounts and their addresses (specification part 4, Health and account; part 5): the
 * table of the routes. Their handlers stand in auth_TOPIC.c. */
#include "fcgi/auth.h"

#include "base/clock.h"
#include "base/log.h"
#include "identity/signin.h"
#include "identity/ticket.h"
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

static int
count(struct mg_app *app, enum mg_limit limit, const char *subject, struct mg_err *err)
{
    const struct mg_attempt attempt = {limit, subject};
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int rc = mg_throttle_enter(db, app->conf, &attempt, 1, mg_now_ms(), err);
    mg_db_pool_put(app->db, db);
    return rc;
}

int
auth_limit(struct mg_request *req, struct mg_app *app, enum mg_limit limit, struct mg_err *err)
{
    char place[MG_PLACE_SIZE];
    return count(app, limit, mg_throttle_place(req->remote, place), err);
}

int
auth_limit_mail(struct mg_app *app, const char *email, struct mg_err *err)
{
    return count(app, MG_LIMIT_MAIL, email, err);
}

int
auth_confirm(struct mg_request *req, struct mg_app *app, const char *password, struct mg_err *err)
{
    uint64_t id = mg_service_caller(req)->account_id;
    const struct mg_attempt attempt = {MG_LIMIT_CONFIRM,
                                       mg_pool_printf(req->pool, "%llu", (unsigned long long)id)};
    if (count(app, attempt.limit, attempt.subject, err) != 0 ||
        mg_signin_confirm(app->db, app->hasher, id, password, err) != 1)
        return -1;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int rc = mg_throttle_forget(db, &attempt, err);
    mg_db_pool_put(app->db, db);
    return rc;
}

int
auth_post_ticket(struct mg_db *db, const struct mg_app *app, const struct mg_account *account,
                 const char *email, mg_letter_post *letter, struct mg_err *err)
{
    char token[MG_TICKET_SIZE];
    const struct mg_letter l = {app, account->id, account->username, email, token};
    if (mg_ticket_make(db, MG_TICKET_VERIFY, account->id, email, token, err) != 0)
        return -1;
    return letter(db, &l, err);
}

void
auth_mail_later(struct mg_app *app, const char *name, const char *email, mg_db_work *fn, void *arg)
{
    struct mg_err err = MG_ERR_INIT;
    if (auth_limit_mail(app, email, &err) != 0 || auth_txn(app, name, fn, arg, &err) != 0)
        mg_warn("%s: no mail was posted: %s %s", name, err.message, err.detail);
    mg_err_free(&err);
}

static const struct mg_route routes[] = {
    {"POST", "/api/auth/register", MG_AUTH_FORM, MG_ROUTE_SMALL_BODY, MG_CHAT, auth_register},
    {"POST", "/api/auth/verify", MG_AUTH_FORM, MG_ROUTE_SMALL_BODY, MG_CHAT, auth_verify},
    {"POST", "/api/auth/resend", MG_AUTH_FORM, MG_ROUTE_SMALL_BODY, MG_CHAT, auth_resend},
    {"POST", "/api/auth/forgot", MG_AUTH_FORM, MG_ROUTE_SMALL_BODY, MG_CHAT, auth_forgot},
    {"POST", "/api/auth/reset", MG_AUTH_FORM, MG_ROUTE_SMALL_BODY, MG_CHAT, auth_reset},
    {"POST", "/api/auth/login", MG_AUTH_FORM, MG_ROUTE_SMALL_BODY, MG_CHAT, auth_login},
    {"POST", "/api/v1/auth/login", MG_AUTH_FORM, MG_ROUTE_SMALL_BODY, MG_CHAT, auth_login},
    {"POST", "/api/auth/logout", MG_AUTH_SESSION, 0, MG_CHAT, auth_logout},
    {"POST", "/api/auth/password", MG_AUTH_SESSION, MG_ROUTE_SMALL_BODY, MG_CHAT,
     auth_change_password},
    {"POST", "/api/auth/email", MG_AUTH_SESSION, MG_ROUTE_SMALL_BODY, MG_CHAT, auth_change_email},
    {"GET", "/api/auth/sessions", MG_AUTH_SESSION, 0, MG_CHAT, auth_list_sessions},
    {"DELETE", "/api/auth/sessions", MG_AUTH_SESSION, 0, MG_CHAT, auth_end_others},
    {"DELETE", "/api/auth/sessions/{session_id}", MG_AUTH_SESSION, 0, MG_CHAT, auth_end_session},
};

int
main(int argc, char **argv)
{
    static const struct mg_service service = {
        "auth", routes, sizeof(routes) / sizeof(routes[0]), MG_SIGNS_IN};
    return mg_service_main(&service, argc, argv);
}
