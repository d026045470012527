/* mgctl account password, reset-password, sessions, verify: how an account is signed in to. */
#include "ctl/signin.h"

#include "base/digest.h"
#include "ctl/sheet.h"
#include "ctl/who.h"
#include "identity/address.h"
#include "identity/session.h"
#include "identity/signin.h"
#include "identity/ticket.h"
#include "service/letter.h"
#include "service/verify.h"

#include <stdlib.h>
#include <string.h>

int
mg_signin_read(struct mg_ctl *ctl, const char *username, const char *email,
               char hash[MG_PASSWORD_HASH])
{
    char *password = mg_conf_secret(mg_ctl_option(ctl, "password-file"), MG_PASSWORD_MOST + 2,
                                    &ctl->err);
    if (password == NULL)
        return -1;
    int rc = mg_password_check(password, username, email, "password", &ctl->err);
    if (rc == 0) {
        struct mg_hasher *hasher = mg_hasher_new((int)ctl->conf.password_cost);
        mg_hasher_hash(hasher, password, hash);
        mg_hasher_free(&hasher);
    }
    mg_wipe(password, strlen(password));
    free(password);
    return rc;
}

struct change {
    uint64_t account_id;
    const char *hash;
};

/* A new password ends what the old one opened. */
static int
change(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct change *c = arg;
    if (mg_signin_set(db, c->account_id, c->hash, err) < 0 ||
        mg_address_keep(db, c->account_id, err) != 0)
        return -1;
    return mg_session_end_all(db, c->account_id, 0, NULL, err);
}

static int
set_password(struct mg_ctl *ctl)
{
    struct mg_account account;
    char hash[MG_PASSWORD_HASH];
    if (mg_who_find(ctl, ctl->operand[0], &account) != 0 ||
        mg_signin_read(ctl, account.username, account.email, hash) != 0)
        return -1;
    struct change c = {account.id, hash};
    if (mg_db_txn(ctl->db, "account password", change, &c, &ctl->err) != 0)
        return -1;
    mg_ctl_say(ctl, "account %s has another password; its sessions have ended", account.username);
    return 0;
}

struct proof {
    struct mg_ctl *ctl;
    const struct mg_account *account;
    struct mg_verified verified;
};

static int
confirm(struct mg_db *db, void *arg, struct mg_err *err)
{
    struct proof *p = arg;
    int found = mg_verify_address(db, &p->ctl->conf, &p->ctl->vault, p->account->id,
                                  p->account->email, &p->verified, err);
    return found == 1 ? 0
           : found < 0 ? -1
                       : mg_err_internal(err, "account %s states another address by now",
                                         p->account->username);
}

static int
verify(struct mg_ctl *ctl)
{
    static const struct mg_column columns[] = {{"account", "account"}, {"email", "email"},
                                               {"trial", "trial given"}, {"credit", "credit"},
                                               {"expires", "it expires"}};
    struct mg_account account;
    struct mg_sheet t;
    if (mg_who_find(ctl, ctl->operand[0], &account) != 0)
        return -1;
    if (*account.email == '\0')
        return mg_err_set(&ctl->err, 409, "no_email", "account %s has no mail address",
                          account.username);
    struct proof proof = {.ctl = ctl, .account = &account};
    if (mg_db_txn(ctl->db, "account verify", confirm, &proof, &ctl->err) != 0)
        return -1;
    mg_sheet_init(&t, ctl, columns, 5);
    mg_sheet_text(&t, account.username);
    mg_sheet_text(&t, account.email);
    mg_sheet_bool(&t, proof.verified.trial);
    mg_sheet_money(&t, proof.verified.credit);
    mg_sheet_time(&t, proof.verified.expires_ms);
    return mg_sheet_print_record(&t);
}

static int
end_sessions(struct mg_ctl *ctl, const struct mg_account *account)
{
    uint64_t ended;
    if (mg_session_end_all(ctl->db, account->id, 0, &ended, &ctl->err) != 0)
        return -1;
    mg_ctl_say(ctl, "%llu sessions of account %s have ended", (unsigned long long)ended,
               account->username);
    return 0;
}

static int
sessions(struct mg_ctl *ctl)
{
    static const struct mg_column columns[] = {{"session", "SESSION"},  {"created", "CREATED"},
                                               {"seen", "LAST SEEN"},   {"expires", "EXPIRES"},
                                               {"address", "ADDRESS"},  {"program", "PROGRAM"}};
    struct mg_account account;
    struct mg_session *list;
    struct mg_sheet t;
    size_t count;
    if (mg_who_find(ctl, ctl->operand[0], &account) != 0)
        return -1;
    if (mg_ctl_option(ctl, "end") != NULL)
        return end_sessions(ctl, &account);
    if (mg_session_list(ctl->db, &ctl->conf, account.id, ctl->pool, &list, &count, &ctl->err) != 0)
        return -1;
    mg_sheet_init(&t, ctl, columns, 6);
    for (size_t i = 0; i < count; i++) {
        mg_sheet_int(&t, (int64_t)list[i].id);
        mg_sheet_time(&t, list[i].created_ms);
        mg_sheet_time(&t, list[i].seen_ms);
        mg_sheet_time(&t, list[i].expires_ms);
        mg_sheet_text(&t, list[i].address);
        mg_sheet_text(&t, list[i].user_agent);
    }
    return mg_sheet_print(&t);
}

struct link {
    struct mg_app app;
    const struct mg_account *account;
    bool mailed;
    char token[MG_TICKET_SIZE];
};

static int
make_link(struct mg_db *db, void *arg, struct mg_err *err)
{
    struct link *l = arg;
    const struct mg_account *a = l->account;
    if (mg_ticket_make(db, MG_TICKET_RESET, a->id, a->email, l->token, err) != 0)
        return -1;
    const struct mg_letter letter = {&l->app, a->id, a->username, a->email, l->token};
    return l->mailed ? mg_letter_reset(db, &letter, err) : 0;
}

static int
reset_password(struct mg_ctl *ctl)
{
    static const struct mg_column columns[] = {{"account", "account"}, {"link", "link"}};
    struct mg_account account;
    struct mg_sheet t;
    struct link link = {.app = {.conf = &ctl->conf, .vault = ctl->vault},
                        .account = &account,
                        .mailed = mg_ctl_option(ctl, "show") == NULL};
    if (mg_who_find(ctl, ctl->operand[0], &account) != 0)
        return -1;
    if (link.mailed && *account.email == '\0')
        return mg_err_set(&ctl->err, 409, "no_email",
                          "account %s has no mail address; take --show", account.username);
    int rc = mg_db_txn(ctl->db, "account reset-password", make_link, &link, &ctl->err);
    mg_wipe(&link.app.vault, sizeof(link.app.vault));
    if (rc != 0)
        return -1;
    if (link.mailed) {
        mg_ctl_say(ctl, "a mail to %s waits to be sent", account.email);
        return 0;
    }
    mg_sheet_init(&t, ctl, columns, 2);
    mg_sheet_text(&t, account.username);
    mg_sheet_text(&t, mg_pool_printf(ctl->pool, "%s/reset/#t=%s", ctl->conf.base_url, link.token));
    return mg_sheet_print_record(&t);
}

static const struct mg_option password_options[] = {
    {"password-file", "FILE", "the password, on the first line; - is standard input", true},
    {0},
};
static const struct mg_option reset_options[] = {
    {"show", NULL, "print the link instead of mailing it", false},
    {0},
};
static const struct mg_option session_options[] = {
    {"end", NULL, "end them all", false},
    {0},
};

const struct mg_command mg_signin_commands[] = {
    {"account", "password", "ACCOUNT", 1, 1, MG_NEEDS_DB, set_password, NULL, password_options,
     "give the account another password for its dashboard", "All its sessions end."},
    {"account", "reset-password", "ACCOUNT", 1, 1, MG_NEEDS_DB | MG_NEEDS_VAULT, reset_password,
     NULL, reset_options, "mail a link by which its owner chooses another password",
     "The link works once, for an hour."},
    {"account", "sessions", "ACCOUNT", 1, 1, MG_NEEDS_DB, sessions, NULL, session_options,
     "list the sessions of an account, or end them", NULL},
    {"account", "verify", "ACCOUNT", 1, 1, MG_NEEDS_DB | MG_NEEDS_VAULT, verify, NULL, NULL,
     "confirm the mail address of an account in its owner's place",
     "What confirming unlocks is given as always: one trial an account and an address."},
    {0},
};
