/* mg-auth: the handlers of its route table (fcgi/auth.c), by topic, one file each, and what they
 * share. */
#ifndef MG_FCGI_AUTH_H
#define MG_FCGI_AUTH_H

#include "http/reply.h"
#include "identity/account.h"
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
struct mg_field;
int auth_read_body(struct mg_request *req, const struct mg_field *fields, size_t count,
                   void *dest, struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* Runs fn in a transaction on a connection of the pool. 0 or -1. */
int auth_txn(struct mg_app *app, const char *name, mg_db_work *fn, void *arg,
             struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* Computes the hash of a new password. 0, or -1 with a 429. */
int auth_hash(struct mg_app *app, const char *password, char hash[MG_PASSWORD_HASH],
              struct mg_err *err) __attribute__((nonnull, warn_unused_result));

/* auth_signin.c */
mg_handler auth_login, auth_logout;
/* Gives the client the cookie of a session. */
void auth_set_cookie(struct mg_request *req, const struct mg_app *app, const char *token)
    __attribute__((nonnull));
/* auth_register.c */
mg_handler auth_register;

#endif
