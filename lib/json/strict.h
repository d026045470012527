/* The rules of JSON that json-c does not enforce, not even when asked to be strict: names in
 * single quotes, NaN and Infinity, 01 and 1., control characters inside strings. Names that hold
 * a NUL are refused too: json-c would cut them there, so that "model\u0000x" were "model". */
#ifndef MG_JSON_STRICT_H
#define MG_JSON_STRICT_H

#include <stdbool.h>
#include <stddef.h>

/* True when a text that json-c accepts is JSON by RFC 8259 too; else *where is the index of the
 * first byte that is not. */
bool mg_strict_json(const char *p, size_t n, size_t *where) __attribute__((nonnull));

#endif
