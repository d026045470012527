/* Changing a few top-level members of a JSON object and nothing else.
 *
 * Everything that is not named in the edits leaves exactly as it came: key order, spacing,
 * spelling of numbers, escapes. */
#ifndef MG_JSON_SPLICE_H
#define MG_JSON_SPLICE_H

#include "base/str.h"

/* One edit. `value` is JSON text: it replaces the value of `key`, or is added behind the last
 * member when the key is not there. An empty value (n = 0) removes the member. */
struct mg_edit {
    const char *key;
    struct mg_span value;
};

/* Writes `json` with the edits (at most 64) into out (appended). 0, or -1 when json is not an
 * object or out is full. */
int mg_splice(struct mg_span json, const struct mg_edit *edits, size_t count,
              struct mg_str *out) __attribute__((nonnull, warn_unused_result));
/* Writes `json` with the bytes of `part`, a span inside it, replaced by `with`. */
void mg_splice_span(struct mg_span json, struct mg_span part, struct mg_span with,
                    struct mg_str *out) __attribute__((nonnull));

#endif
