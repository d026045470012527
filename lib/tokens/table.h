/* The read-only table behind the tokenizer: made at build time, part of the library's image.
 *
 * lib/tokens/mktable writes a struct mg_tokens_table as bytes, table.c takes them into the
 * library, so that all processes share its pages and none spends time on building it. Private to
 * this room. */
#ifndef MG_TOKENS_TABLE_H
#define MG_TOKENS_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MG_TOKENS_COUNT 199998u  /* tokens, ranks from 0 */
#define MG_TOKENS_BYTES 1397670u /* of all of them together */
#define MG_TOKENS_LONGEST 128u   /* bytes of the longest one */
#define MG_TOKENS_SLOTS (1u << 19)
#define MG_TOKENS_FILTER (1u << 21) /* bits */
#define MG_TOKENS_PAGES 256u     /* different pages of 128 code points, at most */
#define MG_TOKENS_NONE UINT32_MAX

/* Classes of code points, as the pre-tokenizer tells them apart. */
enum {
    MG_TOKENS_UPPER = 1,  /* Lu, Lt */
    MG_TOKENS_LOWER = 2,  /* Ll */
    MG_TOKENS_BOTH = 4,   /* Lm, Lo: letters without case */
    MG_TOKENS_MARK = 8,   /* M */
    MG_TOKENS_NUMBER = 16,/* N */
    MG_TOKENS_SPACE = 32, /* White_Space but for the next */
    MG_TOKENS_BREAK = 64, /* CR, LF */
    MG_TOKENS_OTHER = 128
};

struct mg_tokens_table {
    /* Open addressing with linear steps; 0 = free. Bits: length 0-7, rank 8-25, place of the
     * bytes 26-46, the highest bits of the hash 47-63. */
    uint64_t slot[MG_TOKENS_SLOTS];
    /* One bit for every token, at bits 19 to 39 of its hash: what is clear is no token. Most
     * questions end here, in a part small enough for the processor's cache. */
    uint64_t filter[MG_TOKENS_FILTER / 64];
    uint32_t pair[0x10000];              /* rank of a token of two bytes, first * 256 + second */
    uint8_t page[0x110000 >> 7];         /* of the code points in blocks of 128 */
    uint8_t cls[MG_TOKENS_PAGES][128];
    char bytes[MG_TOKENS_BYTES];
};

extern const struct mg_tokens_table mg_tokens_table __attribute__((visibility("hidden")));

/* Place of two bytes in `pair`. */
static inline size_t
mg_tokens_pair(const char *p)
{
    return (size_t)(uint8_t)p[0] << 8 | (uint8_t)p[1];
}

/* Bit of a hash in `filter`. */
static inline size_t
mg_tokens_bit(uint64_t hash)
{
    return hash >> 19 & (MG_TOKENS_FILTER - 1);
}

static inline uint64_t
mg_tokens_mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9fb21c651e98df25);
    return h ^ h >> 32;
}

static inline uint64_t
mg_tokens_hash(const char *p, size_t n)
{
    uint64_t h = n * UINT64_C(0x9e3779b97f4a7c15), word = 0;
    uint32_t low, high;
    if (n < 4) {
        word = (uint64_t)(uint8_t)p[0] << 16 | (uint64_t)(uint8_t)p[n / 2] << 8 |
               (uint8_t)p[n - 1];
    } else if (n < 8) {
        memcpy(&low, p, 4);
        memcpy(&high, p + n - 4, 4);
        word = (uint64_t)high << 32 | low;
    } else {
        for (size_t i = 0; i + 8 < n; i += 8) {
            memcpy(&word, p + i, 8);
            h = mg_tokens_mix(h, word);
        }
        memcpy(&word, p + n - 8, 8);
    }
    return mg_tokens_mix(mg_tokens_mix(h, word), n);
}

#endif
