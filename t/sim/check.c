#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool sim_check_bad(struct sim_check *k, const char *param, const char *code, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    k->err.status = 400;
    k->err.type = "invalid_request_error";
    k->err.param = param;
    k->err.code = code;
    k->err.message = sim_pool_copy(k->pool, text, strlen(text));
    return false;
}

const char *sim_check_foreign_key(struct json_object *o, const char *const *known)
{
    if (!json_object_is_type(o, json_type_object)) {
        return NULL;
    }
    {
        json_object_object_foreach(o, key, value) {
            size_t i = 0;

            (void)value;
            while (known[i] && strcmp(known[i], key) != 0) {
                i++;
            }
            if (!known[i]) {
                return key;
            }
        }
    }
    return NULL;
}

bool sim_check_name(const char *s, size_t max)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789_-";
    size_t n = s ? strlen(s) : 0;

    return n && n <= max && strspn(s, allowed) == n;
}

static bool openai_object(struct sim_check *k, struct json_object *schema, const char *name,
                          const char *param);

static bool lists(struct json_object *names, const char *key)
{
    size_t i;

    for (i = 0; i < sim_js_len(names); i++) {
        const char *name = json_object_get_string(sim_js_at(names, i));

        if (name && strcmp(name, key) == 0) {
            return true;
        }
    }
    return false;
}

/* An object level of a strict schema: closed, and every property required. */
static bool openai_level(struct sim_check *k, struct json_object *schema, const char *name,
                         const char *param)
{
    struct json_object *required = sim_js_get(schema, "required");
    struct json_object *props = sim_js_object(schema, "properties");

    if (!sim_js_has(schema, "additionalProperties") ||
        sim_js_bool(schema, "additionalProperties", true)) {
        return sim_check_bad(k, param, NULL, "Invalid schema for %s: In context=(), "
                             "'additionalProperties' is required to be supplied and to be false.",
                             name);
    }
    json_object_object_foreach(props, key, member) {
        if (!lists(required, key)) {
            return sim_check_bad(k, param, NULL, "Invalid schema for %s: In context=(), 'required' "
                                 "is required to be supplied and to be an array including every "
                                 "key in properties. Missing '%s'.", name, key);
        }
        if (!openai_object(k, member, name, param)) {
            return false;
        }
    }
    return true;
}

static bool openai_object(struct sim_check *k, struct json_object *schema, const char *name,
                          const char *param)
{
    struct json_object *items = sim_js_get(schema, "items");

    if (items && !openai_object(k, items, name, param)) {
        return false;
    }
    return !sim_js_object(schema, "properties") || openai_level(k, schema, name, param);
}

bool sim_check_openai_schema(struct sim_check *k, struct json_object *schema, const char *name,
                             const char *param)
{
    return openai_object(k, schema, name, param);
}

static bool limits(struct sim_check *k, struct json_object *schema)
{
    static const char *const banned[] = {
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength",
        "maxLength", "maxItems", "uniqueItems", "minProperties", "maxProperties",
    };
    size_t i;

    for (i = 0; i < sizeof banned / sizeof banned[0]; i++) {
        if (sim_js_has(schema, banned[i])) {
            const char *type = sim_js_str(schema, "type");

            return sim_check_bad(k, NULL, NULL, "output_config.format.schema: For '%s' type, "
                                 "property '%s' is not supported", type ? type : "any", banned[i]);
        }
    }
    if (sim_js_int(schema, "minItems", 0) > 1) {
        return sim_check_bad(k, NULL, NULL, "output_config.format.schema: For 'array' type, "
                             "'minItems' values other than 0 or 1 are not supported");
    }
    return true;
}

bool sim_check_messages_schema(struct sim_check *k, struct json_object *schema)
{
    struct json_object *props = sim_js_object(schema, "properties");
    struct json_object *items = sim_js_get(schema, "items");

    if (!limits(k, schema) || (items && !sim_check_messages_schema(k, items))) {
        return false;
    }
    if (!props) {
        return true;
    }
    if (!sim_js_has(schema, "additionalProperties") ||
        sim_js_bool(schema, "additionalProperties", true)) {
        return sim_check_bad(k, NULL, NULL, "output_config.format.schema: For 'object' type, "
                             "'additionalProperties' must be explicitly set to false");
    }
    json_object_object_foreach(props, key, member) {
        (void)key;
        if (!sim_check_messages_schema(k, member)) {
            return false;
        }
    }
    return true;
}
