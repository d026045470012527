/* Which output item an event of a Responses stream is about.
 *
 * The format says it by output_index, and the final response by the place in its list. Servers
 * of the format leave the index out, skip numbers, give one number to two items, or leave items
 * out of the list; ids of items change from event to event with some. So an item is known by its
 * index and kind, in the final list by how many of its kind stand before it, and a call by its
 * call_id. Every item has a slot here, numbered from 0 as they are heard of. */
#ifndef MG_WIRE_RESPONSES_PLACES_H
#define MG_WIRE_RESPONSES_PLACES_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MG_PLACE_NONE (-1) /* as output_index: the event has none */
#define MG_PLACE_FULL (-1) /* as a slot: there are too many items */

enum mg_item_kind { MG_ITEM_OTHER, MG_ITEM_MESSAGE, MG_ITEM_REASONING, MG_ITEM_CALL };

struct mg_places {
    struct mg_place *place;
    size_t count, room;
};

void mg_places_free(struct mg_places *places) __attribute__((nonnull));
/* The slot of an item that is announced or done; `call` is its call_id, n = 0 when unknown. */
int64_t mg_places_item(struct mg_places *places, int64_t index, enum mg_item_kind kind,
                       struct mg_span call) __attribute__((nonnull));
/* The slot of the item that a piece belongs to. */
int64_t mg_places_piece(struct mg_places *places, int64_t index, enum mg_item_kind kind)
    __attribute__((nonnull));
/* The slot of the next item of the final list; no two of them get the same. */
int64_t mg_places_final(struct mg_places *places, enum mg_item_kind kind, struct mg_span call)
    __attribute__((nonnull));
/* Marks the item as told to its end. False when it was already. */
bool mg_places_finish(struct mg_places *places, int64_t slot) __attribute__((nonnull));

#endif
