#include "json/astral.h"

#include "json/scan.h"

#include <string.h>

#define PAIR 12 /* bytes of \uD836\uDC00 */

static bool
is_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

/* The six lowest bits of the first surrogate, the character's bits 10 to 15, are 0x36 or 0x37. */
static bool
is_misread(const char *p, size_t n)
{
    return n >= PAIR && p[1] == 'u' && is_of(p[2], "dD") && is_of(p[3], "89abAB")
           && is_of(p[4], "37bfBF") && is_of(p[5], "67") && p[6] == '\\' && p[7] == 'u'
           && is_of(p[8], "dD") && is_of(p[9], "cdefCDEF");
}

static bool
spell(const char *pair, struct mg_str *out)
{
    char quoted[PAIR + 2] = {'"'};
    memcpy(quoted + 1, pair, PAIR);
    quoted[PAIR + 1] = '"';
    return mg_scan_string((struct mg_span){quoted, sizeof(quoted)}, out);
}

bool
mg_astral_spell(struct mg_span text, struct mg_str *out)
{
    size_t done = 0, at = 0;
    const char *p;
    while (at < text.n && (p = memchr(text.p + at, '\\', text.n - at)) != NULL) {
        at = (size_t)(p - text.p);
        if (!is_misread(p, text.n - at)) {
            at += 2; /* the escape's own letter may be a backslash */
            continue;
        }
        mg_str_add(out, text.p + done, at - done);
        if (!spell(p, out))
            return false; /* no JSON */
        done = at += PAIR;
    }
    if (done > 0)
        mg_str_add(out, text.p + done, text.n - done);
    return done > 0 && mg_str_ok(out);
}
