/* JSON in: json-c behind bounds.
 *
 * Bytes of strangers become a tree only here: strict grammar, UTF-8 checked, depth bounded,
 * nothing behind the value. Trees are json-c's; free them with json_object_put. */
#ifndef MG_JSON_PARSE_H
#define MG_JSON_PARSE_H

#include "base/err.h"
#include "base/str.h"

#include <json-c/json_object.h>
#include <stdbool.h>

#define MG_JSON_DEPTH 128

/* Parses n bytes into *tree. 0, or -1 with a 400 `invalid_json` that names the place. */
int mg_json_parse(const char *bytes, size_t n, struct json_object **tree, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* The same for a span that is known to be a small well-formed part; NULL when it is not. */
struct json_object *mg_json_of(struct mg_span span) __attribute__((warn_unused_result));

/* True when the text is a JSON object that any parser takes: for parts that are handed on as they
 * are. json-c alone would let raw line breaks in strings and the like go by. */
bool mg_json_is_object(struct mg_span text);

/* Readers that answer a default when the member is missing or of another type. `obj` may be
 * NULL or no object. Strings are borrowed from the tree. */
struct json_object *mg_json_get(struct json_object *obj, const char *key)
    __attribute__((nonnull(2)));
const char *mg_json_text(struct json_object *obj, const char *key) __attribute__((nonnull(2)));
int64_t mg_json_int(struct json_object *obj, const char *key, int64_t otherwise)
    __attribute__((nonnull(2)));
int mg_json_bool(struct json_object *obj, const char *key, int otherwise)
    __attribute__((nonnull(2)));
/* A number that may be written 12, 12.0 or 1.2e1: whole tokens, or `otherwise`. */
int64_t mg_json_count(struct json_object *value, int64_t otherwise);

#endif
