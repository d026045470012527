#include "json/parse.h"

#include "base/utf8.h"
#include "json/astral.h"
#include "json/strict.h"

#include <json-c/json_tokener.h>
#include <limits.h>
#include <string.h>

/* json-c takes an int length; bodies are bounded far below it. */
static struct json_object *
parse_text(const char *bytes, size_t n, enum json_tokener_error *why, size_t *where)
{
    *why = json_tokener_error_size;
    *where = 0;
    if (n > INT_MAX)
        return NULL;
    struct json_tokener *tok = json_tokener_new_ex(MG_JSON_DEPTH);
    if (tok == NULL)
        return NULL;
    json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
    struct json_object *tree = json_tokener_parse_ex(tok, bytes, (int)n);
    *why = json_tokener_get_error(tok);
    *where = json_tokener_get_parse_end(tok);
    if (*why == json_tokener_continue && tree == NULL) /* a bare number ends only at a NUL */
        tree = json_tokener_parse_ex(tok, "", 1), *why = json_tokener_get_error(tok);
    for (size_t i = *where; tree != NULL && i < n; i++) {
        if (strchr(" \t\r\n", bytes[i]) == NULL || bytes[i] == '\0') {
            *why = json_tokener_error_parse_unexpected;
            *where = i;
            json_object_put(tree);
            tree = NULL;
        }
    }
    json_tokener_free(tok);
    return tree;
}

/* When nothing comes of it, why and where are those of the text as it is. */
static struct json_object *
parse(const char *bytes, size_t n, enum json_tokener_error *why, size_t *where)
{
    struct mg_str spelled;
    struct json_object *tree = NULL;
    mg_str_init(&spelled, n);
    if (mg_astral_spell((struct mg_span){bytes, n}, &spelled))
        tree = parse_text(spelled.p, spelled.len, why, where);
    mg_str_free(&spelled);
    return tree != NULL ? tree : parse_text(bytes, n, why, where);
}

int
mg_json_parse(const char *bytes, size_t n, struct json_object **tree, struct mg_err *err)
{
    enum json_tokener_error why;
    size_t where;
    *tree = NULL;
    if (n == 0)
        return mg_err_set(err, 400, "invalid_json", "The request body is empty; send JSON.");
    if (!mg_utf8_valid(bytes, n))
        return mg_err_set(err, 400, "invalid_json", "The request body is not valid UTF-8.");
    *tree = parse(bytes, n, &why, &where);
    if (*tree != NULL) {
        if (mg_strict_json(bytes, n, &where))
            return 0;
        json_object_put(*tree);
        *tree = NULL;
        why = json_tokener_error_parse_unexpected;
    }
    if (why == json_tokener_success) /* json-c's tree of null is no tree */
        return mg_err_set(err, 400, "invalid_json", "The body is null; send a JSON object.");
    if (why == json_tokener_error_depth)
        return mg_err_set(err, 400, "invalid_json",
                          "The JSON body is nested deeper than %d levels.", MG_JSON_DEPTH);
    return mg_err_set(err, 400, "invalid_json", "The body is not valid JSON (at byte %zu: %s).",
                      where, json_tokener_error_desc(why));
}

struct json_object *
mg_json_of(struct mg_span span)
{
    enum json_tokener_error why;
    size_t where;
    return span.n > 0 ? parse(span.p, span.n, &why, &where) : NULL;
}

bool
mg_json_is_object(struct mg_span text)
{
    struct mg_err err = MG_ERR_INIT;
    struct json_object *tree = NULL;
    bool object = mg_json_parse(text.p, text.n, &tree, &err) == 0 &&
                  json_object_is_type(tree, json_type_object);
    json_object_put(tree);
    mg_err_free(&err);
    return object;
}

struct json_object *
mg_json_get(struct json_object *obj, const char *key)
{
    struct json_object *value = NULL;
    if (json_object_is_type(obj, json_type_object))
        json_object_object_get_ex(obj, key, &value);
    return value;
}

const char *
mg_json_text(struct json_object *obj, const char *key)
{
    struct json_object *value = mg_json_get(obj, key);
    return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

int64_t
mg_json_count(struct json_object *value, int64_t otherwise)
{
    if (json_object_is_type(value, json_type_int))
        return json_object_get_int64(value);
    if (json_object_is_type(value, json_type_double)) {
        double d = json_object_get_double(value);
        if (d >= 0 && d < 9e15)
            return (int64_t)d;
    }
    return otherwise;
}

int64_t
mg_json_int(struct json_object *obj, const char *key, int64_t otherwise)
{
    return mg_json_count(mg_json_get(obj, key), otherwise);
}

int
mg_json_bool(struct json_object *obj, const char *key, int otherwise)
{
    struct json_object *value = mg_json_get(obj, key);
    return json_object_is_type(value, json_type_boolean) ? json_object_get_boolean(value)
                                                         : otherwise;
}
