/* Images and documents: how each format holds them.
 *
 * Chat and Responses write data URLs, Messages writes base64 sources. The base64 text goes over
 * untouched; only its frame changes. An image is never dropped: what the upstream cannot take
 * is refused. Nothing is ever fetched. */
#ifndef MG_WIRE_MEDIA_H
#define MG_WIRE_MEDIA_H

#include "json/writer.h"
#include "wire/crossing.h"

/* Takes the address of an image or document apart: a data URL into type and data (a missing
 * type is told from the first bytes), anything else is kept as url. 0, or -1 (400) when the
 * data URL is not base64. */
int mg_media_address(struct mg_crossing *x, const char *at, struct mg_span address,
                     struct mg_media *media) __attribute__((nonnull, warn_unused_result));
/* A Messages `source` object of an image or document into media. `content` sources are for the
 * caller. 0, or -1 with err. */
int mg_media_source(struct mg_crossing *x, const char *at, struct mg_node *source,
                    struct mg_media *media) __attribute__((nonnull(1, 2, 4), warn_unused_result));

/* 0 when the destination and its format can take the block (an image or a document), else -1
 * with a 400 that names it. */
int mg_media_fits(struct mg_crossing *x, struct mg_block *block)
    __attribute__((nonnull, warn_unused_result));

/* Write the block as a part of the upstream's format. */
void mg_media_chat(struct mg_jw *w, const struct mg_block *block) __attribute__((nonnull));
void mg_media_responses(struct mg_jw *w, const struct mg_block *block) __attribute__((nonnull));
void mg_media_messages(struct mg_jw *w, const struct mg_block *block) __attribute__((nonnull));

#endif
