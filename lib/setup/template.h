/* Filling templates.
 *
 * A template is text with places <%LANGUAGE:NAME%>, where LANGUAGE is one of setup/escape.h: the
 * value of that name becomes a literal of that language. Two languages, outer first, nest:
 * <%sh.json:NAME%> is a shell string that holds a JSON string. There is no way to put a value in
 * bare, but <%text:NAME%> for what the program itself has rendered. Pure. */
#ifndef MG_SETUP_TEMPLATE_H
#define MG_SETUP_TEMPLATE_H

#include "base/err.h"
#include "base/str.h"

struct mg_setup_value {
    const char *name;
    const char *value; /* UTF-8 */
};

/* Appends the filled template. `values` ends with a row without a name. 0, or -1 with err (500):
 * the template names what is not there. */
int mg_template_fill(const char *text, const struct mg_setup_value *values, struct mg_str *out,
                     struct mg_err *err) __attribute__((nonnull, warn_unused_result));

#endif
