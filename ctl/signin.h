/* A password from the operator's hand: read, checked, hashed. */
#ifndef MG_CTL_SIGNIN_H
#define MG_CTL_SIGNIN_H

#include "ctl/command.h"
#include "identity/password.h"

/* Reads the option --password-file (- is standard input) and hashes what it holds. The username
 * and address (NULL = none) are those that the password must not be. 0, or -1 with ctl->err. */
int mg_signin_read(struct mg_ctl *ctl, const char *username, const char *email,
                   char hash[MG_PASSWORD_HASH])
    __attribute__((nonnull(1, 2, 4), warn_unused_result));

#endif
