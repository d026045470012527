/* The PowerShell script: pieces of windows/ put together. It keeps to what Windows PowerShell 5.1
 * knows. Inside of this room. */
#ifndef MG_SETUP_WINDOWS_H
#define MG_SETUP_WINDOWS_H

#include "setup/template.h"

#include <stdbool.h>

/* Fills the script, or the one that only undoes; `values` has what every template may name, with
 * room for two more. 0, or -1 with err. */
int mg_setup_windows(struct mg_setup_value *values, size_t count, bool uninstall,
                     struct mg_str *out, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
