#include "http/encoding.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>
#include <zstd.h>

#define CHUNK 16384
#define ZSTD_WINDOW_LOG 23 /* 8 MB, what RFC 8878 asks every decoder to support */

struct mg_decoder {
    enum mg_coding coding;
    z_stream z;
    ZSTD_DStream *zstd;
    bool started;  /* the zlib stream is set up */
    bool complete;
};

enum mg_coding
mg_coding_parse(const char *value)
{
    static const struct {
        const char *name;
        enum mg_coding coding;
    } codings[] = {
        {"identity", MG_CODING_IDENTITY}, {"gzip", MG_CODING_GZIP}, {"x-gzip", MG_CODING_GZIP},
        {"deflate", MG_CODING_DEFLATE}, {"zstd", MG_CODING_ZSTD},
    };
    if (value == NULL)
        return MG_CODING_IDENTITY;
    value += strspn(value, " \t");
    size_t n = strcspn(value, " \t");
    if (n == 0)
        return MG_CODING_IDENTITY;
    if (value[n + strspn(value + n, " \t")] != '\0')
        return MG_CODING_UNKNOWN;
    for (size_t i = 0; i < sizeof(codings) / sizeof(codings[0]); i++)
        if (strlen(codings[i].name) == n && strncasecmp(value, codings[i].name, n) == 0)
            return codings[i].coding;
    return MG_CODING_UNKNOWN;
}

struct mg_decoder *
mg_decoder_new(enum mg_coding coding)
{
    struct mg_decoder *d = mg_calloc(1, sizeof(*d));
    d->coding = coding;
    if (coding == MG_CODING_ZSTD) {
        d->zstd = ZSTD_createDStream();
        if (d->zstd == NULL)
            abort();
        ZSTD_DCtx_setParameter(d->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG);
    }
    return d;
}

void
mg_decoder_free(struct mg_decoder **decoder)
{
    struct mg_decoder *d = *decoder;
    if (d == NULL)
        return;
    if (d->started)
        inflateEnd(&d->z);
    ZSTD_freeDStream(d->zstd);
    free(d);
    *decoder = NULL;
}

/* "deflate" should be the zlib format and often is not; the first byte tells: a zlib header
 * says method 8, which no raw block of a compressor begins with. */
static int
start_zlib(struct mg_decoder *d, unsigned char first)
{
    int bits = 15;
    if (d->coding == MG_CODING_GZIP)
        bits += 16;
    else if ((first & 0x0f) != 8)
        bits = -bits;
    d->started = inflateInit2(&d->z, bits) == Z_OK;
    return d->started ? 0 : -1;
}

static enum mg_decode_result
feed_zlib(struct mg_decoder *d, const unsigned char *bytes, size_t n, struct mg_str *out)
{
    unsigned char chunk[CHUNK];
    union { const unsigned char *in; unsigned char *zlib; } as = {bytes}; /* it does not write */
    if (!d->started && start_zlib(d, bytes[0]) != 0)
        return MG_DECODE_BROKEN;
    d->z.next_in = as.zlib;
    d->z.avail_in = (uInt)n;
    do {
        if (d->complete) { /* gzip members may follow one another */
            if (d->coding != MG_CODING_GZIP || inflateReset(&d->z) != Z_OK)
                return MG_DECODE_BROKEN;
            d->complete = false;
        }
        d->z.next_out = chunk;
        d->z.avail_out = sizeof(chunk);
        int rc = inflate(&d->z, Z_NO_FLUSH);
        if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
            return MG_DECODE_BROKEN;
        mg_str_add(out, chunk, sizeof(chunk) - d->z.avail_out);
        if (!mg_str_ok(out))
            return MG_DECODE_LARGE;
        d->complete = rc == Z_STREAM_END;
    } while (d->z.avail_in > 0 || (d->z.avail_out == 0 && !d->complete));
    return MG_DECODE_OK;
}

static enum mg_decode_result
feed_zstd(struct mg_decoder *d, const void *bytes, size_t n, struct mg_str *out)
{
    char chunk[CHUNK];
    ZSTD_inBuffer in = {bytes, n, 0};
    ZSTD_outBuffer to;
    do {
        to = (ZSTD_outBuffer){chunk, sizeof(chunk), 0};
        size_t rc = ZSTD_decompressStream(d->zstd, &to, &in);
        if (ZSTD_isError(rc))
            return MG_DECODE_BROKEN;
        mg_str_add(out, chunk, to.pos);
        if (!mg_str_ok(out))
            return MG_DECODE_LARGE;
        d->complete = rc == 0; /* a frame is whole and given out; another may follow */
    } while (in.pos < in.size || to.pos == to.size);
    return MG_DECODE_OK;
}

enum mg_decode_result
mg_decoder_feed(struct mg_decoder *decoder, const void *bytes, size_t n, struct mg_str *out)
{
    if (n == 0)
        return MG_DECODE_OK;
    if (decoder->coding == MG_CODING_ZSTD)
        return feed_zstd(decoder, bytes, n, out);
    return feed_zlib(decoder, bytes, n, out);
}

bool
mg_decoder_complete(const struct mg_decoder *decoder)
{
    return decoder->complete;
}
