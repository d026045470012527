/* The request target taken apart: path segments and query parameters, percent-decoded.
 *
 * Pure and strict. The raw REQUEST_URI is split first and decoded afterwards, so that an id may
 * contain an encoded slash. Refused: a broken escape, an encoded or literal NUL, bytes that are
 * not UTF-8 (overlong forms too), segments `.` and `..` however they are written, control
 * characters, and targets larger than the limits below. */
#ifndef MG_HTTP_URI_H
#define MG_HTTP_URI_H

#include "base/err.h"
#include "base/pool.h"

#include <stddef.h>

#define MG_URI_MAX 8192
#define MG_URI_SEGMENTS 16
#define MG_URI_PARAMETERS 64

/* A name and its value; both NUL-terminated, neither NULL. */
struct mg_pair {
    const char *name, *value;
};

struct mg_uri {
    const char *path;           /* the raw path without the query, as it came */
    const char *const *segment; /* decoded: "/v1/models/a%2Fb" is "v1", "models", "a/b" */
    size_t segments;            /* one trailing slash does not make a segment; "/" has none */
    const struct mg_pair *query;/* decoded ('+' is a space), in order, repeats kept; brackets
                                 * may come encoded: include%5B%5D=x is "include[]" = "x" */
    size_t queries;
};

/* Parses `target` (origin form "/path?query", or absolute form "http://host/path") into pool
 * memory. An empty segment inside the path is kept as "" and so matches no route. 0, or -1
 * with a 400 (`invalid_url`), or a 414 when it is too long. */
int mg_uri_parse(const char *target, struct mg_pool *pool, struct mg_uri *uri,
                 struct mg_err *err) __attribute__((nonnull, warn_unused_result));

#endif
