/*
 * The one rule by which the simulated provider counts tokens, so that a test can compute an
 * invoice by itself:
 *
 *   input   every string value found in system, instructions, messages, input, prompt and tools
 *           counts its words (maximal runs of bytes that are not space, tab, CR, LF); values of
 *           members that only describe the shape (type, role, id, call_id, …: see tokens.c) count
 *           nothing; an image, a file or any other data counts SIM_TOKENS_MEDIA; a prompt given as
 *           token numbers counts them. The sum is at least 1.
 *   output  the pieces that are streamed: a word with the white space before it for text and
 *           reasoning, 8 bytes (args-chunk) for the arguments of a tool call.
 */
#ifndef SIM_TOKENS_H
#define SIM_TOKENS_H

#include "js.h"

enum { SIM_TOKENS_MEDIA = 100, SIM_TOKENS_ARGS = 8 };

/* Input tokens of a request of any family. */
int64_t sim_tokens_input(struct json_object *body);

/* Length of the next word piece at s (n > 0 bytes left): leading white space and one word. */
size_t sim_tokens_word(const char *s, size_t n);

/* Length of the next argument piece: at most max bytes (<= 0: everything), no cut character. */
size_t sim_tokens_arg(const char *s, size_t n, int64_t max);

/* How many word pieces n bytes are. */
int64_t sim_tokens_words(const char *s, size_t n);

#endif
