/* How many tokens a text is: byte-pair encoding with the o200k vocabulary.
 *
 * Cuts a text into pieces as the published pattern of o200k_base says (lib/tokens/piece.c) and
 * merges the bytes of each piece (lib/tokens/merge.c). Knows nothing of messages, formats or
 * models; what surrounds a text is for wire/count to add.
 *
 * Linear in the length of the text, whatever it holds; allocates nothing, uses about 40 KB of
 * stack, is safe from any thread. Exact but for pieces without a break of more than
 * MG_TOKENS_WINDOW bytes (a run of one letter, say), which are merged window by window and may
 * come out one token higher a window. Marks like <|endoftext|> are text like any other. */
#ifndef MG_TOKENS_TOKENS_H
#define MG_TOKENS_TOKENS_H

#include <stddef.h>
#include <stdint.h>

#define MG_TOKENS_WINDOW 1024 /* bytes */

/* Tokens of n bytes of UTF-8; a byte that is none counts as a character by itself. */
int64_t mg_tokens_count(const char *text, size_t n);

#endif
