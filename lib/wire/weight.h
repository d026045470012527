/* What media weigh: the tokens of an image or a document in a request.
 *
 * By the rules that the providers publish, from the size that the head of the data tells and the
 * pages that a PDF names. Nothing is decompressed, at most a bounded head is decoded. What cannot
 * be known (a file behind an address or an id) counts an ordinary one. */
#ifndef MG_WIRE_WEIGHT_H
#define MG_WIRE_WEIGHT_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* Width and height of a PNG, JPEG, GIF or WebP from its first bytes; false when they do not
 * tell. */
bool mg_weight_size(struct mg_span head, int64_t *width, int64_t *height)
    __attribute__((nonnull, warn_unused_result));
/* Tokens of an image of that size where Messages rules hold: pixels / 750 after scaling to 1568
 * on the longer side, 1600 at most. */
int64_t mg_weight_area(int64_t width, int64_t height);
/* Tokens where OpenAI rules hold: 85, and unless `low` 170 for each tile of 512 after scaling
 * into 2048 x 2048 and to 768 on the shorter side. */
int64_t mg_weight_tiles(int64_t width, int64_t height, bool low);

/* Tokens of an image: `data` is a data URL, an address, base64, or empty. `messages`: whose
 * rules; `low`: the detail asked for. */
int64_t mg_weight_image(struct mg_span data, bool messages, bool low);
/* Tokens of a PDF or another file, given like an image. */
int64_t mg_weight_document(struct mg_span data);

#endif
