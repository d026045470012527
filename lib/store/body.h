/* The large parts of a stored object: what was asked, what was answered, how it was streamed.
 *
 * They are kept as zlib (level 1: a quarter of the space at the speed of the disk) in a table of
 * their own, so that lists never read them. None is larger than MG_BODY_MAX: within what a
 * database server takes in one packet by default.
 *
 * input: a JSON array, of items (responses; each has an id) or messages (completions).
 * reply: the JSON object that the client was given, or would be now.
 * events: the server-sent events of the stream as the client saw them, in pieces of whole
 * events: one piece for a stream that was stored at its end, many for one that is stored while
 * it runs. Pieces are numbered 0, 1, 2 … and know which sequence_numbers they hold. */
#ifndef MG_STORE_BODY_H
#define MG_STORE_BODY_H

#include "base/str.h"
#include "db/db.h"

#include <stdint.h>

#define MG_BODY_MAX ((size_t)16 << 20) /* bytes, before compression */

enum mg_body_kind { MG_BODY_INPUT, MG_BODY_REPLY, MG_BODY_EVENTS };

/* Compresses `raw` into `out` (which the caller frees). 0; -1 when it is larger than
 * MG_BODY_MAX. For who wants to pay that outside of a transaction, or keep it small meanwhile. */
int mg_body_pack(struct mg_span raw, struct mg_str *out)
    __attribute__((nonnull, warn_unused_result));

/* A part ready to be stored. */
struct mg_body {
    enum mg_body_kind kind;
    unsigned number;               /* of a piece of events, else 0 */
    int64_t first_event, last_event; /* sequence_numbers of a piece of events, else -1 */
    size_t size;                   /* bytes before compression */
    struct mg_span packed;         /* by mg_body_pack */
};

/* Stores a part; one of the same object, kind and number is replaced. 0 or -1. */
int mg_body_put(struct mg_db *db, uint64_t object, const struct mg_body *body,
                struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* Appends a part to `out`, inflated. 1; 0 when there is none (or it does not fit); -1. */
int mg_body_get(struct mg_db *db, uint64_t object, enum mg_body_kind kind, struct mg_str *out,
                struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* Appends the pieces of a stream from piece `*number` on that hold an event behind `after`
 * (sequence_number, -1 = all), one behind the other, as many as fit, and sets *number to the
 * next piece to ask for. 1: something was appended; 0: there is nothing more now; -1. */
int mg_body_events(struct mg_db *db, uint64_t object, unsigned *number, int64_t after,
                   struct mg_str *out, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
