#include "service/letter.h"

#include "mail/mail.h"

#include <string.h>

static const char bye[] = "\nThis mail was sent because of what somebody did at the address above. "
                          "Nobody reads replies to it.\n";

/* Posts what `text` holds, with an ending; frees it. */
static int
post(struct mg_db *db, const struct mg_letter *l, const char *subject, struct mg_str *text,
     struct mg_err *err)
{
    mg_str_addf(text, "\n--\n%s\n%s", l->app->conf->base_url, bye + 1);
    const struct mg_mail mail = {
        .account_id = l->account_id,
        .to = l->to,
        .subject = subject,
        .text = mg_str_ok(text) ? text->p : "",
        .vault = *l->token != '\0' ? &l->app->vault : NULL,
    };
    int rc = mg_mail_post(db, &mail, err);
    mg_str_free(text);
    return rc;
}

static void
begin(const struct mg_letter *l, struct mg_str *text)
{
    mg_str_init(text, MG_MAIL_TEXT_MOST);
    mg_str_addf(text, "Hello %s,\n\n", l->username);
}

/* The token stands behind the #, which browsers keep to themselves: no log and no scanner of
 * links can use it up. */
static void
add_link(const struct mg_letter *l, const char *page, struct mg_str *text)
{
    mg_str_addf(text, "    %s/%s/#t=%s\n\n", l->app->conf->base_url, page, l->token);
}

int
mg_letter_verify(struct mg_db *db, const struct mg_letter *l, struct mg_err *err)
{
    struct mg_str text;
    begin(l, &text);
    mg_str_addf(&text, "an account with the name %s was made with your mail address. To confirm "
                       "that the\naddress is yours, open this page and press its button:\n\n",
                l->username);
    add_link(l, "verify", &text);
    mg_str_addz(&text, "The link works once, for two days. If you did not make this account, do "
                       "nothing: without\nyour confirmation your address stays yours.\n");
    return post(db, l, "Confirm your mail address", &text, err);
}

int
mg_letter_known(struct mg_db *db, const struct mg_letter *l, struct mg_err *err)
{
    struct mg_str text;
    begin(l, &text);
    mg_str_addf(&text,
                "somebody, perhaps you, has just given your mail address for an account. It\n"
                "belongs to your account %s already, so nothing was changed. If you have\n"
                "forgotten your password, choose another one here:\n\n    %s/reset/\n\n"
                "If it was not you, there is nothing to do.\n",
                l->username, l->app->conf->base_url);
    return post(db, l, "You have an account already", &text, err);
}

int
mg_letter_reset(struct mg_db *db, const struct mg_letter *l, struct mg_err *err)
{
    struct mg_str text;
    begin(l, &text);
    mg_str_addz(&text, "to choose another password for your account, open this page:\n\n");
    add_link(l, "reset", &text);
    mg_str_addz(&text, "The link works once, for one hour. If you did not ask for it, do nothing: "
                       "your password\nstays as it is.\n");
    return post(db, l, "Choose another password", &text, err);
}

int
mg_letter_password(struct mg_db *db, const struct mg_letter *l, struct mg_err *err)
{
    struct mg_str text;
    begin(l, &text);
    mg_str_addf(&text, "the password of your account was changed, and all other sessions were "
                       "signed out. If it\nwas not you, choose another password at once:\n\n"
                       "    %s/reset/\n",
                l->app->conf->base_url);
    return post(db, l, "Your password was changed", &text, err);
}

int
mg_letter_change(struct mg_db *db, const struct mg_letter *l, struct mg_err *err)
{
    struct mg_str text;
    begin(l, &text);
    mg_str_addz(&text, "to make this the mail address of your account, open this page and press "
                       "its button:\n\n");
    add_link(l, "verify", &text);
    mg_str_addz(&text, "The link works once, for two days. If you did not ask for it, do "
                       "nothing.\n");
    return post(db, l, "Confirm your new mail address", &text, err);
}

int
mg_letter_leaving(struct mg_db *db, const struct mg_letter *l, struct mg_err *err)
{
    struct mg_str text;
    begin(l, &text);
    mg_str_addf(&text, "somebody who knows your password has asked to replace the mail address of "
                       "your account.\nThis one stays until the new one is confirmed. If it was "
                       "not you, choose another password\nat once:\n\n    %s/reset/\n",
                l->app->conf->base_url);
    return post(db, l, "Another mail address was asked for", &text, err);
}

int
mg_letter_left(struct mg_db *db, const struct mg_letter *l, struct mg_err *err)
{
    struct mg_str text;
    begin(l, &text);
    mg_str_addz(&text, "your account has another mail address now; this one is no longer used. If "
                       "it was not you,\nwrite to us.\n");
    return post(db, l, "Your mail address was changed", &text, err);
}
