/* A response while it is generated in the background: opened before its client is answered,
 * grown by pieces of its stream, closed once.
 *
 * Its row names the process that generates it (proc.owner). Nothing sweeps these rows: whoever
 * reads one whose process is no longer listed knows that nobody will finish it, and closes it
 * as failed. The generation's money is the ledger's business. */
#ifndef MG_STORE_RUNNING_H
#define MG_STORE_RUNNING_H

#include "store/body.h"
#include "store/object.h"

/* Inserts the object (its seq is filled in) with its input, which mg_body_pack has packed, and
 * the reply that its client gets now. 0 or -1. */
int mg_running_open(struct mg_db *db, struct mg_object *object, struct mg_span input,
                    size_t input_size, struct mg_span reply, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Stores piece `number` of its stream: whole events. 1; 0: it was deleted, or closed by somebody
 * else, so that nobody will read what comes; -1. */
int mg_running_append(struct mg_db *db, const struct mg_object *object, unsigned number,
                      struct mg_span events, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Ends it in object->state with its last reply and piece (may be empty), unless it has ended
 * already or is not object->owner's any more: all or nothing. 0 or -1. */
int mg_running_close(struct mg_db *db, const struct mg_object *object, struct mg_span reply,
                     unsigned number, struct mg_span events, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Numbers of the objects of an owner that are to be stopped: *count of them, at most `most`. 0 or
 * -1. */
int mg_running_cancelled(struct mg_db *db, uint64_t owner, uint64_t *seq, size_t most,
                         size_t *count, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Closes an object as failed whose process is gone; object->state says so then. 0 or -1. */
int mg_running_check(struct mg_db *db, struct mg_object *object, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Makes a stored reply say what its object's state is; false when it says so already. */
bool mg_running_show(const struct mg_object *object, struct mg_str *reply)
    __attribute__((nonnull));

#endif
