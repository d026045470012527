#include "codec.h"

#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void sim_base64_add(struct sim_buf *out, const void *data, size_t n)
{
    const unsigned char *s = data;
    size_t i;

    sim_buf_reserve(out, (n + 2) / 3 * 4);
    for (i = 0; i < n; i += 3) {
        size_t left = n - i;
        unsigned v = (unsigned)s[i] << 16;
        char q[4];

        v |= left > 1 ? (unsigned)s[i + 1] << 8 : 0;
        v |= left > 2 ? s[i + 2] : 0;
        q[0] = alphabet[v >> 18];
        q[1] = alphabet[v >> 12 & 63];
        q[2] = '=';
        q[3] = '=';
        if (left > 1) {
            q[2] = alphabet[v >> 6 & 63];
        }
        if (left > 2) {
            q[3] = alphabet[v & 63];
        }
        sim_buf_add(out, q, 4);
    }
}

static int digit64(char c)
{
    const char *at = c ? strchr(alphabet, c) : NULL;

    return at ? (int)(at - alphabet) : -1;
}

int sim_base64_decode(struct sim_buf *out, const char *s, size_t n)
{
    unsigned v = 0;
    int bits = 0;
    size_t i;

    for (i = 0; i < n && s[i] != '='; i++) {
        int d = digit64(s[i]);
        char c;

        if (d < 0) {
            return -1;
        }
        v = v << 6 | (unsigned)d;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            c = (char)(v >> bits & 255);
            sim_buf_add(out, &c, 1);
        }
    }
    return 0;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

size_t sim_url_decode(char *s, size_t n)
{
    size_t in;
    size_t out = 0;

    for (in = 0; in < n; in++) {
        if (s[in] == '%' && n - in > 2 && hex_digit(s[in + 1]) >= 0 && hex_digit(s[in + 2]) >= 0) {
            s[out++] = (char)(hex_digit(s[in + 1]) << 4 | hex_digit(s[in + 2]));
            in += 2;
        } else {
            s[out++] = s[in];
        }
    }
    s[out] = '\0';
    return out;
}

/* Length of the well-formed character at s, 0 when there is none. */
static size_t utf8_char(const unsigned char *s, size_t n)
{
    unsigned c = s[0];
    size_t len = c < 0x80 ? 1 : c >= 0xC2 && c < 0xE0 ? 2 : (c & 0xF0) == 0xE0 ? 3
                 : c >= 0xF0 && c < 0xF5             ? 4
                                                     : 0;
    size_t i;

    if (!len || len > n) {
        return 0;
    }
    for (i = 1; i < len; i++) {
        if ((s[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    if ((c == 0xE0 && s[1] < 0xA0) || (c == 0xED && s[1] > 0x9F) || (c == 0xF0 && s[1] < 0x90) ||
        (c == 0xF4 && s[1] > 0x8F)) {
        return 0;
    }
    return len;
}

bool sim_utf8_valid(const char *s, size_t n)
{
    size_t i = 0;

    while (i < n) {
        size_t len = utf8_char((const unsigned char *)s + i, n - i);

        if (!len) {
            return false;
        }
        i += len;
    }
    return true;
}

size_t sim_utf8_cut(const char *s, size_t n, size_t max)
{
    if (n <= max) {
        return n;
    }
    while (max && ((unsigned char)s[max] & 0xC0) == 0x80) {
        max--;
    }
    return max;
}
