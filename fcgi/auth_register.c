/* A new account from the public page. */
#include "fcgi/auth.h"

#include "identity/ticket.h"
#include "ledger/wallet.h"

#include <stddef.h>

struct registration {
    const char *username, *email, *password;
    struct mg_app *app;
    char hash[MG_PASSWORD_HASH];
    bool quiet; /* the address got too many mails: no further one, and nobody learns that */
};

static const struct mg_field register_fields[] = {
    {"username", MG_FIELD_STRING, true, offsetof(struct registration, username), 0, 0},
    {"email", MG_FIELD_STRING, true, offsetof(struct registration, email), 0, 0},
    {"password", MG_FIELD_STRING, true, offsetof(struct registration, password), 0, 0},
};

/* Everything that is wrong, at once. */
static int
check(const struct registration *r, struct mg_err *err)
{
    int rc = mg_account_check_username(r->username, err);
    rc |= mg_account_check_email(r->email, err);
    rc |= mg_password_check(r->password, r->username, r->email, "password", err);
    return rc != 0 ? -1 : 0;
}

/* Inside the transaction that makes the account: its wallet, and the mail. Whoever registers
 * learns nothing of the address; if it is an account's already, that one's owner is told. */
static int
open_account(struct mg_db *db, uint64_t id, void *arg, struct mg_err *err)
{
    const struct registration *r = arg;
    struct mg_account owner;
    char token[MG_TICKET_SIZE];
    if (mg_wallet_create(db, id, err) != 0 ||
        mg_ticket_make(db, MG_TICKET_VERIFY, id, r->email, token, err) != 0)
        return -1;
    int known = mg_account_by_name(db, r->email, &owner, err);
    if (known < 0 || r->quiet)
        return known < 0 ? -1 : 0;
    struct mg_letter letter = {r->app, id, r->username, r->email, token};
    if (known == 0)
        return mg_letter_verify(db, &letter, err);
    letter = (struct mg_letter){r->app, owner.id, owner.username, owner.email, ""};
    return mg_letter_known(db, &letter, err);
}

static int
create(struct registration *r, struct mg_err *err)
{
    const struct mg_account_spec spec = {
        .username = r->username,
        .pending_email = r->email,
        .password = r->hash,
        .also = open_account,
        .arg = r,
    };
    struct mg_account account;
    char secret[MG_KEY_SIZE];
    struct mg_db *db = mg_db_pool_get(r->app->db, err);
    if (db == NULL)
        return -1;
    int rc = mg_account_create(db, &r->app->vault, &spec, &account, secret, err);
    mg_db_pool_put(r->app->db, db);
    mg_wipe(secret, sizeof(secret));
    return rc;
}

static int
spare(struct registration *r, struct mg_err *err)
{
    if (auth_limit_mail(r->app, r->email, err) == 0)
        return 0;
    r->quiet = err->status == 429;
    if (r->quiet)
        mg_err_free(err);
    return r->quiet ? 0 : -1;
}

int
auth_register(struct mg_request *req, void *context, struct mg_err *err)
{
    struct registration r = {.app = context};
    struct mg_str out;
    struct mg_jw w;
    if (auth_read_body(req, register_fields, 3, &r, err) != 0 || check(&r, err) != 0 ||
        auth_limit(req, r.app, MG_LIMIT_REGISTER, err) != 0 || spare(&r, err) != 0 ||
        auth_hash(r.app, r.password, r.hash, err) != 0 || create(&r, err) != 0)
        return -1;
    mg_str_init(&out, AUTH_REPLY_MAX);
    mg_jw_init(&w, &out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "account");
    mg_jw_string(&w, "username", r.username);
    mg_jw_string(&w, "email", r.email);
    mg_jw_string(&w, "verification", "sent");
    mg_jw_end(&w);
    return auth_reply(req, 201, &out);
}
