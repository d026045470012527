/* A value as a literal of the language that it lands in. Whatever the value holds, it stays one
 * string there and nothing of it is carried out. Values are UTF-8 without NUL. Pure. */
#ifndef MG_SETUP_ESCAPE_H
#define MG_SETUP_ESCAPE_H

#include "base/str.h"

enum mg_setup_language {
    MG_SETUP_SH,      /* POSIX shell: 'single quoted' */
    MG_SETUP_PS,      /* PowerShell: 'single quoted', every quote character doubled */
    MG_SETUP_JSON,    /* "quoted"; a string of YAML, too */
    MG_SETUP_TOML,    /* "basic string" */
    MG_SETUP_COMMENT, /* a piece of one comment line: no control characters, no line ends */
    MG_SETUP_URL      /* inside a URL, percent-encoded as a path segment */
};

/* Appends the literal with its quotes. */
void mg_escape(enum mg_setup_language language, const char *value, struct mg_str *out)
    __attribute__((nonnull));
/* "sh", "ps", "json", "toml", "comment", "url": the language, or -1. */
int mg_escape_language(struct mg_span name);

#endif
