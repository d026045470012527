/* The worker that takes mails from the queue and hands them to the mail server.
 *
 * Each process that has one takes turns with all others: a mail is claimed with a lease, tried,
 * and put back for later when it fails, ever more seldom, until it is given up. Without a mail
 * server (setting smtp_url) mails wait in the queue. */
#ifndef MG_MAIL_POSTMAN_H
#define MG_MAIL_POSTMAN_H

#include "base/conf.h"
#include "base/vault.h"
#include "db/db.h"

struct mg_postman;

/* What else has to be done every few minutes where the worker runs: removing what is too old. A
 * failure is logged, and tried again next time. */
typedef int mg_postman_chore(struct mg_db *db, const struct mg_conf *conf, struct mg_err *err);

/* Starts the worker's thread. conf and vault must outlive it. NULL with err when the settings
 * cannot work (mail_from, smtp_url, smtp_password_file). */
struct mg_postman *mg_postman_start(const struct mg_conf *conf, const struct mg_vault *vault,
                                    mg_postman_chore *chore, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Ends it; an attempt that is under way is broken off and made again later. NULL is allowed. */
void mg_postman_stop(struct mg_postman **postman) __attribute__((nonnull));

/* How long to wait after that many attempts: a minute at first, at most six hours. ms. */
int64_t mg_postman_wait(int attempts);

#endif
