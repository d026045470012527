/* Input items of stored responses: their ids, and how they are shown.
 *
 * An input is stored as its client sent it. Ids for items that have none follow from the request
 * and the place, so they need not be stored: "msg_<request>i<place>". Pure. */
#ifndef MG_STORE_ITEMS_H
#define MG_STORE_ITEMS_H

#include "base/id.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* Takes apart an id that was made here. False when it is none. */
bool mg_items_id_parse(const char *id, uint8_t request_id[MG_ID_BYTES], size_t *place);

/* Appends the element of an input (JSON: a text, or an array of items) at `place`, as it was
 * sent; a text is one message. False when there is none. */
bool mg_items_at(struct mg_span input, size_t place, struct mg_str *out);

/* A page of a list of items, in the shape of the API. */
struct mg_items_page {
    const uint8_t *request_id;  /* of the response */
    const char *after;          /* id of the last item of the page before, NULL = from the start */
    size_t limit;
    bool descending;
};
/* Appends the list object of a page. 0; -1 when `after` is the id of none of the items. */
int mg_items_list(struct mg_span input, const struct mg_items_page *page, struct mg_str *out)
    __attribute__((nonnull, warn_unused_result));

#endif
