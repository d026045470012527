/* The account that an operator's word means. */
#ifndef MG_CTL_WHO_H
#define MG_CTL_WHO_H

#include "ctl/command.h"
#include "identity/account.h"

/* Finds an account by its username, mail address or id (digits). 0, or -1 with ctl->err (404
 * that repeats the word). */
int mg_who_find(struct mg_ctl *ctl, const char *word, struct mg_account *account)
    __attribute__((nonnull, warn_unused_result));

#endif
