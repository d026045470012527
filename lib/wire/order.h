/* One block at a time.
 *
 * Some upstreams interleave the pieces of parallel tool calls; no client's format that matters
 * allows it. The events of the first open block pass at once; those of later ones wait until
 * all blocks before them have ended. Nothing waits when the upstream keeps order by itself. */
#ifndef MG_WIRE_ORDER_H
#define MG_WIRE_ORDER_H

#include "wire/event.h"

#include <stdbool.h>

struct mg_order;

/* Passes events on to `to`. Free with mg_order_free. */
struct mg_order *mg_order_new(struct mg_sink to) __attribute__((warn_unused_result));
void mg_order_free(struct mg_order **order) __attribute__((nonnull));

/* Takes an event: a mg_sink's `put` with the order as `self`. Events that belong to no block
 * pass at once; the decoder ends its blocks before it says FINISH. */
void mg_order_put(void *order, const struct mg_event *event) __attribute__((nonnull));
/* False once more waited than may wait: the answer is lost. */
bool mg_order_ok(const struct mg_order *order) __attribute__((nonnull));

#endif
