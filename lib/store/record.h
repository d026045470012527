/* A whole answer put away at once: its row, its bodies, where its items lie, its tags.
 *
 * One transaction; nothing of it is there before all of it is. An id that the account has
 * already names the newer object from then on: some upstreams give an id twice. */
#ifndef MG_STORE_RECORD_H
#define MG_STORE_RECORD_H

#include "store/body.h"
#include "store/object.h"

struct mg_record {
    struct mg_object object;        /* its seq is filled in */
    struct mg_span input;           /* JSON array of items or messages, by mg_body_pack */
    size_t input_size;              /* its bytes before */
    struct mg_span reply;           /* JSON object */
    struct mg_span events, tail;    /* of a stream: the bytes, and what they lack; may be empty */
    int64_t first_event, last_event;
    struct mg_span metadata;        /* completion: JSON object of texts, may be empty */
};

/* Puts a record away. A reply larger than MG_BODY_MAX is refused (413); events that are larger
 * are left out, since the reply says the same. 0 or -1. */
int mg_record_put(struct mg_db *db, struct mg_record *record, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Notes where the output items of a response lie, as a step of the caller's transaction.
 * `reply` is its JSON. 0 or -1. */
int mg_record_items(struct mg_db *db, const struct mg_object *object, struct mg_span reply,
                    struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* Replaces the metadata of a completion and its tags, as a step of the caller's transaction.
 * `metadata` is a JSON object of texts, empty for none. 0, also when it is gone; or -1. */
int mg_record_metadata(struct mg_db *db, const struct mg_object *object, struct mg_span metadata,
                       struct mg_err *err) __attribute__((nonnull, warn_unused_result));

#endif
