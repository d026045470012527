/* Keys as JSON: how lists show them, and what a request may ask of one. */
#ifndef MG_SERVICE_KEY_JSON_H
#define MG_SERVICE_KEY_JSON_H

#include "base/str.h"
#include "catalogue/catalogue.h"
#include "identity/keyring.h"

#include <json-c/json_object.h>

/* One key; `secret` is there when it was just made, else NULL. */
void mg_json_key(const struct mg_key *key, const char *secret, struct mg_str *out)
    __attribute__((nonnull(1, 3)));
/* GET /api/keys. */
void mg_json_keys(const struct mg_key *keys, size_t count, struct mg_str *out)
    __attribute__((nonnull(3)));

/* Reads what a body says of a key over `options`: `name`, `expires_at` (RFC 3339, after `now_ms`),
 * `models` (ids of the catalogue) and `monthly_limit` (a decimal amount of credits). Absent
 * members leave their option as it is, null clears it. 0, or -1 with a 422 that lists every
 * problem. */
int mg_json_key_options(struct json_object *body, const struct mg_catalogue *catalogue,
                        int64_t now_ms, struct mg_key_options *options, struct mg_err *err)
    __attribute__((nonnull(2, 4, 5), warn_unused_result));

#endif
