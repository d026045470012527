#include "json/field.h"

#include "json/parse.h"

#include <stdio.h>
#include <string.h>

static const struct kind {
    const char *type, *msg; /* what the 422 says when the value is something else */
} kinds[] = {
    [MG_FIELD_STRING] = {"string_type", "Input should be a valid string"},
    [MG_FIELD_INT] = {"int_type", "Input should be a valid integer"},
    [MG_FIELD_BOOL] = {"bool_type", "Input should be a valid boolean"},
    [MG_FIELD_ARRAY] = {"list_type", "Input should be a valid list"},
    [MG_FIELD_OBJECT] = {"dict_type", "Input should be a valid object"},
    [MG_FIELD_STRING_OR_ARRAY] = {"string_or_list_type",
                                  "Input should be a valid string or list"},
    [MG_FIELD_ANY] = {"any", "Input is not acceptable"},
};

/* A string that a C string cannot hold would be cut where we read it, and nowhere else. */
static bool
has_nul(struct json_object *value)
{
    size_t n = (size_t)json_object_get_string_len(value);
    return memchr(json_object_get_string(value), '\0', n) != NULL;
}

static bool
fits(struct json_object *value, enum mg_field_type type)
{
    switch (type) {
    case MG_FIELD_STRING:
        return json_object_is_type(value, json_type_string) && !has_nul(value);
    case MG_FIELD_INT:
        return mg_json_count(value, INT64_MIN) != INT64_MIN &&
               (json_object_is_type(value, json_type_int) ||
                json_object_get_double(value) == (double)mg_json_count(value, 0));
    case MG_FIELD_BOOL:
        return json_object_is_type(value, json_type_boolean);
    case MG_FIELD_ARRAY:
        return json_object_is_type(value, json_type_array);
    case MG_FIELD_OBJECT:
        return json_object_is_type(value, json_type_object);
    case MG_FIELD_STRING_OR_ARRAY:
        return json_object_is_type(value, json_type_string) ||
               json_object_is_type(value, json_type_array);
    case MG_FIELD_ANY:
        return true;
    }
    return false;
}

/* The number that the bounds of the row speak of. */
static int64_t
measure(struct json_object *value, enum mg_field_type type)
{
    if (type == MG_FIELD_INT)
        return mg_json_count(value, 0);
    if (json_object_is_type(value, json_type_string))
        return json_object_get_string_len(value);
    return (int64_t)json_object_array_length(value);
}

static bool
is_bounded(const struct mg_field *f)
{
    return (f->least != 0 || f->most != 0) &&
           (f->type == MG_FIELD_INT || f->type == MG_FIELD_STRING || f->type == MG_FIELD_ARRAY ||
            f->type == MG_FIELD_STRING_OR_ARRAY);
}

static int
check_bounds(struct json_object *value, const struct mg_field *f, const char *prefix,
             struct mg_err *err)
{
    int64_t n = measure(value, f->type);
    char msg[128];
    const char *what = f->type == MG_FIELD_INT                              ? ""
                       : json_object_is_type(value, json_type_string) ? " bytes"
                                                                      : " items";
    if (n < f->least) {
        snprintf(msg, sizeof(msg), "Input should be at least %lld%s", (long long)f->least, what);
        return mg_err_field(err, f->type == MG_FIELD_INT ? "greater_than_equal" : "too_short", msg,
                            "body/%s%s", prefix, f->name);
    }
    if (f->most != 0 && n > f->most) {
        snprintf(msg, sizeof(msg), "Input should be at most %lld%s", (long long)f->most, what);
        return mg_err_field(err, f->type == MG_FIELD_INT ? "less_than_equal" : "too_long", msg,
                            "body/%s%s", prefix, f->name);
    }
    return 0;
}

static void
store(struct json_object *value, const struct mg_field *f, void *dest)
{
    void *at = (char *)dest + f->offset;
    switch (f->type) {
    case MG_FIELD_STRING:
        *(const char **)at = json_object_get_string(value);
        break;
    case MG_FIELD_INT:
        *(int64_t *)at = mg_json_count(value, 0);
        break;
    case MG_FIELD_BOOL:
        *(bool *)at = json_object_get_boolean(value);
        break;
    default:
        *(struct json_object **)at = value;
        break;
    }
}

int
mg_field_read(struct json_object *body, const struct mg_field *fields, size_t count, void *dest,
              const char *prefix, struct mg_err *err)
{
    if (!json_object_is_type(body, json_type_object)) {
        const char *at = *prefix != '\0' ? prefix : "";
        return mg_err_field(err, "dict_type", "Input should be a valid object", "body%s%.*s",
                            *at ? "/" : "", (int)(*at ? strlen(at) - 1 : 0), at);
    }
    int rc = 0;
    for (const struct mg_field *f = fields; f < fields + count; f++) {
        struct json_object *value = mg_json_get(body, f->name);
        if (value == NULL) {
            if (f->required)
                rc = mg_err_field(err, "missing", "Field required", "body/%s%s", prefix, f->name);
        } else if (!fits(value, f->type)) {
            rc = mg_err_field(err, kinds[f->type].type, kinds[f->type].msg, "body/%s%s", prefix,
                              f->name);
        } else if (is_bounded(f) && check_bounds(value, f, prefix, err) != 0) {
            rc = -1;
        } else {
            store(value, f, dest);
        }
    }
    return rc;
}
