#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

/* Bytes of the well-formed sequence at p (2 to 4), or 0. The lead byte is >= 0x80. */
static size_t
sequence(const unsigned char *p, size_t n)
{
    unsigned char c = p[0];
    size_t len = c >= 0xc2 && c <= 0xdf   ? 2
                 : (c & 0xf0) == 0xe0     ? 3
                 : c >= 0xf0 && c <= 0xf4 ? 4
                                          : 0;
    if (len == 0 || len > n)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((c == 0xe0 && p[1] < 0xa0) || (c == 0xed && p[1] > 0x9f) || (c == 0xf0 && p[1] < 0x90) ||
        (c == 0xf4 && p[1] > 0x8f))
        return 0;
    return len;
}

bool
mg_utf8_valid(const char *text, size_t n)
{
    if (n == 0) /* also a NULL text */
        return true;
    const unsigned char *p = (const unsigned char *)text, *end = p + n;
    while (p < end) {
        uint64_t word;
        if (end - p >= 8) { /* plain ASCII is nearly everything: eight bytes at a time */
            memcpy(&word, p, 8);
            if ((word & 0x8080808080808080ULL) == 0) {
                p += 8;
                continue;
            }
        }
        if (*p < 0x80) {
            p++;
            continue;
        }
        size_t len = sequence(p, (size_t)(end - p));
        if (len == 0)
            return false;
        p += len;
    }
    return true;
}
