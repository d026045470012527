#include "setup/template.h"

#include "setup/escape.h"

#include <string.h>

static const char *
value_of(const struct mg_setup_value *values, struct mg_span name)
{
    for (; values->name != NULL; values++)
        if (mg_span_is(name, values->name))
            return values->value;
    return NULL;
}

/* One place: what stands between the marks. */
static int
put(struct mg_span place, const struct mg_setup_value *values, struct mg_str *out)
{
    const char *colon = memchr(place.p, ':', place.n);
    if (colon == NULL)
        return -1;
    struct mg_span languages = {place.p, (size_t)(colon - place.p)};
    struct mg_span name = {colon + 1, place.n - languages.n - 1};
    const char *value = value_of(values, name);
    if (value == NULL)
        return -1;
    if (mg_span_is(languages, "text")) {
        mg_str_addz(out, value);
        return 0;
    }
    const char *dot = memchr(languages.p, '.', languages.n);
    struct mg_span outer = languages, inner = {NULL, 0};
    if (dot != NULL) {
        outer.n = (size_t)(dot - languages.p);
        inner = (struct mg_span){dot + 1, languages.n - outer.n - 1};
    }
    int first = mg_escape_language(outer), second = inner.n > 0 ? mg_escape_language(inner) : -1;
    if (first < 0 || (inner.n > 0 && second < 0))
        return -1;
    struct mg_str literal;
    mg_str_init(&literal, out->max);
    if (second >= 0)
        mg_escape((enum mg_setup_language)second, value, &literal);
    mg_escape((enum mg_setup_language)first, second >= 0 ? literal.p : value, out);
    mg_str_free(&literal);
    return 0;
}

int
mg_template_fill(const char *text, const struct mg_setup_value *values, struct mg_str *out,
                 struct mg_err *err)
{
    const char *at;
    while ((at = strstr(text, "<%")) != NULL) {
        const char *end = strstr(at, "%>");
        mg_str_add(out, text, (size_t)(at - text));
        if (end == NULL || put((struct mg_span){at + 2, (size_t)(end - at - 2)}, values, out) != 0)
            return mg_err_internal(err, "setup template: nothing to put for %.40s", at);
        text = end + 2;
    }
    mg_str_addz(out, text);
    return mg_str_ok(out) ? 0 : mg_err_internal(err, "a setup script is too long");
}
