/* The links in mails: who shows one reads mail at an address of the account.
 *
 * A ticket is a secret of identity/token.h that begins with "mgt_", known to the database by its
 * hash, good for one use and some hours. Owns the ticket table; writes no mail. */
#ifndef MG_IDENTITY_TICKET_H
#define MG_IDENTITY_TICKET_H

#include "base/err.h"
#include "db/db.h"

#include <stdint.h>

#define MG_TICKET_SIZE 54 /* "mgt_" + 43 + 6 + NUL */

enum mg_ticket_kind {
    MG_TICKET_VERIFY, /* confirms an address; 48 hours */
    MG_TICKET_RESET   /* sets another password; one hour */
};

struct mg_ticket {
    uint64_t account_id;
    char email[255]; /* where it was sent */
};

/* Makes a ticket; a step of the caller's transaction. `token` receives the secret. 0 or -1. */
int mg_ticket_make(struct mg_db *db, enum mg_ticket_kind kind, uint64_t account_id,
                   const char *email, char token[MG_TICKET_SIZE], struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Looks a ticket up and leaves it as it is; as mg_ticket_use otherwise. */
int mg_ticket_look(struct mg_db *db, enum mg_ticket_kind kind, const char *token,
                   struct mg_ticket *ticket, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Takes a ticket that was shown, with all others of its kind for this account: a step of the
 * caller's transaction. 1 with *ticket; 0 with a 400 `invalid_token` (malformed, unknown, used,
 * too old: one text); -1. */
int mg_ticket_use(struct mg_db *db, enum mg_ticket_kind kind, const char *token,
                  struct mg_ticket *ticket, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Takes away all tickets of a kind that an account has. 0 or -1. */
int mg_ticket_revoke(struct mg_db *db, enum mg_ticket_kind kind, uint64_t account_id,
                     struct mg_err *err) __attribute__((nonnull, warn_unused_result));

/* Removes what is too old. 0 or -1. */
int mg_ticket_tidy(struct mg_db *db, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
