#include "store/object.h"

#include "base/clock.h"
#include "db/list.h"

#include <stdio.h>
#include <string.h>

#define PURGE_GROUP 64 /* objects deleted in one transaction */

#define COLUMNS                                                                                  \
    "SELECT seq, account_id, id, request_id, kind + 0, state + 0, background, cancel, owner, "   \
    "model, upstream, previous, created_ms, expires_ms FROM object "

enum query { INSERT, BY_ID, BY_REQUEST, MOVE, CANCEL, IS_OPEN, NAME_CHORE, TAKE_CHORE, EXPIRED };

/* An ENUM counts from 1 in the order of the table, which is the order of ours. */
static const char *const sql[] = {
    [INSERT] = "INSERT INTO object (account_id, id, request_id, kind, state, background, owner, "
               "model, upstream, previous, created_ms, expires_ms) "
               "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [BY_ID] = COLUMNS "WHERE account_id = ? AND id = ? AND kind = ? AND expires_ms > ?",
    [BY_REQUEST] = COLUMNS "WHERE request_id = ? AND account_id = ? AND kind = 'response' "
                           "AND expires_ms > ?",
    [MOVE] = "UPDATE object SET state = ?, owner = IF(? > 2, 0, owner) "
             "WHERE seq = ? AND state IN ('queued', 'in_progress') AND ? IN (0, owner)",
    [CANCEL] = "UPDATE object SET cancel = 1 WHERE seq = ? AND state IN ('queued', 'in_progress')",
    [IS_OPEN] = "SELECT 1 FROM object WHERE seq = ? AND state IN ('queued', 'in_progress')",
    [NAME_CHORE] = "INSERT IGNORE INTO chore (name) VALUES ('object-purge')",
    [TAKE_CHORE] = "UPDATE chore SET next_ms = ? WHERE name = 'object-purge' AND next_ms <= ?",
    [EXPIRED] = "SELECT seq FROM object WHERE expires_ms <= ? ORDER BY expires_ms LIMIT ?",
};

static const char *const state_names[] = {
    [MG_OBJECT_QUEUED] = "queued",         [MG_OBJECT_IN_PROGRESS] = "in_progress",
    [MG_OBJECT_COMPLETED] = "completed",   [MG_OBJECT_INCOMPLETE] = "incomplete",
    [MG_OBJECT_FAILED] = "failed",         [MG_OBJECT_CANCELLED] = "cancelled",
};
#define STATES (sizeof(state_names) / sizeof(state_names[0]))

const char *
mg_object_state_name(enum mg_object_state state)
{
    return state_names[state];
}

int
mg_object_state_parse(struct mg_span name, enum mg_object_state *state)
{
    for (size_t i = 0; i < STATES; i++) {
        if (mg_span_is(name, state_names[i])) {
            *state = (enum mg_object_state)i;
            return 0;
        }
    }
    return -1;
}

bool
mg_object_is_final(enum mg_object_state state)
{
    return state > MG_OBJECT_IN_PROGRESS;
}

bool
mg_object_id_valid(struct mg_span id)
{
    static const char good[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-";
    if (id.n == 0 || id.n >= MG_OBJECT_ID)
        return false;
    for (size_t i = 0; i < id.n; i++) {
        if (memchr(good, id.p[i], sizeof(good) - 1) == NULL)
            return false;
    }
    return true;
}

/* The number that an enumerator has in its column. */
static struct mg_db_value
word(int value)
{
    return mg_db_i64(value + 1);
}

int
mg_object_insert(struct mg_db *db, struct mg_object *o, struct mg_err *err)
{
    const struct mg_db_value v[] = {
        mg_db_u64(o->account_id),
        mg_db_text(o->id),
        mg_db_bytes(o->request_id, MG_ID_BYTES),
        word(o->kind),
        word(o->state),
        mg_db_i64(o->background),
        mg_db_u64(o->owner),
        mg_db_text(o->model),
        mg_db_text(o->upstream),
        mg_db_text(o->previous),
        mg_db_i64(o->created_ms),
        mg_db_i64(o->expires_ms),
    };
    if (mg_db_exec(db, sql[INSERT], v, sizeof(v) / sizeof(v[0]), err) != 0)
        return -1;
    o->seq = mg_db_insert_id(db);
    return 0;
}

static void
read_object(struct mg_db *db, struct mg_object *o)
{
    size_t n;
    *o = (struct mg_object){.seq = mg_db_get_u64(db, 0), .account_id = mg_db_get_u64(db, 1)};
    snprintf(o->id, sizeof(o->id), "%s", mg_db_get_bytes(db, 2, NULL));
    const char *request = mg_db_get_bytes(db, 3, &n);
    memcpy(o->request_id, request, n < MG_ID_BYTES ? n : MG_ID_BYTES);
    o->kind = (enum mg_object_kind)(mg_db_get_i64(db, 4) - 1);
    o->state = (enum mg_object_state)(mg_db_get_i64(db, 5) - 1);
    o->background = mg_db_get_i64(db, 6) != 0;
    o->cancel = mg_db_get_i64(db, 7) != 0;
    o->owner = mg_db_get_u64(db, 8);
    snprintf(o->model, sizeof(o->model), "%s", mg_db_get_bytes(db, 9, NULL));
    snprintf(o->upstream, sizeof(o->upstream), "%s", mg_db_get_bytes(db, 10, NULL));
    snprintf(o->previous, sizeof(o->previous), "%s", mg_db_get_bytes(db, 11, NULL));
    o->created_ms = mg_db_get_i64(db, 12);
    o->expires_ms = mg_db_get_i64(db, 13);
}

static int
find(struct mg_db *db, enum query query, const struct mg_db_value *v, size_t count,
     struct mg_object *object, struct mg_err *err)
{
    if (mg_db_query(db, sql[query], v, count, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1)
        read_object(db, object);
    mg_db_done(db);
    return found;
}

int
mg_object_find(struct mg_db *db, uint64_t account_id, enum mg_object_kind kind, const char *id,
               struct mg_object *object, struct mg_err *err)
{
    const struct mg_db_value v[] = {mg_db_u64(account_id), mg_db_text(id), word(kind),
                                    mg_db_i64(mg_now_ms())};
    if (!mg_object_id_valid(mg_span_z(id)))
        return 0;
    return find(db, BY_ID, v, 4, object, err);
}

int
mg_object_of_request(struct mg_db *db, uint64_t account_id, const uint8_t request_id[MG_ID_BYTES],
                     struct mg_object *object, struct mg_err *err)
{
    const struct mg_db_value v[] = {mg_db_bytes(request_id, MG_ID_BYTES), mg_db_u64(account_id),
                                    mg_db_i64(mg_now_ms())};
    return find(db, BY_REQUEST, v, 3, object, err);
}

/* Whether the statement before this changed nothing because everything was so already. */
static int
is_open(struct mg_db *db, uint64_t seq, struct mg_err *err)
{
    const struct mg_db_value v[] = {mg_db_u64(seq)};
    return mg_db_number(db, sql[IS_OPEN], v, 1, NULL, err);
}

int
mg_object_move(struct mg_db *db, uint64_t seq, uint64_t owner, enum mg_object_state state,
               struct mg_err *err)
{
    const struct mg_db_value v[] = {word(state), word(state), mg_db_u64(seq), mg_db_u64(owner)};
    if (mg_db_exec(db, sql[MOVE], v, 4, err) != 0)
        return -1;
    return mg_db_affected(db) > 0;
}

int
mg_object_ask_cancel(struct mg_db *db, uint64_t seq, struct mg_err *err)
{
    const struct mg_db_value v[] = {mg_db_u64(seq)};
    if (mg_db_exec(db, sql[CANCEL], v, 1, err) != 0)
        return -1;
    return mg_db_affected(db) > 0 ? 1 : is_open(db, seq, err);
}

/* Objects that go together, and the room for the statements. */
struct doomed {
    uint64_t account_id;
    enum mg_object_kind kind;
    const char *id;      /* of one, or NULL: */
    int64_t now_ms;      /* all whose time is over by then */
    size_t most, count;
    struct mg_db_value seq[PURGE_GROUP];
};

static int
look_up(struct mg_db *db, struct doomed *d, struct mg_err *err)
{
    const struct mg_db_value v[] = {mg_db_i64(d->now_ms), mg_db_i64((int64_t)d->most)};
    int more;
    d->count = 0;
    if (d->id != NULL) {
        struct mg_object object;
        int found = mg_object_find(db, d->account_id, d->kind, d->id, &object, err);
        if (found == 1)
            d->seq[d->count++] = mg_db_u64(object.seq);
        return found < 0 ? -1 : 0;
    }
    if (mg_db_query(db, sql[EXPIRED], v, 2, err) != 0)
        return -1;
    while ((more = mg_db_next(db, err)) == 1)
        d->seq[d->count++] = mg_db_u64(mg_db_get_u64(db, 0));
    return more;
}

static int
delete_them(struct mg_db *db, void *arg, struct mg_err *err)
{
    static const char *const heads[] = {
        "DELETE FROM object_body WHERE object IN (",
        "DELETE FROM object_item WHERE object IN (",
        "DELETE FROM object_tag WHERE object IN (",
        "DELETE FROM object WHERE seq IN (",
    };
    struct doomed *d = arg;
    struct mg_str text;
    if (look_up(db, d, err) != 0)
        return -1;
    if (d->count == 0)
        return 0;
    size_t places = mg_list_round(d->count);
    for (size_t i = d->count; i < places; i++)
        d->seq[i] = d->seq[0];
    mg_str_init(&text, 65536);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof(heads) / sizeof(heads[0]); i++)
        rc = mg_db_exec(db, mg_list_sql(&text, heads[i], "?", places, ")"), d->seq, places, err);
    if (rc == 0 && mg_db_affected(db) < d->count)
        d->count = (size_t)mg_db_affected(db); /* somebody else was quicker */
    mg_str_free(&text);
    return rc;
}

int
mg_object_delete(struct mg_db *db, uint64_t account_id, enum mg_object_kind kind, const char *id,
                 struct mg_err *err)
{
    struct doomed d = {.account_id = account_id, .kind = kind, .id = id};
    if (mg_db_txn(db, "object-delete", delete_them, &d, err) != 0)
        return -1;
    return d.count > 0;
}

int
mg_object_purge_turn(struct mg_db *db, int64_t now_ms, int64_t until_ms, struct mg_err *err)
{
    const struct mg_db_value v[] = {mg_db_i64(until_ms), mg_db_i64(now_ms)};
    if (mg_db_exec(db, sql[NAME_CHORE], NULL, 0, err) != 0 ||
        mg_db_exec(db, sql[TAKE_CHORE], v, 2, err) != 0)
        return -1;
    return mg_db_affected(db) > 0;
}

int
mg_object_purge(struct mg_db *db, int64_t now_ms, size_t most, size_t *deleted,
                struct mg_err *err)
{
    struct doomed d = {.now_ms = now_ms};
    *deleted = 0;
    do {
        d.most = most - *deleted < PURGE_GROUP ? most - *deleted : PURGE_GROUP;
        if (mg_db_txn(db, "object-purge", delete_them, &d, err) != 0)
            return -1;
        *deleted += d.count;
    } while (d.count > 0 && *deleted < most);
    return 0;
}
