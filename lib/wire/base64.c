#include "wire/base64.h"

#include <stdint.h>
#include <string.h>

void
mg_base64url(const void *bytes, size_t n, struct mg_str *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const unsigned char *p = bytes;
    if (!mg_str_reserve(out, n / 3 * 4 + 4))
        return;
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i < 3 ? n - i : 3;
        uint32_t v = (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) |
                     (left > 2 ? p[i + 2] : 0);
        for (size_t d = 0; d <= left; d++)
            mg_str_addc(out, digits[v >> (18 - 6 * d) & 63]);
    }
}

static int
digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '+' || c == '-')
        return 62;
    return c == '/' || c == '_' ? 63 : -1;
}

bool
mg_base64_decode(struct mg_span text, struct mg_str *out)
{
    uint32_t bits = 0;
    unsigned held = 0; /* bits in `bits` */
    size_t i = 0;
    for (; i < text.n && text.p[i] != '='; i++) {
        int d = digit(text.p[i]);
        if (d < 0) {
            if (strchr(" \t\r\n", text.p[i]) == NULL || text.p[i] == '\0')
                return false;
            continue;
        }
        bits = bits << 6 | (uint32_t)d;
        held += 6;
        if (held >= 8) {
            held -= 8;
            mg_str_addc(out, (char)(bits >> held & 255));
        }
    }
    for (; i < text.n; i++) {
        if (text.p[i] == '\0' || strchr("= \t\r\n", text.p[i]) == NULL)
            return false;
    }
    return held < 6 && (bits & ((1U << held) - 1)) == 0 && mg_str_ok(out);
}
