/* The open output item of a Responses reply, and the open part of a message, as JSON. */
#ifndef MG_WIRE_OUTPUT_ITEM_H
#define MG_WIRE_OUTPUT_ITEM_H

#include "json/writer.h"
#include "wire/responses_window.h"

#include <stdbool.h>

/* Writes the open item as it is now. A call that is `in_progress` has no arguments yet. */
void mg_output_item(const struct mg_window *window, struct mg_jw *w, const char *key,
                   const char *status) __attribute__((nonnull(1, 2, 4)));
/* Writes the open part of the open message: `whole`, or empty as it is added. */
void mg_output_part(const struct mg_window *window, struct mg_jw *w, const char *key, bool whole)
    __attribute__((nonnull(1, 2)));

#endif
