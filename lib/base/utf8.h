/* Is it UTF-8? */
#ifndef MG_BASE_UTF8_H
#define MG_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* True when the n bytes are well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates). */
bool mg_utf8_valid(const char *p, size_t n);

#endif
