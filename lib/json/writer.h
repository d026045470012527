/* JSON out: calls in the order of the text.
 *
 *   mg_jw_object(w, NULL);
 *     mg_jw_string(w, "object", "list");
 *     mg_jw_array(w, "data");
 *     mg_jw_end(w);
 *   mg_jw_end(w);
 *
 * Appends to a struct mg_str. Errors are sticky: ask mg_jw_done() once. A key is needed inside
 * an object and must be NULL inside an array and at the top. Bytes that are not UTF-8 become
 * U+FFFD, so the output is always valid JSON. */
#ifndef MG_JSON_WRITER_H
#define MG_JSON_WRITER_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

#define MG_JW_DEPTH 140

struct mg_jw {
    struct mg_str *out;
    unsigned depth;
    bool failed;
    bool any[MG_JW_DEPTH];    /* an element was written at this depth */
    char close[MG_JW_DEPTH];
};

/* Starts a writer that appends to `out`. */
void mg_jw_init(struct mg_jw *w, struct mg_str *out) __attribute__((nonnull));
void mg_jw_object(struct mg_jw *w, const char *key) __attribute__((nonnull(1)));
void mg_jw_array(struct mg_jw *w, const char *key) __attribute__((nonnull(1)));
/* Closes the innermost object or array. */
void mg_jw_end(struct mg_jw *w) __attribute__((nonnull));

/* Values; a NULL text becomes null. */
void mg_jw_string(struct mg_jw *w, const char *key, const char *text) __attribute__((nonnull(1)));
void mg_jw_bytes(struct mg_jw *w, const char *key, const char *text, size_t n)
    __attribute__((nonnull(1)));
void mg_jw_int(struct mg_jw *w, const char *key, int64_t value) __attribute__((nonnull(1)));
void mg_jw_bool(struct mg_jw *w, const char *key, bool value) __attribute__((nonnull(1)));
void mg_jw_null(struct mg_jw *w, const char *key) __attribute__((nonnull(1)));
/* JSON text that is already right, byte for byte. */
void mg_jw_raw(struct mg_jw *w, const char *key, struct mg_span json) __attribute__((nonnull(1)));
/* A string built in pieces: begin, any number of parts (each of whole characters), end. */
void mg_jw_string_begin(struct mg_jw *w, const char *key) __attribute__((nonnull(1)));
void mg_jw_string_part(struct mg_jw *w, const char *text, size_t n) __attribute__((nonnull));
void mg_jw_string_end(struct mg_jw *w) __attribute__((nonnull));

/* True when everything was written and every object and array is closed. */
bool mg_jw_done(const struct mg_jw *w) __attribute__((nonnull, warn_unused_result));

/* Appends `text` as a quoted JSON string to any buffer. */
void mg_json_quote(struct mg_str *out, const char *text, size_t n) __attribute__((nonnull(1)));

#endif
