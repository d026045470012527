/* The output items of one Responses answer: what of each has been passed on already.
 *
 * A track is one run of text with a place: a content part of a message, the arguments of a call,
 * the summary of a reasoning item. The decoder hands in deltas and, later, whole texts; a track
 * passes on what is new. */
#ifndef MG_WIRE_RESPONSES_ITEMS_H
#define MG_WIRE_RESPONSES_ITEMS_H

#include "wire/decoder.h"
#include "wire/responses_places.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MG_ITEMS_ONLY (-1)               /* the place of a text that is the only one of its item */
#define MG_ITEMS_RAW(part) (-2 - (part)) /* the place of raw reasoning, apart from the summary's */

struct mg_items {
    struct mg_track *track;
    size_t count, room;
    unsigned blocks;     /* blocks begun */
    struct mg_places places;
    bool any_call, any_refusal;
};

void mg_items_free(struct mg_items *items) __attribute__((nonnull));
/* The log probabilities that a delta or a part holds, as JSON text; n = 0 without any. */
struct mg_span mg_items_logprobs(struct json_object *holder);
/* The item is announced: a tool call begins as soon as its name is known. `index` is its
 * output_index, or MG_PLACE_NONE. 0, or -1 when there are too many. */
int mg_items_added(struct mg_items *items, const struct mg_decoder *decoder, int64_t index,
                   struct json_object *item) __attribute__((nonnull(1, 2)));
/* A piece of the text at (index, part) of the given kind. Arguments of calls are at
 * MG_ITEMS_ONLY; for reasoning, `part` counts paragraphs of the summary, or MG_ITEMS_RAW()
 * paragraphs of the raw text. */
int mg_items_delta(struct mg_items *items, const struct mg_decoder *decoder, int64_t index,
                   int64_t part, enum mg_part kind, struct mg_span text,
                   struct mg_span logprobs) __attribute__((nonnull));
/* The whole of that text: passes on what the deltas left out; its log probabilities only when
 * there were no deltas at all. */
int mg_items_whole(struct mg_items *items, const struct mg_decoder *decoder, int64_t index,
                   int64_t part, enum mg_part kind, struct mg_span text,
                   struct mg_span logprobs) __attribute__((nonnull));
/* The text at (index, part) of a message is over. */
void mg_items_part_end(struct mg_items *items, const struct mg_decoder *decoder, int64_t index,
                       int64_t part) __attribute__((nonnull));
/* A source of the text at (index, part) of a message. */
void mg_items_cite(struct mg_items *items, const struct mg_decoder *decoder, int64_t index,
                   int64_t part, struct json_object *annotation) __attribute__((nonnull(1, 2)));
/* The item is done: passes on what is missing of it and ends its blocks. Once only. */
int mg_items_done(struct mg_items *items, const struct mg_decoder *decoder, int64_t index,
                  struct json_object *item) __attribute__((nonnull(1, 2)));
/* The output of the final response: passes on the items, and parts of items, that no event told
 * of. */
int mg_items_final(struct mg_items *items, const struct mg_decoder *decoder,
                   struct json_object *output) __attribute__((nonnull(1, 2)));
/* Ends whatever is still open. */
void mg_items_end(struct mg_items *items, const struct mg_decoder *decoder)
    __attribute__((nonnull));

#endif
