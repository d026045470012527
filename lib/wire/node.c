#include "wire/node.h"

#include "json/scan.h"

#include <stdlib.h>
#include <string.h>

static enum mg_node_type
type_of(struct mg_span raw)
{
    switch (raw.n > 0 ? raw.p[0] : 'n') {
    case '{':
        return MG_NODE_OBJECT;
    case '[':
        return MG_NODE_ARRAY;
    case '"':
        return MG_NODE_STRING;
    case 't':
    case 'f':
        return MG_NODE_BOOL;
    case 'n':
        return MG_NODE_NULL;
    default:
        return MG_NODE_NUMBER;
    }
}

static struct mg_node *
make(struct mg_pool *pool, struct mg_span raw, struct mg_span key)
{
    struct mg_node *node = mg_pool_alloc(pool, sizeof(*node));
    node->pool = pool;
    node->type = type_of(raw);
    node->raw = raw;
    node->key = key;
    return node;
}

struct mg_node *
mg_node_new(struct mg_pool *pool, struct mg_span json)
{
    while (json.n > 0 && strchr(" \t\r\n", json.p[0]) != NULL) {
        json.p++;
        json.n--;
    }
    while (json.n > 0 && strchr(" \t\r\n", json.p[json.n - 1]) != NULL)
        json.n--;
    return make(pool, json, (struct mg_span){"", 0});
}

static void
split(struct mg_node *node)
{
    struct mg_node **end = &node->first;
    struct mg_member member = {.key = {"", 0}};
    size_t at = 0;
    node->split = true;
    bool object = node->type == MG_NODE_OBJECT;
    while ((object ? mg_scan_next(node->raw, &at, &member)
                   : mg_scan_element(node->raw, &at, &member.value)) == 1) {
        *end = make(node->pool, member.value, member.key);
        end = &(*end)->next;
    }
}

struct mg_node *
mg_node_first(struct mg_node *node)
{
    if (node == NULL || (node->type != MG_NODE_OBJECT && node->type != MG_NODE_ARRAY))
        return NULL;
    if (!node->split)
        split(node);
    return node->first;
}

struct mg_node *
mg_node_get(struct mg_node *node, const char *key)
{
    struct mg_node *found = NULL;
    if (!mg_node_is(node, MG_NODE_OBJECT))
        return NULL;
    for (struct mg_node *n = mg_node_first(node); n != NULL; n = n->next) {
        if (mg_scan_key_is(n->key, key))
            found = n;
    }
    return found != NULL && found->type != MG_NODE_NULL ? found : NULL;
}

size_t
mg_node_count(struct mg_node *node)
{
    size_t count = 0;
    for (struct mg_node *n = mg_node_first(node); n != NULL; n = n->next)
        count++;
    return count;
}

struct mg_span
mg_node_text(struct mg_node *node)
{
    if (!mg_node_is(node, MG_NODE_STRING) || node->raw.n < 2)
        return (struct mg_span){"", 0};
    if (node->decoded)
        return node->text;
    node->decoded = true;
    node->text = (struct mg_span){node->raw.p + 1, node->raw.n - 2};
    if (memchr(node->text.p, '\\', node->text.n) != NULL) {
        struct mg_str out; /* escapes only ever shrink */
        mg_str_init(&out, node->raw.n + 1);
        if (!mg_scan_string(node->raw, &out))
            mg_str_reset(&out);
        node->text.n = out.len;
        node->text.p = mg_pool_strndup(node->pool, out.p, out.len);
        mg_str_free(&out);
    }
    return node->text;
}

bool
mg_node_says(struct mg_node *node, const char *text)
{
    return mg_node_is(node, MG_NODE_STRING) && mg_span_is(mg_node_text(node), text);
}

struct mg_span
mg_node_text_at(struct mg_node *node, const char *key)
{
    return mg_node_text(mg_node_get(node, key));
}

struct mg_span
mg_node_raw_at(struct mg_node *node, const char *key)
{
    struct mg_node *member = mg_node_get(node, key);
    return member != NULL ? member->raw : (struct mg_span){"", 0};
}

int
mg_node_flag_at(struct mg_node *node, const char *key)
{
    struct mg_node *member = mg_node_get(node, key);
    return mg_node_is(member, MG_NODE_BOOL) ? member->raw.p[0] == 't' : -1;
}

int64_t
mg_node_count_at(struct mg_node *node, const char *key)
{
    struct mg_node *member = mg_node_get(node, key);
    char text[40];
    if (!mg_node_is(member, MG_NODE_NUMBER) || member->raw.n >= sizeof(text))
        return -1;
    memcpy(text, member->raw.p, member->raw.n);
    text[member->raw.n] = '\0';
    double d = strtod(text, NULL);
    return d >= 0 && d < 9e15 ? (int64_t)d : -1;
}

bool
mg_node_is(const struct mg_node *node, enum mg_node_type type)
{
    return node != NULL && node->type == type;
}
