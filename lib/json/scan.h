/* JSON seen as bytes: where the members of an object begin and end.
 *
 * For pass-through the original text is what counts (number spelling, key order, escapes), so
 * it is never re-serialised: this scanner finds the span of a member and json/splice replaces
 * it. The scanner checks brackets and strings enough to be safe on any bytes; whether it is
 * good JSON is for json/parse to say. */
#ifndef MG_JSON_SCAN_H
#define MG_JSON_SCAN_H

#include "base/str.h"

#include <stdbool.h>

/* One member of an object, as spans into the scanned bytes. */
struct mg_member {
    struct mg_span key;   /* without its quotes, escapes not decoded */
    struct mg_span value; /* without surrounding white space */
};

/* Walks the members of the object that `json` holds. `*at` starts at 0 and is the walker's
 * memory. 1: *member is filled; 0: no more members; -1: not an object or broken. */
int mg_scan_next(struct mg_span json, size_t *at, struct mg_member *member)
    __attribute__((nonnull));
/* True when the key of a member means `text`, however it is spelled: "\u006dodel" is "model"
 * for every JSON reader, and must not slip past us to the upstream. */
bool mg_scan_key_is(struct mg_span key, const char *text) __attribute__((nonnull));
/* Finds `key` at the top level of an object. 1 found, 0 not there, -1 broken. With duplicates
 * the last one counts, as in json-c. */
int mg_scan_member(struct mg_span json, const char *key, struct mg_span *value)
    __attribute__((nonnull));
/* The same for readers to whom an absent member, a broken one and one of something that is no
 * object are all the same: the value, or an empty span. */
struct mg_span mg_scan_value(struct mg_span object, const char *key) __attribute__((nonnull));
/* Follows a path of keys ("response", "model", NULL) down. 1, 0 or -1 as above. */
int mg_scan_path(struct mg_span json, const char *const *path, struct mg_span *value)
    __attribute__((nonnull));
/* Walks the elements of an array like mg_scan_next walks members. */
int mg_scan_element(struct mg_span json, size_t *at, struct mg_span *value)
    __attribute__((nonnull));
/* The text of a JSON string span (with its quotes), escapes decoded, appended to out; false
 * when it is no string or holds a broken escape. */
bool mg_scan_string(struct mg_span value, struct mg_str *out) __attribute__((nonnull));

#endif
