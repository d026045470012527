#include "js.h"

#include <limits.h>
#include <string.h>

enum { DEPTH = 200 };

/* A tokener is costly to make and is kept for the next request of the same thread. */
static __thread struct json_tokener *tokener;

struct json_object *sim_js_parse(const char *s, size_t n, const char **why)
{
    struct json_object *o;
    enum json_tokener_error e;

    *why = "the body is too large";
    if (n > INT_MAX) {
        return NULL;
    }
    if (!tokener) {
        tokener = json_tokener_new_ex(DEPTH);
        json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    }
    json_tokener_reset(tokener);
    o = json_tokener_parse_ex(tokener, s, (int)n);
    e = json_tokener_get_error(tokener);
    if (e == json_tokener_continue && n) {
        /* A bare number at the top ends only with the text. */
        o = json_tokener_parse_ex(tokener, "", 1);
        e = json_tokener_get_error(tokener);
    }
    if (e == json_tokener_success && json_tokener_get_parse_end(tokener) < n && n) {
        size_t end = json_tokener_get_parse_end(tokener);

        while (end < n && strchr(" \t\r\n", s[end]) && s[end]) {
            end++;
        }
        e = end < n ? json_tokener_error_parse_unexpected : e;
    }
    if (e == json_tokener_success) {
        return o;
    }
    *why = n ? json_tokener_error_desc(e) : "the body is empty";
    json_object_put(o);
    return NULL;
}

void sim_js_end(void)
{
    if (tokener) {
        json_tokener_free(tokener);
        tokener = NULL;
    }
}

struct json_object *sim_js_get(struct json_object *o, const char *key)
{
    struct json_object *v = NULL;

    if (json_object_is_type(o, json_type_object)) {
        json_object_object_get_ex(o, key, &v);
    }
    return v;
}

struct json_object *sim_js_object(struct json_object *o, const char *key)
{
    struct json_object *v = sim_js_get(o, key);

    return json_object_is_type(v, json_type_object) ? v : NULL;
}

bool sim_js_has(struct json_object *o, const char *key)
{
    return json_object_is_type(o, json_type_object) && json_object_object_get_ex(o, key, NULL);
}

const char *sim_js_str(struct json_object *o, const char *key)
{
    struct json_object *v = sim_js_get(o, key);

    return json_object_is_type(v, json_type_string) ? json_object_get_string(v) : NULL;
}

int64_t sim_js_int(struct json_object *o, const char *key, int64_t dflt)
{
    struct json_object *v = sim_js_get(o, key);

    return json_object_is_type(v, json_type_int) ? json_object_get_int64(v) : dflt;
}

bool sim_js_bool(struct json_object *o, const char *key, bool dflt)
{
    struct json_object *v = sim_js_get(o, key);

    return json_object_is_type(v, json_type_boolean) ? json_object_get_boolean(v) : dflt;
}

bool sim_js_is(struct json_object *o, const char *key, const char *s)
{
    const char *v = sim_js_str(o, key);

    return v && strcmp(v, s) == 0;
}

size_t sim_js_len(struct json_object *array)
{
    return json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
}

struct json_object *sim_js_at(struct json_object *array, size_t i)
{
    return i < sim_js_len(array) ? json_object_array_get_idx(array, i) : NULL;
}

const char *sim_js_text(struct json_object *o)
{
    return json_object_to_json_string_ext(
        o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
}
