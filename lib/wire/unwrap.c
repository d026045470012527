#include "wire/unwrap.h"

#include "json/scan.h"
#include "wire/translate.h"

#include <string.h>

#define UNWRAP_MAX ((size_t)32 << 20)

enum { BEFORE, INSIDE, BEHIND, OTHER };

void
mg_unwrap_init(struct mg_unwrap *u)
{
    *u = (struct mg_unwrap){.state = BEFORE};
    mg_str_init(&u->raw, UNWRAP_MAX);
}

void
mg_unwrap_free(struct mg_unwrap *u)
{
    mg_str_free(&u->raw);
}

/* Follows `{ "input" : "` with any white space. Bytes read when it is all there; 0 when more is
 * needed; -1 when the arguments begin otherwise. */
static long
opening(struct mg_span raw)
{
    static const char *const tokens[] = {"{", "\"" MG_CUSTOM_ARGUMENT "\"", ":", "\""};
    size_t at = 0;
    for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
        size_t n = strlen(tokens[i]);
        while (at < raw.n && strchr(" \t\r\n", raw.p[at]) != NULL && raw.p[at] != '\0')
            at++;
        size_t have = raw.n - at < n ? raw.n - at : n;
        if (memcmp(raw.p + at, tokens[i], have) != 0)
            return -1;
        if (have < n)
            return 0;
        at += n;
    }
    return (long)at;
}

/* How many bytes at p are one whole character or escape of a JSON string; 0 when it is not all
 * there, or when a surrogate pair is not. */
static size_t
unit(const char *p, size_t n)
{
    if (p[0] != '\\')
        return 1;
    if (n < 2)
        return 0;
    if (p[1] != 'u')
        return 2;
    if (n < 6)
        return 0;
    if (strchr("dD", p[2]) == NULL || strchr("89abAB", p[3]) == NULL)
        return 6;
    if (n < 12)
        return n > 6 && p[6] != '\\' ? 6 : 0;
    return p[6] == '\\' && p[7] == 'u' ? 12 : 6;
}

/* Decodes raw[from, to), whole units of a JSON string. */
static void
decode(struct mg_unwrap *u, size_t from, size_t to, struct mg_str *out)
{
    struct mg_str quoted;
    if (from == to)
        return;
    mg_str_init(&quoted, to - from + 2);
    mg_str_addc(&quoted, '"');
    mg_str_add(&quoted, u->raw.p + from, to - from);
    mg_str_addc(&quoted, '"');
    (void)mg_scan_string(mg_str_span(&quoted), out);
    mg_str_free(&quoted);
}

static void
inside(struct mg_unwrap *u, struct mg_str *out)
{
    size_t from = u->at, at = from;
    while (at < u->raw.len && u->raw.p[at] != '"') {
        size_t n = unit(u->raw.p + at, u->raw.len - at);
        if (n == 0)
            break;
        at += n;
    }
    if (at < u->raw.len && u->raw.p[at] == '"')
        u->state = BEHIND;
    decode(u, from, at, out);
    u->at = at;
}

void
mg_unwrap_feed(struct mg_unwrap *u, struct mg_span piece, struct mg_str *out)
{
    mg_str_addspan(&u->raw, piece);
    if (u->state == BEFORE) {
        long n = opening(mg_str_span(&u->raw));
        if (n < 0)
            u->state = OTHER;
        if (n > 0) {
            u->state = INSIDE;
            u->at = (size_t)n;
        }
    }
    if (u->state == INSIDE)
        inside(u, out);
}

bool
mg_unwrap_end(struct mg_unwrap *u, struct mg_str *out)
{
    bool whole = u->state != INSIDE;
    if ((u->state == BEFORE || u->state == OTHER) && u->raw.len > 0)
        mg_custom_unwrap(mg_str_span(&u->raw), out);
    mg_str_reset(&u->raw);
    u->at = 0;
    u->state = BEFORE;
    return whole;
}
