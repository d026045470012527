#include "wire/schema.h"

#include "json/writer.h"
#include "wire/node.h"

#include <string.h>

#define SCHEMA_MAX ((size_t)4 << 20)
#define SCHEMA_DEPTH 64

/* What becomes of a keyword. */
enum use {
    KEEP,     /* as it is */
    SCHEMA,   /* its value is a schema */
    LIST,     /* … a list of schemas */
    MEMBERS,  /* … schemas by name */
    HINT      /* not taken: told in words */
};

static const struct keyword {
    const char *name;
    enum use use;
} keywords[] = {
    {"type", KEEP},        {"enum", KEEP},       {"const", KEEP},      {"title", KEEP},
    {"default", KEEP},     {"required", KEEP},   {"$ref", KEEP},       {"properties", MEMBERS},
    {"$defs", MEMBERS},    {"definitions", MEMBERS}, {"items", SCHEMA}, {"anyOf", LIST},
    {"allOf", LIST},
};

/* Formats of strings that are taken. */
static const char *const formats[] = {
    "date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid",
};

struct adapting {
    struct mg_pool *pool;
    struct mg_jw w;
    unsigned depth;
    bool free_members; /* an object with free member names was met */
};

static enum use
use_of(struct mg_node *member)
{
    for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
        if (mg_span_is(member->key, keywords[i].name))
            return keywords[i].use;
    }
    if (mg_span_is(member->key, "minItems") &&
        (mg_span_is(member->raw, "0") || mg_span_is(member->raw, "1")))
        return KEEP;
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (mg_span_is(member->key, "format") && mg_node_says(member, formats[i]))
            return KEEP;
    }
    return HINT;
}

/* Keywords that say nothing the model needs. */
static bool
is_silent(struct mg_span key)
{
    return mg_span_is(key, "description") || mg_span_is(key, "additionalProperties") ||
           mg_span_is(key, "oneOf") || mg_span_is(key, "$schema") || mg_span_is(key, "$id") ||
           mg_span_is(key, "$comment");
}

/* The description with a note of what was removed. */
static void
write_description(struct adapting *a, struct mg_node *schema)
{
    struct mg_span text = mg_node_text_at(schema, "description");
    bool any = false;
    struct mg_str note;
    mg_str_init(&note, SCHEMA_MAX);
    for (struct mg_node *n = mg_node_first(schema); n != NULL; n = n->next) {
        if (n->type == MG_NODE_NULL || is_silent(n->key) || use_of(n) != HINT)
            continue;
        mg_str_addz(&note, any ? ", " : text.n > 0 ? "\n\n(" : "(");
        mg_str_addspan(&note, n->key);
        mg_str_addz(&note, ": ");
        mg_str_addspan(&note, n->raw);
        any = true;
    }
    if (any)
        mg_str_addc(&note, ')');
    if (text.n > 0 || any) {
        mg_jw_string_begin(&a->w, "description");
        mg_jw_string_part(&a->w, text.p, text.n);
        mg_jw_string_part(&a->w, note.p, note.len);
        mg_jw_string_end(&a->w);
    }
    mg_str_free(&note);
}

static const char *
key_text(struct adapting *a, struct mg_node *member)
{
    /* Keys come with their escapes; as a string they are decoded once. */
    struct mg_span quoted = {member->key.p - 1, member->key.n + 2};
    struct mg_span text = mg_node_text(mg_node_new(a->pool, quoted));
    return mg_pool_strndup(a->pool, text.p, text.n);
}

static void write_schema(struct adapting *a, const char *key, struct mg_node *schema);

static void
write_nested(struct adapting *a, const char *name, struct mg_node *value, enum use use)
{
    if (use == KEEP) {
        mg_jw_raw(&a->w, name, value->raw);
        return;
    }
    if (use == SCHEMA) {
        write_schema(a, name, value);
        return;
    }
    bool members = use == MEMBERS;
    members ? mg_jw_object(&a->w, name) : mg_jw_array(&a->w, name);
    for (struct mg_node *n = mg_node_first(value); n != NULL; n = n->next)
        write_schema(a, members ? key_text(a, n) : NULL, n);
    mg_jw_end(&a->w);
}

static bool
is_object_schema(struct mg_node *schema)
{
    struct mg_node *type = mg_node_get(schema, "type");
    for (struct mg_node *n = mg_node_first(type); n != NULL; n = n->next) {
        if (mg_node_says(n, "object"))
            return true;
    }
    return mg_node_says(type, "object") || mg_node_get(schema, "properties") != NULL;
}

/* An object without named members, or with others beside them, cannot be closed. */
static bool
has_free_members(struct mg_node *schema)
{
    struct mg_node *more = mg_node_get(schema, "additionalProperties");
    if (mg_node_get(schema, "patternProperties") != NULL || mg_node_is(more, MG_NODE_OBJECT))
        return true;
    return mg_node_first(mg_node_get(schema, "properties")) == NULL &&
           mg_node_flag_at(schema, "additionalProperties") != 0;
}

static void
write_schema(struct adapting *a, const char *key, struct mg_node *schema)
{
    if (!mg_node_is(schema, MG_NODE_OBJECT) || a->depth >= SCHEMA_DEPTH) {
        a->free_members |= a->depth >= SCHEMA_DEPTH;
        mg_jw_raw(&a->w, key, schema->raw);
        return;
    }
    a->depth++;
    mg_jw_object(&a->w, key);
    for (struct mg_node *n = mg_node_first(schema); n != NULL; n = n->next) {
        enum use use = mg_span_is(n->key, "oneOf") ? LIST : use_of(n);
        if (use == HINT || n->type == MG_NODE_NULL)
            continue;
        write_nested(a, mg_span_is(n->key, "oneOf") ? "anyOf" : key_text(a, n), n, use);
    }
    write_description(a, schema);
    if (is_object_schema(schema)) {
        a->free_members |= has_free_members(schema);
        mg_jw_bool(&a->w, "additionalProperties", false);
    }
    mg_jw_end(&a->w);
    a->depth--;
}

/* A reference to the whole document, or to an outer definition, may go round in circles, which
 * is not taken. Only plain references to definitions are looked at: deeper ones are rare. */
static bool
refers_to_itself(struct mg_span schema)
{
    return memmem(schema.p, schema.n, "\"$ref\":\"#\"", 10) != NULL ||
           memmem(schema.p, schema.n, "\"$ref\": \"#\"", 11) != NULL;
}

bool
mg_schema_adapt(struct mg_pool *pool, struct mg_span *schema)
{
    struct mg_str out;
    struct adapting a = {.pool = pool};
    if (schema->n > SCHEMA_MAX / 4 || refers_to_itself(*schema))
        return false;
    mg_str_init(&out, SCHEMA_MAX);
    mg_jw_init(&a.w, &out);
    write_schema(&a, NULL, mg_node_new(pool, *schema));
    bool good = mg_jw_done(&a.w) && !a.free_members;
    if (good)
        *schema = (struct mg_span){mg_pool_strndup(pool, out.p, out.len), out.len};
    mg_str_free(&out);
    return good;
}
