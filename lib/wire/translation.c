/* What a translated request leaves for its reply. */
#include "wire/translate.h"

#include "json/scan.h"
#include "wire/names.h"
#include "wire/node.h"

#include <ctype.h>
#include <string.h>

#define DROPPED_MAX 1024

struct mg_translation *
mg_translation_new(enum mg_family client, enum mg_family upstream)
{
    static const char *const none[] = {NULL};
    struct mg_pool *pool = mg_pool_new();
    struct mg_translation *left = mg_pool_alloc(pool, sizeof(*left));
    left->pool = pool;
    left->client = client;
    left->upstream = upstream;
    left->origin = "";
    left->stops = left->dropped = none;
    left->echo = (struct mg_span){"", 0};
    left->n = 1;
    return left;
}

void
mg_translation_free(struct mg_translation **left)
{
    if (*left == NULL)
        return;
    struct mg_pool *pool = (*left)->pool; /* which holds the translation itself */
    *left = NULL;
    mg_pool_free(&pool);
}

static void
add_plain(struct mg_str *out, const char *name)
{
    for (; *name != '\0'; name++) {
        bool plain = isalnum((unsigned char)*name) || strchr("_.-", *name) != NULL;
        mg_str_addc(out, plain && (unsigned char)*name < 0x80 ? *name : '?');
    }
}

void
mg_translation_dropped(const struct mg_translation *left, struct mg_str *out)
{
    size_t room = DROPPED_MAX - 5; /* the end mark has to fit too */
    for (const char *const *name = left->dropped; *name != NULL; name++) {
        const char *between = name != left->dropped ? ", " : "";
        size_t n = strlen(between) + strlen(*name);
        mg_str_addz(out, between);
        if (n > room) {
            mg_str_addz(out, "...");
            return;
        }
        add_plain(out, *name);
        room -= n;
    }
}

const struct mg_translated_tool *
mg_translation_tool(const struct mg_translation *left, struct mg_span upstream_name)
{
    for (size_t i = 0; i < left->tool_count; i++) {
        if (mg_span_is(upstream_name, left->tools[i].upstream))
            return &left->tools[i];
    }
    return NULL;
}

const char *
mg_translation_call_id(const struct mg_translation *left, struct mg_span upstream_id,
                       struct mg_pool *pool)
{
    return mg_names_call_id(left->client, upstream_id, pool);
}

struct mg_span
mg_translation_echo(const struct mg_translation *left, const char *member)
{
    struct mg_span value = {"", 0};
    if (left->echo.n == 0 || mg_scan_member(left->echo, member, &value) != 1)
        return (struct mg_span){"", 0};
    return value;
}

void
mg_custom_unwrap(struct mg_span arguments, struct mg_str *out)
{
    struct mg_span value, only = arguments;
    while (only.n > 0 && strchr(" \t\r\n", only.p[0]) != NULL && only.p[0] != '\0') {
        only.p++;
        only.n--;
    }
    struct mg_member member;
    size_t at = 0;
    bool whole = mg_scan_next(only, &at, &member) == 1 && mg_span_is(member.key, MG_CUSTOM_ARGUMENT)
                 && mg_scan_member(only, MG_CUSTOM_ARGUMENT, &value) == 1;
    size_t before = out->len;
    if (whole && value.n >= 2 && value.p[0] == '"' && mg_scan_string(value, out))
        return;
    out->len = before;
    mg_str_addspan(out, arguments);
}
