/* Addresses: confirming, asking for another mail, changing. */
#include "fcgi/auth.h"

#include "base/log.h"
#include "identity/address.h"
#include "identity/signin.h"
#include "identity/ticket.h"
#include "service/account_json.h"
#include "service/verify.h"

#include <stddef.h>
#include <string.h>

struct proof {
    const char *token;
    struct mg_app *app;
    struct mg_ticket ticket;
    struct mg_verified verified;
};

static const struct mg_field proof_fields[] = {
    {"token", MG_FIELD_STRING, true, offsetof(struct proof, token), 1, 128},
};

static int
confirm(struct mg_db *db, void *arg, struct mg_err *err)
{
    struct proof *p = arg;
    const struct mg_ticket *t = &p->ticket;
    struct mg_account account;
    if (mg_ticket_use(db, MG_TICKET_VERIFY, p->token, &p->ticket, err) != 1)
        return -1;
    int found = mg_verify_address(db, p->app->conf, &p->app->vault, t->account_id, t->email,
                                  &p->verified, err);
    if (found == 0)
        return mg_err_set(err, 400, "invalid_token",
                          "The account asked for another address in the meantime; use the link of "
                          "its latest mail.");
    if (found < 0 || p->verified.address.before[0] == '\0')
        return found < 0 ? -1 : 0;
    /* Whoever reads the old address shall not get in by a link that was sent there. */
    if (mg_ticket_revoke(db, MG_TICKET_RESET, t->account_id, err) != 0 ||
        mg_account_by_id(db, t->account_id, &account, err) != 1)
        return -1;
    const struct mg_letter letter = {p->app, account.id, account.username,
                                     p->verified.address.before, ""};
    return mg_letter_left(db, &letter, err);
}

static void
write_trial(struct mg_jw *w, const struct mg_verified *v)
{
    if (!v->trial) {
        mg_jw_null(w, "trial");
        return;
    }
    mg_jw_object(w, "trial");
    mg_json_amount(w, "credit", v->credit);
    mg_json_time(w, "expires_at", v->expires_ms);
    mg_jw_int(w, "unlimited_seconds", v->unlimited_s);
    mg_jw_end(w);
}

int
auth_verify(struct mg_request *req, void *context, struct mg_err *err)
{
    struct proof proof = {.app = context};
    struct mg_str out;
    struct mg_jw w;
    if (auth_read_body(req, proof_fields, 1, &proof, err) != 0 ||
        auth_limit(req, proof.app, MG_LIMIT_TICKET, err) != 0 ||
        auth_txn(proof.app, "verify", confirm, &proof, err) != 0)
        return -1;
    mg_str_init(&out, AUTH_REPLY_MAX);
    mg_jw_init(&w, &out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "email_verification");
    mg_jw_string(&w, "email", proof.ticket.email);
    write_trial(&w, &proof.verified);
    mg_jw_end(&w);
    return auth_reply(req, 200, &out);
}

struct wish {
    const char *email, *password;
    struct mg_app *app;
    uint64_t account_id;
};

static const struct mg_field resend_fields[] = {
    {"email", MG_FIELD_STRING, true, offsetof(struct wish, email), 1, 254},
};

/* A link to confirm an address that somebody has stated, mailed to that address. */
static int
resend(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct wish *wish = arg;
    struct mg_account account, owner;
    int found = mg_address_claimant(db, wish->email, &account, err);
    if (found <= 0)
        return found;
    found = mg_account_by_name(db, wish->email, &owner, err);
    if (found < 0 || (found == 1 && owner.email_verified))
        return found < 0 ? -1 : 0; /* somebody else's by now */
    return auth_post_ticket(db, wish->app, &account, wish->email,
                            *account.pending_email ? mg_letter_change : mg_letter_verify, err);
}

/* The reply goes out before anything is looked up, so that neither its text nor its time tells
 * whether the address is known. */
int
auth_resend(struct mg_request *req, void *context, struct mg_err *err)
{
    struct wish wish = {.app = context};
    if (auth_read_body(req, resend_fields, 1, &wish, err) != 0 ||
        mg_account_check_email(wish.email, err) != 0 ||
        auth_limit(req, wish.app, MG_LIMIT_ASK, err) != 0)
        return -1;
    auth_reply_object(req, 202, "email_request");
    auth_mail_later(wish.app, "resend", wish.email, resend, &wish);
    return 0;
}

static const struct mg_field change_fields[] = {
    {"email", MG_FIELD_STRING, true, offsetof(struct wish, email), 0, 0},
    {"password", MG_FIELD_STRING, true, offsetof(struct wish, password), 1, 1024},
};

/* The old address is told, the new one is asked; one that is somebody else's is told that. */
static int
change(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct wish *wish = arg;
    struct mg_account account, owner;
    if (mg_account_by_id(db, wish->account_id, &account, err) != 1)
        return -1;
    int known = mg_account_by_name(db, wish->email, &owner, err);
    if (known < 0)
        return -1;
    if (known == 1 && owner.id == account.id && owner.email_verified)
        return mg_address_state(db, account.id, NULL, err); /* back to what it is */
    const struct mg_letter leaving = {wish->app, account.id, account.username, account.email, ""};
    if (mg_address_state(db, account.id, wish->email, err) != 0 ||
        (account.email_verified && mg_letter_leaving(db, &leaving, err) != 0))
        return -1;
    const struct mg_letter taken = {wish->app, owner.id, owner.username, wish->email, ""};
    if (known == 1 && owner.id != account.id)
        return mg_letter_known(db, &taken, err);
    return auth_post_ticket(db, wish->app, &account, wish->email,
                            account.email_verified ? mg_letter_change : mg_letter_verify, err);
}

int
auth_change_email(struct mg_request *req, void *context, struct mg_err *err)
{
    struct wish wish = {.app = context, .account_id = mg_service_caller(req)->account_id};
    struct mg_str out;
    struct mg_jw w;
    if (auth_read_body(req, change_fields, 2, &wish, err) != 0 ||
        mg_account_check_email(wish.email, err) != 0 ||
        auth_limit(req, wish.app, MG_LIMIT_ASK, err) != 0 ||
        auth_confirm(req, wish.app, wish.password, err) != 0 ||
        auth_limit_mail(wish.app, wish.email, err) != 0 ||
        auth_txn(wish.app, "change address", change, &wish, err) != 0)
        return -1;
    mg_str_init(&out, AUTH_REPLY_MAX);
    mg_jw_init(&w, &out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "email_change");
    mg_jw_string(&w, "pending_email", wish.email);
    mg_jw_end(&w);
    return auth_reply(req, 202, &out);
}
