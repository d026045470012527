/* The mails about accounts: what each says, posted as a step of the caller's transaction.
 *
 * A letter with a link that opens something lies sealed in the queue. */
#ifndef MG_SERVICE_LETTER_H
#define MG_SERVICE_LETTER_H

#include "infer/app.h"

struct mg_letter {
    const struct mg_app *app;
    uint64_t account_id;
    const char *username;
    const char *to;    /* address */
    const char *token; /* ticket (identity/ticket.h), where the letter has a link */
};

/* All: 0 or -1. */
typedef int mg_letter_post(struct mg_db *db, const struct mg_letter *letter, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

mg_letter_post mg_letter_verify;   /* confirm the address of a new account: link */
mg_letter_post mg_letter_known;    /* somebody stated an address that is this account's already */
mg_letter_post mg_letter_reset;    /* choose another password: link */
mg_letter_post mg_letter_password; /* the password was changed */
mg_letter_post mg_letter_change;   /* confirm another address: link */
mg_letter_post mg_letter_leaving;  /* to the old address: another one was asked for */
mg_letter_post mg_letter_left;     /* to the old address: another one has taken its place */

#endif
