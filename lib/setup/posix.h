/* The shell scripts: pieces of posix/ put together, for Linux, macOS and what runs on both. They
 * keep to POSIX sh and `local`, and need awk, cmp and curl or wget. Inside of this room. */
#ifndef MG_SETUP_POSIX_H
#define MG_SETUP_POSIX_H

#include "setup/script.h"

/* As mg_setup_script, for a target of kind MG_SETUP_POSIX. */
int mg_setup_posix(const struct mg_setup_target *target, const struct mg_setup_facts *facts,
                   bool uninstall, struct mg_str *out, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
