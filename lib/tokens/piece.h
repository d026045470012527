/* Where the pieces of a text end that byte-pair encoding works on.
 *
 * The pre-tokenizer of o200k_base, written out by hand: words with one leading sign and an
 * English contraction, up to three digits, runs of signs, white space. Private to this room. */
#ifndef MG_TOKENS_PIECE_H
#define MG_TOKENS_PIECE_H

#include <stddef.h>

/* The end of the piece that begins at p; p < end. Always advances. */
const char *mg_piece_end(const char *p, const char *end)
    __attribute__((nonnull, returns_nonnull, visibility("hidden")));

#endif
