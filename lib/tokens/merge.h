/* Byte-pair merging of one piece: as long as two neighbours together are a token, the pair of
 * the lowest rank (the leftmost of equal ones) becomes one. Private to this room. */
#ifndef MG_TOKENS_MERGE_H
#define MG_TOKENS_MERGE_H

#include <stddef.h>

/* Tokens of a piece of n bytes, 1 <= n. */
size_t mg_merge_count(const char *p, size_t n) __attribute__((nonnull, visibility("hidden")));

#endif
