/* mg-auth: the handlers of its route table (fcgi/auth.c), by topic, one file each, and what they
 * share. */
#ifndef MG_FCGI_AUTH_H
#define MG_FCGI_AUTH_H

#include "http/reply.h"
#include "identity/account.h"
#include "identity/session.h"
#include "identity/throttle.h"
#include "json/field.h"
#include "json/writer.h"
#include "service/letter.h"
#include "service/service.h"

#define AUTH_REPLY_MAX ((size_t)1 << 20) /* bytes of a JSON reply */

/* Sends the JSON text and frees it. Returns 0, what a handler returns. */
int auth_reply(struct mg_request *req, int status, struct mg_str *out) __attribute__((nonnull));
/* The same for a result that is nothing but {"object": name}. */
int auth_reply_object(struct mg_request *req, int status, const char *object)
    __attribute__((nonnull));
/* Parses the body and reads `count` string fields by a table into `dest`, copied into the
 * request's pool. 0, or -1 with a 400 or 422. */
int auth_read_body(struct mg_request *req, const struct mg_field *fields, size_t count,
                   void *dest, struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* Runs fn in a transaction on a connection of the pool. 0 or -1. */
int auth_txn(struct mg_app *app, const char *name, mg_db_work *fn, void *arg,
             struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* Computes the hash of a new password. 0, or -1 with a 429. */
int auth_hash(struct mg_app *app, const char *password, char hash[MG_PASSWORD_HASH],
              struct mg_err *err) __attribute__((nonnull, warn_unused_result));

/* Counts a request of the client's address under a limit. 0, or -1 (429, 503). */
int auth_limit(struct mg_request *req, struct mg_app *app, enum mg_limit limit,
               struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* Counts a mail to an address. 0, or -1 (429, 503). */
int auth_limit_mail(struct mg_app *app, const char *email, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Asks for the caller's password again. 0, or -1 with a 401 or 429. */
int auth_confirm(struct mg_request *req, struct mg_app *app, const char *password,
                 struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* Makes a ticket that confirms `email` for the account, and posts the letter with it: a step of
 * the caller's transaction. 0 or -1. */
int auth_post_ticket(struct mg_db *db, const struct mg_app *app, const struct mg_account *account,
                     const char *email, mg_letter_post *letter, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* After the reply: posts a mail to an address if it did not get too many; what goes wrong is
 * logged, the client asks again. */
void auth_mail_later(struct mg_app *app, const char *name, const char *email, mg_db_work *fn,
                     void *arg) __attribute__((nonnull));

/* auth_signin.c */
mg_handler auth_login, auth_logout;
/* Answers with a session and gives the client its cookie. Returns 0. */
int auth_reply_session(struct mg_request *req, const struct mg_app *app, const char *token,
                       int64_t expires_ms, const struct mg_account *account)
    __attribute__((nonnull));
void auth_clear_cookie(struct mg_request *req) __attribute__((nonnull));
/* Nothing is held against the account any more, from this place and anywhere; an address that is
 * not confirmed keeps what is held against it. 0 or -1. */
int auth_forget_failures(struct mg_db *db, const struct mg_account *account, const char *place,
                         struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* auth_register.c */
mg_handler auth_register;
/* auth_verify.c */
mg_handler auth_verify, auth_resend, auth_change_email;
/* auth_password.c */
mg_handler auth_change_password, auth_forgot, auth_reset;
/* auth_session.c */
mg_handler auth_list_sessions, auth_end_session, auth_end_others;

#endif
