/* Mails: written into a queue in the transaction of what they tell, sent by a worker later.
 *
 * A mail is posted if and only if the transaction commits, and then it is sent at least once,
 * though no mail server may be there for days. Owns the mail table; what a mail says is its
 * caller's business. */
#ifndef MG_MAIL_MAIL_H
#define MG_MAIL_MAIL_H

#include "base/err.h"
#include "base/id.h"
#include "base/vault.h"
#include "db/db.h"

#include <stdint.h>

#define MG_MAIL_SUBJECT_MOST 200    /* bytes */
#define MG_MAIL_TEXT_MOST ((size_t)64 * 1024)

struct mg_mail {
    uint64_t account_id;       /* whom it concerns; 0 = nobody, then `to` is needed */
    const char *to;            /* address; NULL = the account's own, if it is a confirmed one */
    const char *subject;       /* one line of UTF-8 */
    const char *text;          /* UTF-8, lines end with \n */
    const uint8_t *ref;        /* MG_ID_BYTES, unique: posted once (mg_grant_ref makes such ones);
                                * NULL = always */
    const struct mg_vault *vault; /* the text holds a secret and is kept sealed; NULL = plain */
};

/* Posts a mail: a step of the caller's transaction, or alone. 0 also when `ref` was posted before
 * and when the account has no confirmed address to write to; -1 with err: 422 for an address or
 * text that no mail can have, or the database's. */
int mg_mail_post(struct mg_db *db, const struct mg_mail *mail, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
