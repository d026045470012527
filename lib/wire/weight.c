#include "wire/weight.h"

#include "wire/base64.h"

#include <string.h>

#define HEAD_TEXT ((size_t)256 * 1024)      /* base64 looked at for the size of an image */
#define PAGES_TEXT ((size_t)8 * 1024 * 1024) /* … and for the pages of a PDF */
#define AREA_MOST 1600   /* tokens of an image where Messages rules hold */
#define AREA_SIDE 1568   /* pixels */
#define AREA_TOKEN 750   /* pixels a token */
#define TILES_USUAL 765  /* a square of 1024 */
#define LOW 85
#define PAGE_TOKENS 2500 /* text and picture of a page */
#define FILE_BYTES 64    /* of a PDF whose pages are compressed: bytes a token */

static int64_t
big(const unsigned char *p, size_t n)
{
    int64_t v = 0;
    for (size_t i = 0; i < n; i++)
        v = v << 8 | p[i];
    return v;
}

static int64_t
little(const unsigned char *p, size_t n)
{
    int64_t v = 0;
    while (n-- > 0)
        v = v << 8 | p[n];
    return v;
}

/* Walks the segments to the frame header (SOF0 to SOF15 but for tables and arithmetic coding). */
static bool
jpeg_size(const unsigned char *p, size_t n, int64_t *width, int64_t *height)
{
    for (size_t i = 2; i + 9 <= n && p[i] == 0xff;) {
        unsigned marker = p[i + 1];
        if (marker == 0xff) {
            i++;
        } else if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 &&
                   marker != 0xcc) {
            *height = big(p + i + 5, 2);
            *width = big(p + i + 7, 2);
            return true;
        } else {
            i += 2 + (size_t)big(p + i + 2, 2);
        }
    }
    return false;
}

static bool
webp_size(const unsigned char *p, size_t n, int64_t *width, int64_t *height)
{
    if (n < 30)
        return false;
    if (memcmp(p + 12, "VP8X", 4) == 0) {
        *width = little(p + 24, 3) + 1;
        *height = little(p + 27, 3) + 1;
    } else if (memcmp(p + 12, "VP8L", 4) == 0) {
        int64_t bits = little(p + 21, 4);
        *width = (bits & 0x3fff) + 1;
        *height = (bits >> 14 & 0x3fff) + 1;
    } else {
        *width = little(p + 26, 2) & 0x3fff;
        *height = little(p + 28, 2) & 0x3fff;
    }
    return true;
}

bool
mg_weight_size(struct mg_span head, int64_t *width, int64_t *height)
{
    const unsigned char *p = (const unsigned char *)head.p;
    *width = *height = 0;
    if (head.n >= 24 && memcmp(p, "\x89PNG\r\n\x1a\n", 8) == 0) {
        *width = big(p + 16, 4);
        *height = big(p + 20, 4);
    } else if (head.n >= 10 && memcmp(p, "GIF8", 4) == 0) {
        *width = little(p + 6, 2);
        *height = little(p + 8, 2);
    } else if (head.n >= 12 && memcmp(p, "RIFF", 4) == 0 && memcmp(p + 8, "WEBP", 4) == 0) {
        if (!webp_size(p, head.n, width, height))
            return false;
    } else if (head.n < 4 || p[0] != 0xff || p[1] != 0xd8 ||
               !jpeg_size(p, head.n, width, height)) {
        return false;
    }
    return *width > 0 && *height > 0;
}

/* Scales both sides by most / side when `side` is larger than `most`. */
static void
shrink(int64_t side, int64_t most, int64_t *width, int64_t *height)
{
    if (side <= most)
        return;
    *width = *width * most / side;
    *height = *height * most / side;
}

int64_t
mg_weight_area(int64_t width, int64_t height)
{
    shrink(width > height ? width : height, AREA_SIDE, &width, &height);
    int64_t tokens = (width * height + AREA_TOKEN - 1) / AREA_TOKEN;
    return tokens < 1 ? 1 : tokens > AREA_MOST ? AREA_MOST : tokens;
}

int64_t
mg_weight_tiles(int64_t width, int64_t height, bool low)
{
    if (low)
        return LOW;
    shrink(width > height ? width : height, 2048, &width, &height);
    shrink(width < height ? width : height, 768, &width, &height);
    width = width < 1 ? 1 : width;
    height = height < 1 ? 1 : height;
    return LOW + 170 * ((width + 511) / 512) * ((height + 511) / 512);
}

/* The base64 part of a data URL or of plain base64; empty for an address. */
static struct mg_span
encoded(struct mg_span data)
{
    if (data.n >= 5 && memcmp(data.p, "data:", 5) == 0) {
        const char *comma = memchr(data.p, ',', data.n < 256 ? data.n : 256);
        size_t before = comma != NULL ? (size_t)(comma - data.p) + 1 : data.n;
        return (struct mg_span){data.p + before, data.n - before};
    }
    if (data.n >= 4 && memcmp(data.p, "http", 4) == 0)
        data.n = 0;
    return data;
}

/* Decodes a head of at most `most` characters, whatever follows; what is no base64 ends it. */
static void
decode_head(struct mg_span text, size_t most, struct mg_str *out)
{
    mg_str_init(out, most);
    text.n = text.n < most ? text.n : most / 4 * 4;
    if (text.n > 0 && !mg_base64_decode(text, out))
        mg_str_reset(out);
}

int64_t
mg_weight_image(struct mg_span data, bool messages, bool low)
{
    struct mg_str head;
    int64_t width, height;
    decode_head(encoded(data), HEAD_TEXT, &head);
    bool known = mg_weight_size(mg_str_span(&head), &width, &height);
    mg_str_free(&head);
    if (messages)
        return known ? mg_weight_area(width, height) : AREA_MOST;
    if (!known)
        return low ? LOW : TILES_USUAL;
    return mg_weight_tiles(width, height, low);
}

/* "/Type /Page" with any blanks between, and not "/Type /Pages". */
static int64_t
count_pages(struct mg_span pdf)
{
    int64_t pages = 0;
    const char *p = pdf.p, *end = pdf.p + pdf.n;
    while ((p = memmem(p, (size_t)(end - p), "/Type", 5)) != NULL) {
        p += 5;
        while (p < end && strchr(" \t\r\n", *p) != NULL && *p != '\0')
            p++;
        if (end - p >= 5 && memcmp(p, "/Page", 5) == 0)
            pages += end - p == 5 || p[5] != 's';
    }
    return pages;
}

int64_t
mg_weight_document(struct mg_span data)
{
    struct mg_span text = encoded(data);
    struct mg_str bytes;
    decode_head(text, PAGES_TEXT, &bytes);
    int64_t pages = count_pages(mg_str_span(&bytes));
    mg_str_free(&bytes);
    if (pages > 0)
        return pages * PAGE_TOKENS;
    return text.n > 0 ? PAGE_TOKENS + (int64_t)text.n / FILE_BYTES : 2 * PAGE_TOKENS;
}
