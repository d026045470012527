/* Bodies of the type application/x-www-form-urlencoded, pair by pair. Pure. Source: WHATWG URL
 * section 5, RFC 3986 section 2.3. */
#ifndef MG_PAYMENT_FORM_H
#define MG_PAYMENT_FORM_H

#include "base/str.h"

#include <stdint.h>

/* Appends `name=value`, with an & before it unless the form is empty. The name is a constant of
 * ours that needs no encoding (brackets stay); of the value everything but A-Z a-z 0-9 - . _ ~
 * is percent-encoded. */
void mg_form_add(struct mg_str *form, const char *name, const char *value)
    __attribute__((nonnull));
void mg_form_add_int(struct mg_str *form, const char *name, int64_t value)
    __attribute__((nonnull));
/* Appends the encoded value alone: for paths and queries. */
void mg_form_encode(struct mg_str *out, const char *value) __attribute__((nonnull));

#endif
