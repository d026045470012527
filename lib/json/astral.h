/* Escapes that json-c 0.16 reads wrongly.
 *
 * It takes the character of a surrogate pair for a surrogate again when the character's lower 16
 * bits look like one (U+1D800-1DFFF, U+2D800-2DFFF, … U+10D800-10DFFF, rare Chinese characters
 * among them) and makes U+FFFD of it. */
#ifndef MG_JSON_ASTRAL_H
#define MG_JSON_ASTRAL_H

#include "base/str.h"

#include <stdbool.h>

/* True when a JSON text has such escapes; `out`, initialised by the caller with room for text.n
 * bytes, then holds the text with these characters in UTF-8 instead. */
bool mg_astral_spell(struct mg_span text, struct mg_str *out) __attribute__((nonnull));

#endif
