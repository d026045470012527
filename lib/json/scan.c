#include "json/scan.h"

#include "base/id.h"

#include <stdint.h>
#include <string.h>

static size_t
skip_space(struct mg_span j, size_t i)
{
    while (i < j.n && (j.p[i] == ' ' || j.p[i] == '\t' || j.p[i] == '\n' || j.p[i] == '\r'))
        i++;
    return i;
}

/* i is at an opening quote; returns the index behind the closing one, or 0. */
static size_t
skip_string(struct mg_span j, size_t i)
{
    for (i++; i < j.n;) {
        const char *quote = memchr(j.p + i, '"', j.n - i);
        if (quote == NULL)
            return 0;
        size_t q = (size_t)(quote - j.p), slashes = 0;
        while (q - slashes > i && j.p[q - slashes - 1] == '\\')
            slashes++;
        if (slashes % 2 == 0)
            return q + 1;
        i = q + 1;
    }
    return 0;
}

/* i is at an opening bracket; returns the index behind its partner, or 0. */
static size_t
skip_nested(struct mg_span j, size_t i)
{
    size_t depth = 0;
    while (i < j.n) {
        switch (j.p[i]) {
        case '"':
            i = skip_string(j, i);
            if (i == 0)
                return 0;
            continue;
        case '{':
        case '[':
            depth++;
            break;
        case '}':
        case ']':
            if (--depth == 0)
                return i + 1;
            break;
        default:
            break;
        }
        i++;
    }
    return 0;
}

/* Returns the index behind the value that starts at i, or 0. */
static size_t
skip_value(struct mg_span j, size_t i)
{
    if (i >= j.n)
        return 0;
    if (j.p[i] == '"')
        return skip_string(j, i);
    if (j.p[i] == '{' || j.p[i] == '[')
        return skip_nested(j, i);
    size_t start = i;
    while (i < j.n && strchr(",]} \t\r\n", j.p[i]) == NULL)
        i++;
    return i > start ? i : 0;
}

/* Common to members and elements: moves from *at to the next item of a `open`…`close` list.
 * 1: *at is at an item; 0: end of the list; -1: broken. */
static int
next_item(struct mg_span j, size_t *at, char open, char close)
{
    size_t i = skip_space(j, *at);
    if (*at == 0) {
        if (i >= j.n || j.p[i] != open)
            return -1;
        i = skip_space(j, i + 1);
        if (i < j.n && j.p[i] == close) {
            *at = i;
            return 0;
        }
    } else {
        if (i < j.n && j.p[i] == close)
            return 0;
        if (i >= j.n || j.p[i] != ',')
            return -1;
        i = skip_space(j, i + 1);
    }
    *at = i;
    return i < j.n ? 1 : -1;
}

int
mg_scan_next(struct mg_span j, size_t *at, struct mg_member *member)
{
    int more = next_item(j, at, '{', '}');
    if (more <= 0)
        return more;
    size_t i = *at;
    if (j.p[i] != '"')
        return -1;
    size_t end = skip_string(j, i);
    if (end == 0)
        return -1;
    member->key = (struct mg_span){j.p + i + 1, end - i - 2};
    i = skip_space(j, end);
    if (i >= j.n || j.p[i] != ':')
        return -1;
    i = skip_space(j, i + 1);
    end = skip_value(j, i);
    if (end == 0)
        return -1;
    member->value = (struct mg_span){j.p + i, end - i};
    *at = end;
    return 1;
}

int
mg_scan_element(struct mg_span j, size_t *at, struct mg_span *value)
{
    int more = next_item(j, at, '[', ']');
    if (more <= 0)
        return more;
    size_t end = skip_value(j, *at);
    if (end == 0)
        return -1;
    *value = (struct mg_span){j.p + *at, end - *at};
    *at = end;
    return 1;
}

bool
mg_scan_key_is(struct mg_span key, const char *text)
{
    if (memchr(key.p, '\\', key.n) == NULL)
        return mg_span_is(key, text);
    struct mg_str decoded;
    mg_str_init(&decoded, strlen(text) + 4); /* longer than that is something else */
    bool same = mg_scan_string((struct mg_span){key.p - 1, key.n + 2}, &decoded) &&
                mg_span_is(mg_str_span(&decoded), text);
    mg_str_free(&decoded);
    return same;
}

int
mg_scan_member(struct mg_span json, const char *key, struct mg_span *value)
{
    struct mg_member member;
    size_t at = 0;
    int found = 0, more;
    while ((more = mg_scan_next(json, &at, &member)) == 1) {
        if (mg_scan_key_is(member.key, key)) {
            *value = member.value;
            found = 1;
        }
    }
    return more < 0 ? -1 : found;
}

struct mg_span
mg_scan_value(struct mg_span object, const char *key)
{
    struct mg_span value;
    if (object.n == 0 || object.p[0] != '{' || mg_scan_member(object, key, &value) != 1)
        return (struct mg_span){"", 0};
    return value;
}

int
mg_scan_path(struct mg_span json, const char *const *path, struct mg_span *value)
{
    size_t start = skip_space(json, 0);
    *value = (struct mg_span){json.p + start, json.n - start};
    for (; *path != NULL; path++) {
        if (value->n == 0 || value->p[0] != '{')
            return 0;
        int found = mg_scan_member(*value, *path, value);
        if (found != 1)
            return found;
    }
    return 1;
}

/* The four hexadecimal digits at p as a number, or -1. */
static int
hex4(const char *p)
{
    uint8_t bytes[2];
    return mg_unhex(p, 4, bytes, 2) == 0 ? bytes[0] << 8 | bytes[1] : -1;
}

static void
add_code_point(struct mg_str *out, uint32_t c)
{
    if (c < 0x80) {
        mg_str_addc(out, (char)c);
    } else if (c < 0x800) {
        mg_str_addc(out, (char)(0xc0 | c >> 6));
        mg_str_addc(out, (char)(0x80 | (c & 0x3f)));
    } else if (c < 0x10000) {
        mg_str_addc(out, (char)(0xe0 | c >> 12));
        mg_str_addc(out, (char)(0x80 | (c >> 6 & 0x3f)));
        mg_str_addc(out, (char)(0x80 | (c & 0x3f)));
    } else {
        mg_str_addc(out, (char)(0xf0 | c >> 18));
        mg_str_addc(out, (char)(0x80 | (c >> 12 & 0x3f)));
        mg_str_addc(out, (char)(0x80 | (c >> 6 & 0x3f)));
        mg_str_addc(out, (char)(0x80 | (c & 0x3f)));
    }
}

/* p is behind "\u"; appends the character, a lone surrogate as U+FFFD. Returns the bytes
 * consumed, or 0 for a broken escape. */
static size_t
unicode_escape(const char *p, size_t n, struct mg_str *out)
{
    int high = n >= 4 ? hex4(p) : -1;
    if (high < 0)
        return 0;
    if (high < 0xd800 || high > 0xdfff) {
        add_code_point(out, (uint32_t)high);
        return 4;
    }
    int low = high <= 0xdbff && n >= 10 && p[4] == '\\' && p[5] == 'u' ? hex4(p + 6) : -1;
    if (low >= 0xdc00 && low <= 0xdfff) {
        add_code_point(out, 0x10000 + (((uint32_t)high - 0xd800) << 10) + ((uint32_t)low - 0xdc00));
        return 10;
    }
    add_code_point(out, 0xfffd);
    return 4;
}

bool
mg_scan_string(struct mg_span value, struct mg_str *out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (value.n < 2 || value.p[0] != '"' || value.p[value.n - 1] != '"')
        return false;
    const char *p = value.p + 1, *end = value.p + value.n - 1;
    while (p < end) {
        const char *slash = memchr(p, '\\', (size_t)(end - p));
        mg_str_add(out, p, (size_t)((slash ? slash : end) - p));
        if (slash == NULL)
            break;
        p = slash + 1;
        if (p >= end)
            return false;
        const char *simple = *p != '\0' ? strchr(from, *p) : NULL;
        if (simple != NULL) {
            mg_str_addc(out, to[simple - from]);
            p++;
        } else if (*p == 'u') {
            size_t used = unicode_escape(p + 1, (size_t)(end - p - 1), out);
            if (used == 0)
                return false;
            p += 1 + used;
        } else {
            return false;
        }
    }
    return mg_str_ok(out);
}
