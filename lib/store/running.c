#include "store/running.h"

#include "base/clock.h"
#include "json/scan.h"
#include "json/splice.h"
#include "store/record.h"
#include "wire/inspect.h"
#include "wire/sse.h"

#include <stdio.h>

#define FRESH_MS 5000 /* a process that was just listed may not have been seen everywhere */

enum query { CANCELLED, LIVES, IS_OURS };

static const char *const sql[] = {
    [CANCELLED] = "SELECT seq FROM object WHERE owner = ? AND cancel = 1"
                  " AND state IN ('queued', 'in_progress') LIMIT ?",
    [IS_OURS] = "SELECT 1 FROM object WHERE seq = ? AND owner = ? LOCK IN SHARE MODE",
    [LIVES] = "SELECT 1 FROM proc WHERE owner = ?",
};

/* What a transaction works with. */
struct work {
    struct mg_object *object;
    const struct mg_body *body;
    size_t bodies;
    bool ours;
    struct mg_span reply;
};

static int
put_all(struct mg_db *db, const struct work *w, struct mg_err *err)
{
    for (size_t i = 0; i < w->bodies; i++)
        if (w->body[i].size > 0 && mg_body_put(db, w->object->seq, &w->body[i], err) != 0)
            return -1;
    return 0;
}

static int
open_object(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct work *w = arg;
    return mg_object_insert(db, w->object, err) != 0 ? -1 : put_all(db, w, err);
}

int
mg_running_open(struct mg_db *db, struct mg_object *object, struct mg_span input,
                size_t input_size, struct mg_span reply, struct mg_err *err)
{
    struct mg_str packed;
    if (mg_body_pack(reply, &packed) != 0) {
        mg_str_free(&packed);
        return mg_err_internal(err, "a reply cannot be compressed");
    }
    const struct mg_body body[] = {
        {MG_BODY_INPUT, 0, -1, -1, input_size, input},
        {MG_BODY_REPLY, 0, -1, -1, reply.n, mg_str_span(&packed)},
    };
    struct work w = {.object = object, .body = body, .bodies = 2};
    int rc = mg_db_txn(db, "response open", open_object, &w, err);
    mg_str_free(&packed);
    return rc;
}

/* The smallest and the largest number of its events. */
static void
number_events(struct mg_span events, int64_t *first, int64_t *last)
{
    struct mg_sse sse;
    struct mg_sse_event event;
    struct mg_inspection seen;
    *first = *last = -1;
    mg_sse_init(&sse);
    if (mg_sse_feed(&sse, events.p, events.n)) {
        while (mg_sse_next(&sse, true, &event)) {
            if (event.data.n == 0 || !mg_inspect_event(MG_RESPONSES, event.data, &seen) ||
                seen.sequence < 0)
                continue;
            if (*first < 0 || seen.sequence < *first)
                *first = seen.sequence;
            if (seen.sequence > *last)
                *last = seen.sequence;
        }
    }
    mg_sse_free(&sse);
}

/* A piece of the stream; of size 0 when there is nothing, or too much. */
static struct mg_body
make_piece(unsigned number, struct mg_span events, struct mg_str *packed)
{
    struct mg_body piece = {.kind = MG_BODY_EVENTS, .number = number};
    if (mg_body_pack(events, packed) != 0)
        return piece;
    number_events(events, &piece.first_event, &piece.last_event);
    piece.size = events.n;
    piece.packed = mg_str_span(packed);
    return piece;
}

static int
append_piece(struct mg_db *db, void *arg, struct mg_err *err)
{
    struct work *w = arg;
    const struct mg_db_value v[] = {mg_db_u64(w->object->seq), mg_db_u64(w->object->owner)};
    int found = mg_db_number(db, sql[IS_OURS], v, 2, NULL, err);
    w->ours = found == 1;
    return found == 1 ? put_all(db, w, err) : found;
}

int
mg_running_append(struct mg_db *db, const struct mg_object *object, unsigned number,
                  struct mg_span events, struct mg_err *err)
{
    struct mg_str packed;
    const struct mg_body piece = make_piece(number, events, &packed);
    struct mg_object copy = *object;
    struct work w = {.object = &copy, .body = &piece, .bodies = 1};
    int rc = mg_db_txn(db, "response append", append_piece, &w, err);
    mg_str_free(&packed);
    return rc != 0 ? -1 : w.ours;
}

static int
close_object(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct work *w = arg;
    int moved = mg_object_move(db, w->object->seq, w->object->owner, w->object->state, err);
    if (moved != 1)
        return moved; /* somebody took us for dead, or it was deleted meanwhile */
    if (put_all(db, w, err) != 0)
        return -1;
    return mg_record_items(db, w->object, w->reply, err);
}

int
mg_running_close(struct mg_db *db, const struct mg_object *object, struct mg_span reply,
                 unsigned number, struct mg_span events, struct mg_err *err)
{
    struct mg_object copy = *object;
    struct mg_str packed, packed_events;
    if (mg_body_pack(reply, &packed) != 0) {
        mg_str_free(&packed);
        return mg_err_set(err, 413, "", "The answer is too large to be kept.");
    }
    const struct mg_body body[] = {
        {MG_BODY_REPLY, 0, -1, -1, reply.n, mg_str_span(&packed)},
        make_piece(number, events, &packed_events),
    };
    struct work w = {.object = &copy, .body = body, .bodies = 2, .reply = reply};
    int rc = mg_db_txn(db, "response close", close_object, &w, err);
    mg_str_free(&packed);
    mg_str_free(&packed_events);
    return rc;
}

int
mg_running_cancelled(struct mg_db *db, uint64_t owner, uint64_t *seq, size_t most,
                     size_t *count, struct mg_err *err)
{
    const struct mg_db_value v[] = {mg_db_u64(owner), mg_db_i64((int64_t)most)};
    int more;
    *count = 0;
    if (mg_db_query(db, sql[CANCELLED], v, 2, err) != 0)
        return -1;
    while ((more = mg_db_next(db, err)) == 1 && *count < most)
        seq[(*count)++] = mg_db_get_u64(db, 0);
    mg_db_done(db);
    return more < 0 ? -1 : 0;
}

int
mg_running_check(struct mg_db *db, struct mg_object *object, struct mg_err *err)
{
    const struct mg_db_value v[] = {mg_db_u64(object->owner)};
    if (mg_object_is_final(object->state) || mg_now_ms() - object->created_ms < FRESH_MS)
        return 0;
    int lives = mg_db_number(db, sql[LIVES], v, 1, NULL, err);
    if (lives != 0)
        return lives < 0 ? -1 : 0;
    int moved = mg_object_move(db, object->seq, object->owner, MG_OBJECT_FAILED, err);
    if (moved == 1)
        object->state = MG_OBJECT_FAILED;
    return moved < 0 ? -1 : 0;
}

bool
mg_running_show(const struct mg_object *object, struct mg_str *reply)
{
    char status[32];
    struct mg_span there, error;
    struct mg_str shown;
    size_t n = 1;
    snprintf(status, sizeof(status), "\"%s\"", mg_object_state_name(object->state));
    struct mg_edit edits[2] = {{"status", mg_span_z(status)}};
    if (mg_scan_member(mg_str_span(reply), "status", &there) == 1 && mg_span_is(there, status))
        return false;
    if (object->state == MG_OBJECT_FAILED &&
        (mg_scan_member(mg_str_span(reply), "error", &error) != 1 || mg_span_is(error, "null")))
        edits[n++] = (struct mg_edit){
            "error", mg_span_z("{\"code\":\"server_error\",\"message\":\"The generation was "
                               "interrupted. What it had used so far may be charged.\"}")};
    mg_str_init(&shown, reply->max);
    if (mg_splice(mg_str_span(reply), edits, n, &shown) == 0) {
        mg_str_free(reply);
        *reply = shown;
    } else {
        mg_str_free(&shown);
    }
    return true;
}
