#include "store/record.h"

#include "db/list.h"
#include "json/parse.h"
#include "json/scan.h"

#include <json-c/linkhash.h>
#include <string.h>

#define ITEMS_MOST 512 /* items of one answer that can be referred to */

enum query { LOCK, CLEAR_TAGS, SET_METADATA };

static const char *const sql[] = {
    [LOCK] = "SELECT 1 FROM object WHERE seq = ? FOR UPDATE",
    [CLEAR_TAGS] = "DELETE FROM object_tag WHERE object = ?",
    [SET_METADATA] = "UPDATE object SET metadata = ? WHERE seq = ?",
};

/* What the transaction works with. */
struct filing {
    struct mg_record *record;
    struct mg_str reply, events; /* packed */
    size_t events_size;
};

/* The id of an item, or nothing that is worth a row. */
static bool
read_id(struct mg_span item, struct mg_str *id)
{
    struct mg_span raw;
    mg_str_reset(id);
    return mg_scan_member(item, "id", &raw) == 1 && mg_scan_string(raw, id) &&
           mg_object_id_valid(mg_str_span(id));
}

int
mg_record_items(struct mg_db *db, const struct mg_object *object, struct mg_span reply,
                struct mg_err *err)
{
    struct mg_span output, item;
    struct mg_str id;
    size_t at = 0;
    int rc = 0;
    if (mg_scan_member(reply, "output", &output) != 1)
        return 0;
    mg_str_init(&id, 4096);
    for (size_t n = 0; rc == 0 && n < ITEMS_MOST && mg_scan_element(output, &at, &item) == 1; n++) {
        if (!read_id(item, &id))
            continue;
        const struct mg_db_value v[] = {mg_db_u64(object->account_id), mg_db_text(id.p),
                                        mg_db_u64(object->seq)};
        rc = mg_db_exec(db, "INSERT IGNORE INTO object_item (account_id, id, object) "
                            "VALUES (?, ?, ?)", v, 3, err);
    }
    mg_str_free(&id);
    return rc;
}

static int
put_tags(struct mg_db *db, const struct mg_object *object, struct json_object *tree,
         struct mg_err *err)
{
    json_object_object_foreach(tree, name, value)
    {
        const struct mg_db_value v[] = {
            mg_db_u64(object->seq), mg_db_text(name),
            mg_db_bytes(json_object_get_string(value), (size_t)json_object_get_string_len(value)),
            mg_db_u64(object->account_id)};
        if (mg_db_exec(db, "INSERT INTO object_tag (object, name, value, account_id) "
                           "VALUES (?, ?, ?, ?)", v, 4, err) != 0)
            return -1;
    }
    return 0;
}

int
mg_record_metadata(struct mg_db *db, const struct mg_object *object, struct mg_span metadata,
                   struct mg_err *err)
{
    const struct mg_db_value v[] = {
        metadata.n > 0 ? mg_db_bytes(metadata.p, metadata.n) : mg_db_null(),
        mg_db_u64(object->seq)};
    /* Under its lock it cannot be deleted meanwhile. */
    int found = mg_db_number(db, sql[LOCK], &v[1], 1, NULL, err);
    if (found != 1)
        return found;
    struct json_object *tree = metadata.n > 0 ? mg_json_of(metadata) : NULL;
    int rc = mg_db_exec(db, sql[CLEAR_TAGS], &v[1], 1, err);
    if (rc == 0)
        rc = mg_db_exec(db, sql[SET_METADATA], v, 2, err);
    if (rc == 0 && json_object_is_type(tree, json_type_object))
        rc = put_tags(db, object, tree, err);
    json_object_put(tree);
    return rc;
}

/* Takes away the object of the same id, of either kind. */
static int
make_room(struct mg_db *db, const struct mg_object *o, struct mg_err *err)
{
    static const char *const steps[] = {
        "DELETE b FROM object_body b JOIN object o ON o.seq = b.object "
        "WHERE o.account_id = ? AND o.id = ?",
        "DELETE i FROM object_item i JOIN object o ON o.seq = i.object "
        "WHERE o.account_id = ? AND o.id = ?",
        "DELETE t FROM object_tag t JOIN object o ON o.seq = t.object "
        "WHERE o.account_id = ? AND o.id = ?",
        "DELETE FROM object WHERE account_id = ? AND id = ?",
    };
    const struct mg_db_value v[] = {mg_db_u64(o->account_id), mg_db_text(o->id)};
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        if (mg_db_exec(db, steps[i], v, 2, err) != 0)
            return -1;
    }
    return 0;
}

static int
insert(struct mg_db *db, struct mg_object *o, struct mg_err *err)
{
    if (mg_object_insert(db, o, err) == 0)
        return 0;
    if (mg_db_why(db) != MG_DB_DUPLICATE)
        return -1;
    mg_err_free(err);
    return make_room(db, o, err) != 0 ? -1 : mg_object_insert(db, o, err);
}

static int
put_bodies(struct mg_db *db, const struct filing *f, struct mg_err *err)
{
    const struct mg_record *r = f->record;
    const struct mg_body bodies[] = {
        {MG_BODY_INPUT, 0, -1, -1, r->input_size, r->input},
        {MG_BODY_REPLY, 0, -1, -1, r->reply.n, mg_str_span(&f->reply)},
        {MG_BODY_EVENTS, 0, r->first_event, r->last_event, f->events_size,
         mg_str_span(&f->events)},
    };
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        if (bodies[i].packed.n > 0 && mg_body_put(db, r->object.seq, &bodies[i], err) != 0)
            return -1;
    }
    return 0;
}

static int
put(struct mg_db *db, void *arg, struct mg_err *err)
{
    struct filing *f = arg;
    struct mg_record *r = f->record;
    if (insert(db, &r->object, err) != 0 || put_bodies(db, f, err) != 0)
        return -1;
    if (r->object.kind == MG_OBJECT_RESPONSE)
        return mg_record_items(db, &r->object, r->reply, err);
    return r->metadata.n > 0 ? mg_record_metadata(db, &r->object, r->metadata, err) : 0;
}

/* Compresses the events with their tail, when they fit. */
static void
pack_events(struct filing *f)
{
    const struct mg_record *r = f->record;
    struct mg_str whole;
    mg_str_init(&f->events, 0);
    if (r->events.n == 0 || r->events.n + r->tail.n > MG_BODY_MAX)
        return;
    mg_str_init(&whole, MG_BODY_MAX);
    mg_str_addspan(&whole, r->events);
    mg_str_addspan(&whole, r->tail);
    f->events_size = whole.len;
    if (mg_body_pack(mg_str_span(&whole), &f->events) != 0)
        mg_str_free(&f->events);
    mg_str_free(&whole);
}

int
mg_record_put(struct mg_db *db, struct mg_record *record, struct mg_err *err)
{
    struct filing f = {.record = record};
    int rc = mg_body_pack(record->reply, &f.reply);
    if (rc != 0)
        mg_err_set(err, 413, "too_large_to_store", "The answer is too large to be stored.");
    pack_events(&f);
    if (rc == 0)
        rc = mg_db_txn(db, "record-put", put, &f, err);
    mg_str_free(&f.reply);
    mg_str_free(&f.events);
    return rc;
}
