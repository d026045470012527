/* The client's own words back: the last stop before an encoder.
 *
 * The request was renamed for the upstream (wire/translate); here the reply is renamed for the
 * client: names, namespaces and ids of tool calls, wrapped custom tools, JSON that was asked
 * for by way of a tool, proofs of reasoning (packed), a compaction. It also settles why the
 * answer ended: a turn that called a tool ends for that, whatever the upstream said. */
#ifndef MG_WIRE_RESTORE_H
#define MG_WIRE_RESTORE_H

#include "wire/encoder.h"
#include "wire/event.h"

struct mg_restore;

/* Passes restored events on to `to`. Free with mg_restore_free. */
struct mg_restore *mg_restore_new(const struct mg_reply *reply, struct mg_sink to)
    __attribute__((nonnull(1), warn_unused_result));
void mg_restore_free(struct mg_restore **restore) __attribute__((nonnull));
/* Takes an event, one block at a time: a mg_sink's `put`. */
void mg_restore_put(void *restore, const struct mg_event *event) __attribute__((nonnull));

#endif
