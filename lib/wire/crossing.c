#include "wire/crossing.h"

#include <stdio.h>
#include <string.h>

#define PLACE_MAX 160

static const char *__attribute__((format(printf, 2, 0)))
vplace(struct mg_crossing *x, const char *fmt, va_list ap)
{
    char text[PLACE_MAX];
    vsnprintf(text, sizeof(text), fmt, ap);
    return mg_pool_strdup(x->pool, text);
}

const char *
mg_place(struct mg_crossing *x, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *at = vplace(x, fmt, ap);
    va_end(ap);
    return at;
}

static int __attribute__((format(printf, 4, 0)))
say_no(struct mg_crossing *x, const char *code, const char *at, const char *fmt, va_list ap)
{
    char text[sizeof(x->err->message)];
    vsnprintf(text, sizeof(text), fmt, ap);
    return mg_err_param(x->err, 400, code, at, "%s: %s", at, text);
}

int
mg_refuse(struct mg_crossing *x, const char *at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int rc = say_no(x, "unsupported_value", at, fmt, ap);
    va_end(ap);
    return rc;
}

int
mg_contradiction(struct mg_crossing *x, const char *at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int rc = say_no(x, "invalid_value", at, fmt, ap);
    va_end(ap);
    return rc;
}

/* "messages[3].content" as the 422 writes it: "body/messages/3/content". */
static void
loc_of(const char *at, char loc[PLACE_MAX])
{
    size_t n = (size_t)snprintf(loc, PLACE_MAX, "body/");
    for (; *at != '\0' && n + 1 < PLACE_MAX; at++) {
        if (*at == ']')
            continue;
        loc[n++] = *at == '[' || *at == '.' ? '/' : *at;
    }
    loc[n] = '\0';
}

int
mg_wrong_type(struct mg_crossing *x, const char *at, const struct mg_node *node,
              enum mg_node_type type)
{
    static const char *const types[][2] = {
        [MG_NODE_NULL] = {"none_required", "Input should be None"},
        [MG_NODE_BOOL] = {"bool_type", "Input should be a valid boolean"},
        [MG_NODE_NUMBER] = {"float_type", "Input should be a valid number"},
        [MG_NODE_STRING] = {"string_type", "Input should be a valid string"},
        [MG_NODE_ARRAY] = {"list_type", "Input should be a valid list"},
        [MG_NODE_OBJECT] = {"dict_type", "Input should be a valid object"},
    };
    char loc[PLACE_MAX];
    loc_of(at, loc);
    if (node == NULL)
        return mg_err_field(x->err, "missing", "Field required", "%s", loc);
    return mg_err_field(x->err, types[type][0], types[type][1], "%s", loc);
}

int
mg_wrong_value(struct mg_crossing *x, const char *at, const char *msg)
{
    char loc[PLACE_MAX];
    loc_of(at, loc);
    return mg_err_field(x->err, "literal_error", msg, "%s", loc);
}

int
mg_want(struct mg_crossing *x, const char *at, const struct mg_node *node, enum mg_node_type type)
{
    return mg_node_is(node, type) ? 0 : mg_wrong_type(x, at, node, type);
}

int
mg_want_text(struct mg_crossing *x, const char *at, struct mg_node *object, const char *key,
             struct mg_span *text)
{
    struct mg_node *member = mg_node_get(object, key);
    if (!mg_node_is(member, MG_NODE_STRING))
        return mg_wrong_type(x, mg_place(x, "%s.%s", at, key), member, MG_NODE_STRING);
    *text = mg_node_text(member);
    return 0;
}

int
mg_want_parts(struct mg_crossing *x, struct mg_node *content, struct mg_message *message,
              const char *at, mg_part_read *read)
{
    if (content == NULL)
        return 0;
    if (content->type == MG_NODE_STRING) {
        if (content->raw.n > 2)
            mg_turn_text(x->turn, message, mg_node_text(content), at);
        return 0;
    }
    if (mg_want(x, at, content, MG_NODE_ARRAY) != 0)
        return -1;
    size_t i = 0;
    for (struct mg_node *part = mg_node_first(content); part != NULL; part = part->next) {
        if (read(x, part, message, mg_place(x, "%s[%zu]", at, i++)) != 0)
            return -1;
    }
    return 0;
}

void
mg_drop(struct mg_crossing *x, struct mg_span name)
{
    for (size_t i = 0; i < x->dropped->len; i += strlen(x->dropped->p + i) + 1) {
        if (mg_span_is(name, x->dropped->p + i))
            return;
    }
    if (name.n == 0 || memchr(name.p, '\0', name.n) != NULL ||
        !mg_str_reserve(x->dropped, name.n + 1))
        return;
    mg_str_addspan(x->dropped, name);
    mg_str_addc(x->dropped, '\0');
}

void
mg_dropz(struct mg_crossing *x, const char *name)
{
    mg_drop(x, mg_span_z(name));
}
