/* Base64 in both alphabets (RFC 4648). */
#ifndef MG_WIRE_BASE64_H
#define MG_WIRE_BASE64_H

#include "base/str.h"

#include <stdbool.h>

/* Appends n bytes in the URL-safe alphabet, without padding. */
void mg_base64url(const void *bytes, size_t n, struct mg_str *out) __attribute__((nonnull(3)));
/* Appends the decoded bytes of either alphabet, padding optional, line breaks and blanks
 * skipped. false when something else stands there or bits are left over. */
bool mg_base64_decode(struct mg_span text, struct mg_str *out) __attribute__((nonnull));

#endif
