/* How many input tokens a request has, about: for estimates and the counting endpoints.
 *
 * Walks the body of any of the four formats, counts its texts with the tokenizer and weighs its
 * media, and adds what a provider puts around messages, tools, calls and schemas. The constants
 * are fitted to usage that real providers stated (t/unit/wire_count.c holds them to it). Not for
 * bounds: a hold is made of bytes (wire/facts). */
#ifndef MG_WIRE_COUNT_H
#define MG_WIRE_COUNT_H

#include "wire/family.h"

#include <json-c/json_object.h>
#include <stddef.h>
#include <stdint.h>

/* Budgets, in bytes of text. What is longer is counted up to here and extrapolated. */
#define MG_COUNT_QUICK ((size_t)256 * 1024)       /* for a generation: some milliseconds */
#define MG_COUNT_CAREFUL ((size_t)4 * 1024 * 1024) /* for a counting endpoint */

/* Tokens of the input of `body`, a request of `family`, for a provider that counts like `like`
 * (the format that it speaks). */
int64_t mg_count_input(enum mg_family family, enum mg_family like, struct json_object *body,
                       size_t budget);

#endif
