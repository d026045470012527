#include "http/uri.h"

#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

static int
digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes n bytes into pool memory; NULL when an escape is broken or the result is no text that
 * we let in. `plus`: '+' is a space. */
static const char *
decode(struct mg_pool *pool, const char *p, size_t n, bool plus)
{
    char *out = mg_pool_alloc(pool, n + 1);
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        int c = (unsigned char)p[i];
        if (c == '%') {
            if (n - i < 3 || digit(p[i + 1]) < 0 || digit(p[i + 2]) < 0)
                return NULL;
            c = digit(p[i + 1]) * 16 + digit(p[i + 2]);
            i += 2;
        } else if (c == '+' && plus) {
            c = ' ';
        }
        if (c < 0x20 || c == 0x7f)
            return NULL;
        out[len++] = (char)c;
    }
    out[len] = '\0';
    return mg_utf8_valid(out, len) ? out : NULL;
}

/* "." and "..", also as part of a segment that holds encoded slashes. */
static bool
climbs(const char *segment)
{
    for (const char *part = segment; part != NULL;) {
        size_t n = strcspn(part, "/");
        if ((n == 1 || n == 2) && strncmp(part, "..", n) == 0)
            return true;
        part = part[n] == '/' ? part + n + 1 : NULL;
    }
    return false;
}

static int
parse_path(const char *p, size_t n, struct mg_pool *pool, struct mg_uri *uri)
{
    const char **segment = mg_pool_alloc(pool, MG_URI_SEGMENTS * sizeof(*segment));
    const char *end = p + n;
    uri->segment = segment;
    for (p++; p < end;) { /* behind the first slash */
        const char *slash = memchr(p, '/', (size_t)(end - p));
        size_t len = slash != NULL ? (size_t)(slash - p) : (size_t)(end - p);
        const char *text = decode(pool, p, len, false);
        if (text == NULL || climbs(text) || uri->segments == MG_URI_SEGMENTS)
            return -1;
        segment[uri->segments++] = text;
        p += len + 1;
    }
    return 0;
}

static int
parse_query(const char *p, struct mg_pool *pool, struct mg_uri *uri)
{
    struct mg_pair *pair = NULL;
    for (;;) {
        size_t len = strcspn(p, "&");
        if (len > 0) {
            const char *equals = memchr(p, '=', len);
            size_t name_len = equals != NULL ? (size_t)(equals - p) : len;
            size_t skip = equals != NULL ? name_len + 1 : len;
            const char *name = decode(pool, p, name_len, true);
            const char *value = decode(pool, p + skip, len - skip, true);
            if (name == NULL || value == NULL || uri->queries == MG_URI_PARAMETERS)
                return -1;
            if (pair == NULL)
                uri->query = pair = mg_pool_alloc(pool, MG_URI_PARAMETERS * sizeof(*pair));
            pair[uri->queries++] = (struct mg_pair){name, value};
        }
        if (p[len] == '\0')
            return 0;
        p += len + 1;
    }
}

/* Where path and query begin: behind scheme and host of an absolute form. NULL: nowhere. */
static const char *
origin_form(const char *target)
{
    size_t scheme = strncmp(target, "https://", 8) == 0 ? 8
                    : strncmp(target, "http://", 7) == 0 ? 7 : 0;
    if (scheme > 0)
        target += scheme + strcspn(target + scheme, "/?");
    return *target == '/' ? target : NULL;
}

int
mg_uri_parse(const char *target, struct mg_pool *pool, struct mg_uri *uri, struct mg_err *err)
{
    *uri = (struct mg_uri){.path = ""};
    if (strnlen(target, MG_URI_MAX + 1) > MG_URI_MAX)
        return mg_err_set(err, 414, "invalid_url", "The URL is longer than %d bytes.",
                          MG_URI_MAX);
    const char *p = origin_form(target);
    if (p == NULL || strchr(p, '#') != NULL)
        return mg_err_set(err, 400, "invalid_url", "The URL is not a valid request target.");
    size_t n = strcspn(p, "?");
    uri->path = mg_pool_strndup(pool, p, n);
    if (parse_path(p, n, pool, uri) != 0)
        return mg_err_set(err, 400, "invalid_url", "The path of the URL is not valid.");
    if (p[n] == '?' && parse_query(p + n + 1, pool, uri) != 0)
        return mg_err_set(err, 400, "invalid_url", "The query of the URL is not valid.");
    return 0;
}
