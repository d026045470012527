#include "base/id.h"

#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

void
mg_random(void *buf, size_t n)
{
    char *p = buf;
    while (n > 0) {
        ssize_t got = getrandom(p, n, 0);
        if (got < 0) {
            if (errno == EINTR)
                continue;
            fprintf(stderr, "no random bytes: %s\n", strerror(errno));
            abort();
        }
        p += got;
        n -= (size_t)got;
    }
}

void
mg_id_new(uint8_t id[MG_ID_BYTES])
{
    int64_t ms = mg_now_ms();
    mg_random(id, MG_ID_BYTES);
    for (int i = 0; i < 6; i++)
        id[i] = (uint8_t)(ms >> (40 - 8 * i));
    id[6] = (uint8_t)(0x70 | (id[6] & 0x0f)); /* version 7 */
    id[8] = (uint8_t)(0x80 | (id[8] & 0x3f)); /* variant of RFC 9562 */
}

char *
mg_hex(const void *bytes, size_t n, char *buf)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *b = bytes;
    for (size_t i = 0; i < n; i++) {
        buf[2 * i] = digits[b[i] >> 4];
        buf[2 * i + 1] = digits[b[i] & 15];
    }
    buf[2 * n] = '\0';
    return buf;
}

static int
digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

int
mg_unhex(const char *text, size_t len, uint8_t *bytes, size_t n)
{
    if (len != 2 * n)
        return -1;
    for (size_t i = 0; i < n; i++) {
        int hi = digit(text[2 * i]), lo = digit(text[2 * i + 1]);
        if (hi < 0 || lo < 0)
            return -1;
        bytes[i] = (uint8_t)(hi << 4 | lo);
    }
    return 0;
}

char *
mg_request_id(const uint8_t id[MG_ID_BYTES], char buf[MG_REQUEST_ID_SIZE])
{
    memcpy(buf, "req_", 4);
    mg_hex(id, MG_ID_BYTES, buf + 4);
    return buf;
}

int
mg_request_id_parse(const char *text, uint8_t id[MG_ID_BYTES])
{
    if (strncmp(text, "req_", 4) == 0)
        text += 4;
    return mg_unhex(text, strlen(text), id, MG_ID_BYTES);
}
