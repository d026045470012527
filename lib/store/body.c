#include "store/body.h"

#include <string.h>
#include <zlib.h>

#define GET_PIECES 8 /* pieces of events read at once */

enum query { PUT, GET, EVENTS };

static const char *const sql[] = {
    [PUT] = "INSERT INTO object_body (object, kind, number, first_event, last_event, size, body) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE "
            "first_event = VALUES(first_event), last_event = VALUES(last_event), "
            "size = VALUES(size), body = VALUES(body)",
    [GET] = "SELECT size, body FROM object_body WHERE object = ? AND kind = ? AND number = 0",
    [EVENTS] = "SELECT size, body, number FROM object_body WHERE object = ? AND kind = 'events' "
               "AND number >= ? AND last_event > ? ORDER BY number LIMIT ?",
};

int
mg_body_pack(struct mg_span raw, struct mg_str *out)
{
    uLongf n = compressBound((uLong)raw.n);
    mg_str_init(out, n);
    if (raw.n > MG_BODY_MAX || !mg_str_reserve(out, n))
        return -1;
    if (compress2((Bytef *)out->p, &n, (const Bytef *)raw.p, (uLong)raw.n, 1) != Z_OK)
        return -1;
    out->len = n;
    return 0;
}

/* Appends the inflated bytes of a column. */
static int
inflate_into(struct mg_span packed, size_t size, struct mg_str *out, struct mg_err *err)
{
    uLongf n = (uLongf)size;
    if (size > MG_BODY_MAX || !mg_str_reserve(out, size + 1))
        return mg_err_internal(err, "a stored body of %zu bytes does not fit", size);
    if (uncompress((Bytef *)out->p + out->len, &n, (const Bytef *)packed.p, (uLong)packed.n) !=
            Z_OK || n != size)
        return mg_err_internal(err, "a stored body is damaged");
    out->len += size;
    out->p[out->len] = '\0';
    return 0;
}

/* The number that an enumerator has in its column. */
static struct mg_db_value
word(enum mg_body_kind kind)
{
    return mg_db_i64((int64_t)kind + 1);
}

int
mg_body_put(struct mg_db *db, uint64_t object, const struct mg_body *body, struct mg_err *err)
{
    const struct mg_db_value v[] = {
        mg_db_u64(object),
        word(body->kind),
        mg_db_u64(body->number),
        mg_db_i64(body->first_event),
        mg_db_i64(body->last_event),
        mg_db_u64(body->size),
        mg_db_bytes(body->packed.p, body->packed.n),
    };
    return mg_db_exec(db, sql[PUT], v, sizeof(v) / sizeof(v[0]), err);
}

static int
append_row(struct mg_db *db, struct mg_str *out, struct mg_err *err)
{
    struct mg_span packed;
    size_t size = (size_t)mg_db_get_u64(db, 0);
    packed.p = mg_db_get_bytes(db, 1, &packed.n);
    return inflate_into(packed, size, out, err);
}

int
mg_body_get(struct mg_db *db, uint64_t object, enum mg_body_kind kind, struct mg_str *out,
            struct mg_err *err)
{
    const struct mg_db_value v[] = {mg_db_u64(object), word(kind)};
    if (mg_db_query(db, sql[GET], v, 2, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1 && append_row(db, out, err) != 0)
        found = -1;
    mg_db_done(db);
    return found;
}

int
mg_body_events(struct mg_db *db, uint64_t object, unsigned *number, int64_t after,
               struct mg_str *out, struct mg_err *err)
{
    const struct mg_db_value v[] = {mg_db_u64(object), mg_db_u64(*number), mg_db_i64(after),
                                    mg_db_i64(GET_PIECES)};
    int more, found = 0;
    if (mg_db_query(db, sql[EVENTS], v, 4, err) != 0)
        return -1;
    while ((more = mg_db_next(db, err)) == 1) {
        if (found > 0 && out->max - out->len <= mg_db_get_u64(db, 0))
            break; /* next time */
        if (append_row(db, out, err) != 0) {
            more = -1;
            break;
        }
        *number = (unsigned)mg_db_get_u64(db, 2) + 1;
        found = 1;
    }
    mg_db_done(db);
    return more < 0 ? -1 : found;
}
