/* Signing in and out, and what wrong attempts cost. */
#include "fcgi/auth.h"

#include "base/clock.h"
#include "base/log.h"
#include "identity/signin.h"
#include "service/account_json.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define SUBJECT 320 /* a name, a place */

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
auth_clear_cookie(struct mg_request *req)
{
    put_cookie(req, "", 0);
}

int
auth_reply_session(struct mg_request *req, const struct mg_app *app, const char *token,
                   int64_t expires_ms, const struct mg_account *account)
{
    struct mg_str out;
    struct mg_jw w;
    put_cookie(req, token, app->conf->session_days * 86400);
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

/* What an attempt counts as. */
struct count {
    struct mg_attempt attempts[3];
    size_t n;
};

/* Counts an attempt before its password is looked at, so that parallel ones count too. From a
 * place where this name has signed in before, strangers' attempts elsewhere do not matter: they
 * cannot lock the owner out. */
static int
count_attempt(const struct mg_app *app, const char *subject, const char *name, const char *place,
              struct count *c, struct mg_err *err)
{
    int64_t now = mg_now_ms();
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int known = mg_throttle_knows(db, subject, now, err);
    *c = (struct count){.attempts = {{MG_LIMIT_SIGN_IN_PLACE, place},
                                     {MG_LIMIT_SIGN_IN, subject},
                                     {MG_LIMIT_SIGN_IN_NAME, name}},
                        .n = known == 1 ? 2 : 3};
    int rc = known < 0 ? -1 : mg_throttle_enter(db, app->conf, c->attempts, c->n, now, err);
    mg_db_pool_put(app->db, db);
    return rc;
}

/* Nobody has looked at the password: it counts as nothing. */
static void
take_back(const struct mg_app *app, const struct count *c)
{
    struct mg_err err = MG_ERR_INIT;
    struct mg_db *db = mg_db_pool_get(app->db, &err);
    for (size_t i = 0; db != NULL && i < c->n; i++)
        if (mg_throttle_return(db, app->conf, &c->attempts[i], &err) != 0)
            break;
    if (db != NULL)
        mg_db_pool_put(app->db, db);
    mg_err_free(&err);
}

/* An address that is not confirmed may be somebody else's name, whose failures are not this
 * account's to forget: else a guesser would make an account that states it, and sign in there. */
int
auth_forget_failures(struct mg_db *db, const struct mg_account *account, const char *place,
                     struct mg_err *err)
{
    char subject[SUBJECT];
    const char *names[] = {account->username, account->email};
    size_t count = account->email_verified ? 2 : 1;
    for (size_t i = 0; i < count; i++) {
        snprintf(subject, sizeof(subject), "%s %s", names[i], place);
        const struct mg_attempt here = {MG_LIMIT_SIGN_IN, subject};
        const struct mg_attempt anywhere = {MG_LIMIT_SIGN_IN_NAME, names[i]};
        if (mg_throttle_forget(db, &here, err) != 0 ||
            mg_throttle_forget(db, &anywhere, err) != 0)
            return -1;
    }
    return 0;
}

struct success {
    struct mg_app *app;
    struct mg_request *req;
    struct mg_account account;
    const char *name, *subject, *place;
    char token[MG_SESSION_SIZE];
    int64_t expires_ms;
};

/* Nothing is held against the name any more, and its place is known; under a name that may be
 * somebody else's just this attempt was none. */
static int
forgive(struct mg_db *db, const struct success *s, struct mg_err *err)
{
    const struct mg_attempt attempt = {MG_LIMIT_SIGN_IN, s->subject};
    if (strchr(s->name, '@') != NULL && !s->account.email_verified)
        return mg_throttle_return(db, s->app->conf, &attempt, err);
    if (auth_forget_failures(db, &s->account, s->place, err) != 0)
        return -1;
    return mg_throttle_know(db, s->subject, mg_now_ms(), err);
}

/* The password was right: a session. */
static int
welcome(struct mg_db *db, void *arg, struct mg_err *err)
{
    struct success *s = arg;
    const struct mg_attempt attempt = {MG_LIMIT_SIGN_IN_PLACE, s->place};
    if (mg_throttle_return(db, s->app->conf, &attempt, err) != 0 || forgive(db, s, err) != 0)
        return -1;
    return mg_session_open(db, s->app->conf, s->account.id,
                           mg_request_header(s->req, "user-agent"), s->req->remote, s->token,
                           &s->expires_ms, err);
}

int
auth_login(struct mg_request *req, void *context, struct mg_err *err)
{
    char subject[SUBJECT], place[MG_PLACE_SIZE];
    struct success s = {.app = context, .req = req, .subject = subject, .place = place};
    struct login login = {0};
    struct count count;
    if (auth_read_body(req, login_fields, 2, &login, err) != 0)
        return -1;
    s.name = login.username;
    mg_throttle_place(req->remote, place);
    snprintf(subject, sizeof(subject), "%s %s", login.username, place);
    if (count_attempt(s.app, subject, login.username, place, &count, err) != 0)
        return -1;
    int found = mg_signin_try(s.app->db, s.app->hasher, login.username, login.password,
                              &s.account, err);
    if (found < 0)
        take_back(s.app, &count);
    if (found == 0)
        mg_info("req=%s sign-in refused from %s", req->id_text, req->remote);
    if (found != 1 || auth_txn(s.app, "sign in", welcome, &s, err) != 0)
        return -1;
    return auth_reply_session(req, s.app, s.token, s.expires_ms, &s.account);
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
    auth_clear_cookie(req);
    return mg_reply_empty(req, 204), 0;
}
