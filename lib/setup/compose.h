/* Scripts put together: the values that all templates share, what is written into foreign files in
 * their own languages, and the pieces of posix/ one behind the other. The shell scripts keep to
 * POSIX sh and `local`, and need awk, cmp and curl or wget. Inside of this room. */
#ifndef MG_SETUP_COMPOSE_H
#define MG_SETUP_COMPOSE_H

#include "setup/script.h"

/* As mg_setup_script. */
int mg_setup_compose(const struct mg_setup_target *target, const struct mg_setup_facts *facts,
                     bool uninstall, struct mg_str *out, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
