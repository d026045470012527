/* The row of a stored object: whose it is, what it is called, how far its generation got.
 *
 * A response or a chat completion is one row here and its large parts in store/body.h. Every
 * look-up is by account and id, so that a foreign id is as unknown as one that never was. An
 * object whose time is over is unknown too, although it may not have been swept away yet.
 * All functions are one step of the caller's transaction, or stand alone. */
#ifndef MG_STORE_OBJECT_H
#define MG_STORE_OBJECT_H

#include "base/id.h"
#include "base/str.h"
#include "db/db.h"

#include <stdbool.h>
#include <stdint.h>

#define MG_OBJECT_ID 129 /* longest id and its NUL */

enum mg_object_kind { MG_OBJECT_RESPONSE, MG_OBJECT_COMPLETION };

/* QUEUED and IN_PROGRESS are of a background response whose generation has an owner; the others
 * are final. */
enum mg_object_state {
    MG_OBJECT_QUEUED,
    MG_OBJECT_IN_PROGRESS,
    MG_OBJECT_COMPLETED,
    MG_OBJECT_INCOMPLETE,
    MG_OBJECT_FAILED,
    MG_OBJECT_CANCELLED
};

struct mg_object {
    uint64_t seq;                   /* its number in the tables */
    uint64_t account_id;
    char id[MG_OBJECT_ID];
    uint8_t request_id[MG_ID_BYTES];/* the request that made it */
    enum mg_object_kind kind;
    enum mg_object_state state;
    bool background;                /* its generation waits for no client */
    bool cancel;                    /* its owner is to stop it */
    uint64_t owner;                 /* proc.owner of who generates it, 0 = nobody */
    char model[128];                /* as the client asked for it */
    char upstream[64];              /* name of the upstream that answered */
    char previous[MG_OBJECT_ID];    /* response it continues, "" = none */
    int64_t created_ms, expires_ms;
};

/* The words of the wire format: "in_progress" …; and back: 0, or -1 and *state as it was. */
const char *mg_object_state_name(enum mg_object_state state)
    __attribute__((returns_nonnull));
int mg_object_state_parse(struct mg_span name, enum mg_object_state *state)
    __attribute__((nonnull));
/* No owner is at work on it any more, and none will be. */
bool mg_object_is_final(enum mg_object_state state);

/* True for what may be an id: 1 to 128 characters of [A-Za-z0-9_.:-]. */
bool mg_object_id_valid(struct mg_span id);

/* Inserts the row and fills in object->seq. `seq` and `cancel` of the argument are not read.
 * 0; -1 with err, MG_DB_DUPLICATE when the account has an object with this id. */
int mg_object_insert(struct mg_db *db, struct mg_object *object, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Finds by account, kind and id. 1, 0 or -1. */
int mg_object_find(struct mg_db *db, uint64_t account_id, enum mg_object_kind kind,
                   const char *id, struct mg_object *object, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* The response of a request of the account. 1, 0 or -1. */
int mg_object_of_request(struct mg_db *db, uint64_t account_id,
                         const uint8_t request_id[MG_ID_BYTES], struct mg_object *object,
                         struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* Moves an object that is not final yet to another state; a final one has no owner afterwards.
 * `owner`: only if it is (still) this one's; 0 = whoever's it is. 1: moved; 0: it is final
 * already, in that state already, another's, or gone; -1. */
int mg_object_move(struct mg_db *db, uint64_t seq, uint64_t owner, enum mg_object_state state,
                   struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* Marks an object that is not final as to be stopped. 1: marked (or was); 0: final or gone. */
int mg_object_ask_cancel(struct mg_db *db, uint64_t seq, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Deletes the object with its bodies, items and tags, in a transaction of its own. Its usage
 * stays in the ledger. 1, 0 (there is none) or -1. */
int mg_object_delete(struct mg_db *db, uint64_t account_id, enum mg_object_kind kind,
                     const char *id, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Takes the turn to sweep, which all processes share: 1 when it is this one's, until `until_ms`;
 * 0 when somebody else has it; -1. */
int mg_object_purge_turn(struct mg_db *db, int64_t now_ms, int64_t until_ms, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Deletes up to `most` objects whose time is over and says how many it deleted. 0 or -1. */
int mg_object_purge(struct mg_db *db, int64_t now_ms, size_t most, size_t *deleted,
                    struct mg_err *err) __attribute__((nonnull, warn_unused_result));

#endif
