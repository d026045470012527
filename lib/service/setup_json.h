/* Setup scripts as JSON: all of an account's, and the command that fetches one. */
#ifndef MG_SERVICE_SETUP_JSON_H
#define MG_SERVICE_SETUP_JSON_H

#include "setup/script.h"

/* GET /api/setup. 0, or -1 with err. */
int mg_json_setup(const struct mg_setup_facts *facts, struct mg_str *out, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* POST /api/setup/{target}. */
void mg_json_setup_command(const struct mg_setup_target *target, const char *url,
                           int64_t expires_ms, struct mg_str *out) __attribute__((nonnull));

#endif
