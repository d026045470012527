/* Signing in and out. */
#include "fcgi/auth.h"

#include "identity/session.h"
#include "identity/signin.h"
#include "json/field.h"
#include "service/account_json.h"

#include <stddef.h>

/* LoginBody of the specification. */
struct login {
    const char *username, *password;
};

static const struct mg_field login_fields[] = {
    {"username", MG_FIELD_STRING, true, offsetof(struct login, username), 1, 254},
    {"password", MG_FIELD_STRING, true, offsetof(struct login, password), 1, 1024},
};

static void
put_cookie(struct mg_request *req, const char *token, int64_t seconds)
{
    mg_reply_header(req, "set-cookie",
                    mg_pool_printf(req->pool,
                                   MG_SESSION_COOKIE "=%s; Path=/; Max-Age=%lld; Secure; HttpOnly; "
                                                     "SameSite=Strict",
                                   token, (long long)seconds));
}

void
auth_set_cookie(struct mg_request *req, const struct mg_app *app, const char *token)
{
    put_cookie(req, token, app->conf->session_days * 86400);
}

static int
reply_session(struct mg_request *req, const char *token, int64_t expires_ms,
              const struct mg_account *account)
{
    struct mg_str out;
    struct mg_jw w;
    mg_str_init(&out, AUTH_REPLY_MAX);
    mg_jw_init(&w, &out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "session");
    mg_jw_string(&w, "token", token);
    mg_json_time(&w, "expires_at", expires_ms);
    mg_jw_object(&w, "account");
    mg_jw_int(&w, "id", (int64_t)account->id);
    mg_jw_string(&w, "username", account->username);
    mg_jw_string(&w, "email", *account->email ? account->email : NULL);
    mg_jw_bool(&w, "email_verified", account->email_verified);
    mg_jw_end(&w);
    mg_jw_end(&w);
    return auth_reply(req, 200, &out);
}

int
auth_login(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct login login = {0};
    struct mg_account account;
    char token[MG_SESSION_SIZE];
    int64_t expires_ms;
    if (auth_read_body(req, login_fields, 2, &login, err) != 0)
        return -1;
    if (mg_signin_try(app->db, app->hasher, login.username, login.password, &account, err) != 1)
        return -1;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int rc = mg_session_open(db, app->conf, account.id, mg_request_header(req, "user-agent"),
                             req->remote, token, &expires_ms, err);
    mg_db_pool_put(app->db, db);
    if (rc != 0)
        return -1;
    auth_set_cookie(req, app, token);
    return reply_session(req, token, expires_ms, &account);
}

int
auth_logout(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    const struct mg_principal *who = mg_service_caller(req);
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int ended = mg_session_end(db, who->account_id, who->session_id, err);
    mg_db_pool_put(app->db, db);
    if (ended < 0)
        return -1;
    put_cookie(req, "", 0);
    return mg_reply_empty(req, 204), 0;
}
