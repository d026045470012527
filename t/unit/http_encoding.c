/* Compressed request bodies: every coding, cut at every byte, broken, and bombs. */
#include "tap.h"

#include "http/encoding.h"

#include <zlib.h>
#include <zstd.h>

#define TEXT_SIZE 5000

static char text[TEXT_SIZE];

/* Compresses the text: zlib's window bits choose the format. Returns the size. */
static size_t
deflate_text(int bits, unsigned char *to, size_t room, const char *from, size_t n)
{
    z_stream z = {0};
    deflateInit2(&z, 6, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY);
    union { const char *in; unsigned char *zlib; } as = {from};
    z.next_in = as.zlib;
    z.avail_in = (uInt)n;
    z.next_out = to;
    z.avail_out = (uInt)room;
    deflate(&z, Z_FINISH);
    size_t size = z.total_out;
    deflateEnd(&z);
    return size;
}

/* Expands in two pieces cut at `cut`; the result of the piece that failed, or of the last. */
static enum mg_decode_result
expand(enum mg_coding coding, const unsigned char *bytes, size_t n, size_t cut,
       struct mg_str *out, bool *complete)
{
    struct mg_decoder *decoder = mg_decoder_new(coding);
    mg_str_reset(out);
    enum mg_decode_result result = mg_decoder_feed(decoder, bytes, cut, out);
    if (result == MG_DECODE_OK)
        result = mg_decoder_feed(decoder, bytes + cut, n - cut, out);
    *complete = mg_decoder_complete(decoder);
    mg_decoder_free(&decoder);
    return result;
}

static void
round_trip(const char *name, enum mg_coding coding, const unsigned char *bytes, size_t n)
{
    struct mg_str out;
    bool complete, good = true;
    mg_str_init(&out, TEXT_SIZE);
    for (size_t cut = 0; cut <= n; cut++)
        good &= expand(coding, bytes, n, cut, &out, &complete) == MG_DECODE_OK && complete
                && out.len == TEXT_SIZE && memcmp(out.p, text, TEXT_SIZE) == 0;
    ok(good, "%s: the text comes back, wherever it is cut", name);
    good = true;
    for (size_t len = 1; len < n; len++) {
        enum mg_decode_result result = expand(coding, bytes, len, 0, &out, &complete);
        good &= result != MG_DECODE_OK || !complete;
    }
    ok(good, "%s: a shortened body is never complete", name);
    unsigned char *more = malloc(n + 1);
    memcpy(more, bytes, n);
    more[n] = 'x';
    good = expand(coding, more, n + 1, 0, &out, &complete) == MG_DECODE_BROKEN || !complete;
    ok(good, "%s: something behind the end is refused", name);
    free(more);
    struct mg_str small;
    mg_str_init(&small, TEXT_SIZE - 1);
    is_int(expand(coding, bytes, n, n / 2, &small, &complete), MG_DECODE_LARGE,
           "the limit holds to the byte");
    mg_str_free(&small);
    mg_str_free(&out);
}

static void
test_names(void)
{
    is_int(mg_coding_parse(NULL), MG_CODING_IDENTITY, "no header: plain");
    is_int(mg_coding_parse(" Identity "), MG_CODING_IDENTITY, "identity: plain");
    is_int(mg_coding_parse("GZIP"), MG_CODING_GZIP, "names have no case");
    is_int(mg_coding_parse("x-gzip"), MG_CODING_GZIP, "the old name");
    is_int(mg_coding_parse("zstd"), MG_CODING_ZSTD, "zstd");
    is_int(mg_coding_parse("br"), MG_CODING_UNKNOWN, "brotli is not offered");
    is_int(mg_coding_parse("gzip, zstd"), MG_CODING_UNKNOWN, "stacked codings are refused");
    is_int(mg_coding_parse("gzip zstd"), MG_CODING_UNKNOWN, "in any spelling");
}

static void
test_bomb(void)
{
    size_t size = (size_t)64 << 20, limit = (size_t)1 << 20;
    char *zeros = calloc(1, size);
    unsigned char *packed = malloc(1 << 20);
    struct mg_str out;
    bool complete;
    mg_str_init(&out, limit);
    size_t n = deflate_text(31, packed, 1 << 20, zeros, size);
    is_int(expand(MG_CODING_GZIP, packed, n, 0, &out, &complete), MG_DECODE_LARGE,
           "a gzip bomb stops at the limit");
    ok(out.cap <= limit + 1, "... having taken no more memory than that");
    n = ZSTD_compress(packed, 1 << 20, zeros, size, 1);
    is_int(expand(MG_CODING_ZSTD, packed, n, 0, &out, &complete), MG_DECODE_LARGE,
           "so does a zstd bomb");
    mg_str_free(&out);
    free(packed);
    free(zeros);
}

static void
test_window(void)
{
    /* A frame that claims a window of 128 MB: magic, descriptor, window byte, one raw block. */
    static const unsigned char frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x88,
                                          0x09, 0x00, 0x00, 'x'};
    struct mg_str out;
    bool complete;
    mg_str_init(&out, 1000);
    is_int(expand(MG_CODING_ZSTD, frame, sizeof(frame), 0, &out, &complete), MG_DECODE_BROKEN,
           "a zstd frame that wants 128 MB of window is refused");
    mg_str_free(&out);
}

static void
test_members(void)
{
    unsigned char packed[2 * TEXT_SIZE];
    struct mg_str out;
    bool complete;
    mg_str_init(&out, TEXT_SIZE);
    size_t n = deflate_text(31, packed, TEXT_SIZE, text, 100);
    n += deflate_text(31, packed + n, TEXT_SIZE, text + 100, TEXT_SIZE - 100);
    is_int(expand(MG_CODING_GZIP, packed, n, 20, &out, &complete), MG_DECODE_OK,
           "gzip members may follow one another");
    ok(complete && out.len == TEXT_SIZE, "... and make one text");
    mg_str_free(&out);
}

int
main(void)
{
    unsigned char packed[2 * TEXT_SIZE];
    plan(0);
    for (size_t i = 0; i < TEXT_SIZE; i++)
        text[i] = (char)('a' + (i * i / 7 + i / 13) % 26);
    test_names();
    round_trip("gzip", MG_CODING_GZIP, packed,
               deflate_text(31, packed, sizeof(packed), text, TEXT_SIZE));
    round_trip("deflate", MG_CODING_DEFLATE, packed,
               deflate_text(15, packed, sizeof(packed), text, TEXT_SIZE));
    round_trip("raw deflate", MG_CODING_DEFLATE, packed,
               deflate_text(-15, packed, sizeof(packed), text, TEXT_SIZE));
    round_trip("zstd", MG_CODING_ZSTD, packed,
               ZSTD_compress(packed, sizeof(packed), text, TEXT_SIZE, 3));
    test_bomb();
    test_window();
    test_members();
    return done();
}
