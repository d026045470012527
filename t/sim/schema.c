#include "schema.h"

#include <string.h>

enum { DEPTH_LIMIT = 24 };

struct walk {
    struct json_object *root;
    int depth;
};

static void instance(struct sim_buf *out, struct json_object *schema, struct walk *w,
                     const char *key);

/* Follows "#/a/b" from the root; NULL when it leads nowhere. */
static struct json_object *resolve(struct json_object *root, const char *ref)
{
    struct json_object *at = root;

    if (ref[0] != '#') {
        return NULL;
    }
    ref++;
    while (at && *ref == '/') {
        size_t n = strcspn(ref + 1, "/");
        char name[128];

        if (n >= sizeof name) {
            return NULL;
        }
        memcpy(name, ref + 1, n);
        name[n] = '\0';
        at = sim_js_get(at, name);
        ref += n + 1;
    }
    return at;
}

static void string_instance(struct sim_buf *out, struct json_object *schema, const char *key)
{
    static const struct {
        const char *format;
        const char *value;
    } formats[] = {
        { "date-time", "2026-01-01T00:00:00Z" }, { "date", "2026-01-01" }, { "time", "00:00:00Z" },
        { "email", "user@example.com" }, { "uri", "https://example.com/" },
        { "uuid", "00000000-0000-4000-8000-000000000000" }, { "ipv4", "192.0.2.1" },
    };
    int64_t min = sim_js_int(schema, "minLength", 0);
    struct sim_buf text = {0};
    size_t i;

    for (i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (sim_js_is(schema, "format", formats[i].format)) {
            sim_j_str(out, key, formats[i].value);
            return;
        }
    }
    sim_buf_puts(&text, "simulated");
    while ((int64_t)text.len < min && text.len < 4096) {
        sim_buf_puts(&text, " text");
    }
    sim_j_text(out, key, text.p, text.len);
    sim_buf_free(&text);
}

static void number_instance(struct sim_buf *out, struct json_object *schema, const char *key)
{
    struct json_object *min = sim_js_get(schema, "minimum");
    struct json_object *max = sim_js_get(schema, "maximum");
    struct json_object *above = sim_js_get(schema, "exclusiveMinimum");

    if (min) {
        sim_j_raw(out, key, sim_js_text(min));
    } else if (above && !json_object_is_type(above, json_type_boolean)) {
        sim_j_int(out, key, json_object_get_int64(above) + 1);
    } else if (max && json_object_get_int64(max) < 1) {
        sim_j_raw(out, key, sim_js_text(max));
    } else {
        sim_j_int(out, key, sim_js_int(schema, "multipleOf", 1));
    }
}

static void object_instance(struct sim_buf *out, struct json_object *schema, struct walk *w,
                            const char *key)
{
    struct json_object *props = sim_js_get(schema, "properties");
    struct json_object *required = sim_js_get(schema, "required");
    size_t i;

    sim_j_open(out, key, '{');
    for (i = 0; i < sim_js_len(required); i++) {
        const char *name = json_object_get_string(sim_js_at(required, i));

        if (name) {
            instance(out, sim_js_get(props, name), w, name);
        }
    }
    sim_j_close(out, '}');
}

static void array_instance(struct sim_buf *out, struct json_object *schema, struct walk *w,
                           const char *key)
{
    int64_t min = sim_js_int(schema, "minItems", 0);
    struct json_object *prefix = sim_js_get(schema, "prefixItems");
    int64_t i;

    sim_j_open(out, key, '[');
    for (i = 0; i < min && i < 64; i++) {
        struct json_object *item = sim_js_at(prefix, (size_t)i);

        instance(out, item ? item : sim_js_get(schema, "items"), w, NULL);
    }
    sim_j_close(out, ']');
}

/* The first type of a list that is not "null", or the type itself. */
static const char *type_of(struct json_object *schema)
{
    struct json_object *type = sim_js_get(schema, "type");
    size_t i;

    for (i = 0; i < sim_js_len(type); i++) {
        const char *t = json_object_get_string(sim_js_at(type, i));

        if (t && strcmp(t, "null") != 0) {
            return t;
        }
    }
    if (json_object_is_type(type, json_type_string)) {
        return json_object_get_string(type);
    }
    return sim_js_has(schema, "properties") ? "object" : sim_js_has(schema, "items") ? "array" : "";
}

static void typed_instance(struct sim_buf *out, struct json_object *schema, struct walk *w,
                           const char *key)
{
    const char *type = type_of(schema);

    if (strcmp(type, "object") == 0) {
        object_instance(out, schema, w, key);
    } else if (strcmp(type, "array") == 0) {
        array_instance(out, schema, w, key);
    } else if (strcmp(type, "string") == 0) {
        string_instance(out, schema, key);
    } else if (strcmp(type, "number") == 0 || strcmp(type, "integer") == 0) {
        number_instance(out, schema, key);
    } else if (strcmp(type, "boolean") == 0) {
        sim_j_bool(out, key, true);
    } else if (strcmp(type, "null") == 0) {
        sim_j_null(out, key);
    } else {
        sim_j_raw(out, key, "{}");
    }
}

/* The schema that one of $ref, anyOf, oneOf, allOf leads to, or NULL. */
static struct json_object *indirect(struct json_object *schema, struct json_object *root)
{
    static const char *const unions[] = { "anyOf", "oneOf", "allOf" };
    const char *ref = sim_js_str(schema, "$ref");
    size_t i;

    if (ref) {
        return resolve(root, ref);
    }
    for (i = 0; i < sizeof unions / sizeof unions[0]; i++) {
        struct json_object *first = sim_js_at(sim_js_get(schema, unions[i]), 0);

        if (first) {
            return first;
        }
    }
    return NULL;
}

static void instance(struct sim_buf *out, struct json_object *schema, struct walk *w,
                     const char *key)
{
    struct json_object *other = indirect(schema, w->root);

    if (w->depth >= DEPTH_LIMIT) {
        sim_j_null(out, key);
        return;
    }
    w->depth++;
    if (other) {
        instance(out, other, w, key);
    } else if (sim_js_has(schema, "const")) {
        sim_j_raw(out, key, sim_js_text(sim_js_get(schema, "const")));
    } else if (sim_js_len(sim_js_get(schema, "enum"))) {
        sim_j_raw(out, key, sim_js_text(sim_js_at(sim_js_get(schema, "enum"), 0)));
    } else {
        typed_instance(out, schema, w, key);
    }
    w->depth--;
}

void sim_schema_instance(struct sim_buf *out, struct json_object *schema, struct json_object *root)
{
    struct walk w = { root, 0 };

    instance(out, schema, &w, NULL);
}
