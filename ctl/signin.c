/* mgctl account password, verify, sessions: how an account is signed in to. */
#include "ctl/signin.h"

#include "base/digest.h"
#include "ctl/sheet.h"
#include "ctl/who.h"
#include "identity/signin.h"
#include "identity/session.h"

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
    if (mg_signin_set(db, c->account_id, c->hash, err) < 0)
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

static const struct mg_option password_options[] = {
    {"password-file", "FILE", "the password, on the first line; - is standard input", true},
    {0},
};

const struct mg_command mg_signin_commands[] = {
    {"account", "password", "ACCOUNT", 1, 1, MG_NEEDS_DB, set_password, NULL, password_options,
     "give the account another password for its dashboard", "All its sessions end."},
    {0},
};
