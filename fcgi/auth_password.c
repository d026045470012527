/* Passwords: changing one's own, and choosing another when it is forgotten. */
#include "fcgi/auth.h"

#include "base/clock.h"
#include "identity/address.h"
#include "identity/signin.h"
#include "identity/ticket.h"

#include <stddef.h>
#include <string.h>

struct password {
    const char *current, *chosen, *token, *email;
    struct mg_app *app;
    struct mg_request *req;
    struct mg_account account;
    char hash[MG_PASSWORD_HASH];
    char session[MG_SESSION_SIZE];
    int64_t expires_ms;
};

static const struct mg_field change_fields[] = {
    {"current_password", MG_FIELD_STRING, true, offsetof(struct password, current), 1, 1024},
    {"new_password", MG_FIELD_STRING, true, offsetof(struct password, chosen), 0, 0},
};
static const struct mg_field forgot_fields[] = {
    {"email", MG_FIELD_STRING, true, offsetof(struct password, email), 1, 254},
};
static const struct mg_field reset_fields[] = {
    {"token", MG_FIELD_STRING, true, offsetof(struct password, token), 1, 128},
    {"password", MG_FIELD_STRING, true, offsetof(struct password, chosen), 0, 0},
};

/* A new password ends whatever the old one opened: every session, every link to another one, the
 * wish for another address. The owner is told. */
static int
replace(struct mg_db *db, const struct password *p, struct mg_err *err)
{
    const struct mg_account *a = &p->account;
    const struct mg_letter letter = {p->app, a->id, a->username, NULL, ""};
    if (mg_signin_set(db, a->id, p->hash, err) < 0 ||
        mg_session_end_all(db, a->id, 0, NULL, err) != 0 ||
        mg_address_keep(db, a->id, err) != 0 ||
        mg_ticket_revoke(db, MG_TICKET_RESET, a->id, err) != 0)
        return -1;
    return mg_letter_password(db, &letter, err);
}

static int
change(struct mg_db *db, void *arg, struct mg_err *err)
{
    struct password *p = arg;
    if (replace(db, p, err) != 0)
        return -1;
    return mg_session_open(db, p->app->conf, p->account.id,
                           mg_request_header(p->req, "user-agent"), p->req->remote, p->session,
                           &p->expires_ms, err);
}

static int
read_account(struct password *p, uint64_t id, struct mg_err *err)
{
    struct mg_db *db = mg_db_pool_get(p->app->db, err);
    if (db == NULL)
        return -1;
    int found = mg_account_by_id(db, id, &p->account, err);
    mg_db_pool_put(p->app->db, db);
    return found == 1 ? 0 : found < 0 ? -1 : mg_err_internal(err, "the account is missing");
}

int
auth_change_password(struct mg_request *req, void *context, struct mg_err *err)
{
    struct password p = {.app = context, .req = req};
    if (auth_read_body(req, change_fields, 2, &p, err) != 0 ||
        read_account(&p, mg_service_caller(req)->account_id, err) != 0 ||
        mg_password_check(p.chosen, p.account.username, p.account.email, "new_password", err) != 0)
        return -1;
    if (strcmp(p.chosen, p.current) == 0)
        return mg_err_field(err, "value_error", "This is the password that you have",
                            "body/new_password");
    if (auth_confirm(req, p.app, p.current, err) != 0 ||
        auth_hash(p.app, p.chosen, p.hash, err) != 0 ||
        auth_txn(p.app, "change password", change, &p, err) != 0)
        return -1;
    return auth_reply_session(req, p.app, p.session, p.expires_ms, &p.account);
}

/* An address that is only stated opens no account: whoever stated it may not be who reads mail
 * there, and would keep the account's key. It has to be confirmed first. */
static int
forgot(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct password *p = arg;
    struct mg_account account;
    char token[MG_TICKET_SIZE];
    int found = mg_account_by_name(db, p->email, &account, err);
    if (found == 0) {
        found = mg_address_claimant(db, p->email, &account, err);
        return found <= 0 ? found
                          : auth_post_ticket(db, p->app, &account, p->email,
                                             *account.pending_email ? mg_letter_change
                                                                    : mg_letter_verify, err);
    }
    if (found < 0 ||
        mg_ticket_make(db, MG_TICKET_RESET, account.id, account.email, token, err) != 0)
        return -1;
    const struct mg_letter letter = {p->app, account.id, account.username, account.email, token};
    return mg_letter_reset(db, &letter, err);
}

/* As auth_resend: answered before anything is looked up. */
int
auth_forgot(struct mg_request *req, void *context, struct mg_err *err)
{
    struct password p = {.app = context};
    if (auth_read_body(req, forgot_fields, 1, &p, err) != 0 ||
        mg_account_check_email(p.email, err) != 0 ||
        auth_limit(req, p.app, MG_LIMIT_ASK, err) != 0)
        return -1;
    auth_reply_object(req, 202, "email_request");
    auth_mail_later(p.app, "forgot", p.email, forgot, &p);
    return 0;
}

static int
reset(struct mg_db *db, void *arg, struct mg_err *err)
{
    struct password *p = arg;
    struct mg_ticket ticket;
    if (mg_ticket_use(db, MG_TICKET_RESET, p->token, &ticket, err) != 1 ||
        replace(db, p, err) != 0)
        return -1;
    return auth_forget_failures(db, &p->account, "", err);
}

int
auth_reset(struct mg_request *req, void *context, struct mg_err *err)
{
    struct password p = {.app = context, .req = req};
    struct mg_ticket ticket;
    if (auth_read_body(req, reset_fields, 2, &p, err) != 0 ||
        mg_password_check(p.chosen, NULL, NULL, "password", err) != 0 ||
        auth_limit(req, p.app, MG_LIMIT_TICKET, err) != 0)
        return -1;
    struct mg_db *db = mg_db_pool_get(p.app->db, err);
    if (db == NULL)
        return -1;
    int found = mg_ticket_look(db, MG_TICKET_RESET, p.token, &ticket, err);
    mg_db_pool_put(p.app->db, db);
    if (found != 1 || read_account(&p, ticket.account_id, err) != 0 ||
        mg_password_check(p.chosen, p.account.username, p.account.email, "password", err) != 0 ||
        auth_hash(p.app, p.chosen, p.hash, err) != 0 ||
        auth_txn(p.app, "reset password", reset, &p, err) != 0)
        return -1;
    return auth_reply_object(req, 200, "password_reset");
}
