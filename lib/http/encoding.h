/* Content codings of request bodies, undone piece by piece.
 *
 * Output goes to a string with a maximum, so a small body that would expand to gigabytes stops
 * at that maximum. Pure but for memory. Sources: RFC 9110 section 8.4, RFC 1950 to 1952,
 * RFC 8878. */
#ifndef MG_HTTP_ENCODING_H
#define MG_HTTP_ENCODING_H

#include "base/str.h"

#include <stdbool.h>

enum mg_coding {
    MG_CODING_UNKNOWN = -1, /* also several codings at once */
    MG_CODING_IDENTITY,
    MG_CODING_GZIP,
    MG_CODING_DEFLATE,      /* zlib format, or raw as some senders mean it */
    MG_CODING_ZSTD
};

/* Reads a Content-Encoding value; NULL and "" are identity. */
enum mg_coding mg_coding_parse(const char *value);

enum mg_decode_result {
    MG_DECODE_OK,
    MG_DECODE_BROKEN, /* not in that format, or something follows behind its end */
    MG_DECODE_LARGE   /* `out` is full */
};

struct mg_decoder;

/* A decoder for gzip, deflate or zstd. */
struct mg_decoder *mg_decoder_new(enum mg_coding coding) __attribute__((warn_unused_result));
void mg_decoder_free(struct mg_decoder **decoder) __attribute__((nonnull));
/* Takes n encoded bytes, appends what they expand to. */
enum mg_decode_result mg_decoder_feed(struct mg_decoder *decoder, const void *bytes, size_t n,
                                      struct mg_str *out) __attribute__((nonnull));
/* True when the encoded data is at its end: a body that stops elsewhere was cut. */
bool mg_decoder_complete(const struct mg_decoder *decoder) __attribute__((nonnull));

#endif
