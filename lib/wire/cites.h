/* Sources of the text of one block, kept until the block is whole: only then is it known which
 * characters a source stands for. */
#ifndef MG_WIRE_CITES_H
#define MG_WIRE_CITES_H

#include "base/str.h"
#include "json/writer.h"
#include "wire/event.h"

#include <stddef.h>
#include <stdint.h>

struct mg_cited;

struct mg_cites {
    struct mg_cited *cited;
    size_t count, room;
    int64_t before; /* characters of the text before the block */
    int64_t length; /* characters of the block so far */
};

void mg_cites_free(struct mg_cites *cites) __attribute__((nonnull));
/* A block of text begins behind `before` characters; forgets the last block. */
void mg_cites_begin(struct mg_cites *cites, int64_t before) __attribute__((nonnull));
/* Text of the block. */
void mg_cites_text(struct mg_cites *cites, struct mg_span text) __attribute__((nonnull));
/* A source; copied. */
void mg_cites_add(struct mg_cites *cites, const struct mg_cite *cite) __attribute__((nonnull));
/* Writes source i as a url_citation: flat as Responses has it, or nested as Chat Completions
 * has it. */
void mg_cites_write(const struct mg_cites *cites, size_t i, bool nested, struct mg_jw *w)
    __attribute__((nonnull));

#endif
