/* Stored responses: read, streamed again, deleted; their input. */
#include "responses.h"

#include "http/reply.h"
#include "infer/compact.h"
#include "infer/follow.h"
#include "json/writer.h"
#include "service/service.h"
#include "service/stored.h"
#include "store/body.h"
#include "store/items.h"
#include "store/running.h"
#include "wire/replay.h"

#include <string.h>

#define REPLY_MAX (MG_BODY_MAX * 4)

/* A part of an object; without it the object is gone. */
static int
read_body(struct mg_db *db, const struct mg_object *o, enum mg_body_kind kind, struct mg_str *out,
          struct mg_err *err)
{
    int found = mg_body_get(db, o->seq, kind, out, err);
    return found == 0 ? mg_stored_unknown(o->kind, o->id, err) : found - 1;
}

/* All that is there of the stream, from the object itself when it was not streamed. */
static int
replay(struct mg_db *db, const struct mg_object *o, int64_t after, struct mg_str *out,
       struct mg_err *err)
{
    struct mg_str kept;
    unsigned piece = 0;
    int rc = 0, found, any = 0;
    mg_str_init(&kept, REPLY_MAX);
    while (rc == 0 && (found = mg_body_events(db, o->seq, &piece, -1, &kept, err)) != 0) {
        any = 1;
        if (found < 0)
            rc = -1;
        else if (mg_replay_events(mg_str_span(&kept), after, out) != 0)
            rc = mg_err_internal(err, "stored events cannot be read");
        mg_str_reset(&kept);
    }
    if (rc == 0 && !any) {
        rc = read_body(db, o, MG_BODY_REPLY, &kept, err);
        if (rc == 0 && mg_replay_object(mg_str_span(&kept), after, out) != 0)
            rc = mg_err_internal(err, "a stored response cannot be streamed");
    }
    mg_str_free(&kept);
    return rc;
}

static int
wants_stream(const struct mg_request *req, bool *stream, int64_t *after, struct mg_err *err)
{
    const char *word = mg_request_query(req, "stream");
    *stream = word != NULL && strcmp(word, "true") == 0;
    *after = -1;
    if (word != NULL && !*stream && strcmp(word, "false") != 0)
        return mg_err_field(err, "bool_parsing", "Input should be a valid boolean",
                            "query/stream");
    return mg_request_query_int(req, "starting_after", 0, INT64_MAX, after, err) < 0 ? -1 : 0;
}

/* Its process may have been killed: then its stream has an end only for who follows it. */
static bool
was_cut(const struct mg_object *o)
{
    return o->background && o->state == MG_OBJECT_FAILED;
}

int
get_response(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct mg_object o;
    struct mg_db *db;
    struct mg_str out;
    int64_t after;
    bool stream;
    if (mg_stored_find(app, req, MG_OBJECT_RESPONSE, &o, &db, err) != 0)
        return -1;
    mg_str_init(&out, REPLY_MAX);
    int rc = wants_stream(req, &stream, &after, err);
    if (rc == 0 && o.background)
        rc = mg_running_check(db, &o, err);
    if (rc == 0 && stream && (!mg_object_is_final(o.state) || was_cut(&o))) {
        mg_db_pool_put(app->db, db);
        return mg_follow(app, req, &o, after, err);
    }
    if (rc == 0)
        rc = stream ? replay(db, &o, after, &out, err)
                    : read_body(db, &o, MG_BODY_REPLY, &out, err);
    mg_db_pool_put(app->db, db);
    if (rc == 0 && stream)
        mg_reply_bytes(req, 200, MG_TYPE_EVENTS, out.p, out.len);
    else if (rc == 0) {
        if (o.background)
            (void)mg_running_show(&o, &out);
        mg_reply_json(req, 200, &out);
    }
    mg_str_free(&out);
    return rc;
}

static void
write_deleted(struct mg_request *req, const char *id)
{
    struct mg_str out;
    struct mg_jw w;
    mg_str_init(&out, 1024);
    mg_jw_init(&w, &out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "id", id);
    mg_jw_string(&w, "object", "response");
    mg_jw_bool(&w, "deleted", true);
    mg_jw_end(&w);
    mg_reply_json(req, 200, &out);
    mg_str_free(&out);
}

int
delete_response(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct mg_object o;
    struct mg_db *db;
    if (mg_stored_find(app, req, MG_OBJECT_RESPONSE, &o, &db, err) != 0)
        return -1;
    int found = mg_object_delete(db, o.account_id, o.kind, o.id, err);
    mg_db_pool_put(app->db, db);
    if (found != 1)
        return found < 0 ? -1 : mg_stored_unknown(o.kind, o.id, err);
    write_deleted(req, o.id);
    return 0;
}

int
list_input_items(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct mg_stored_page asked;
    struct mg_object o;
    struct mg_db *db;
    struct mg_str input, out;
    if (mg_stored_page(req, true, &asked, err) != 0 ||
        mg_stored_find(app, req, MG_OBJECT_RESPONSE, &o, &db, err) != 0)
        return -1;
    mg_str_init(&input, MG_BODY_MAX + 1);
    mg_str_init(&out, REPLY_MAX);
    int rc = read_body(db, &o, MG_BODY_INPUT, &input, err);
    mg_db_pool_put(app->db, db);
    const struct mg_items_page page = {o.request_id, asked.after, asked.limit, asked.descending};
    if (rc == 0 && mg_items_list(mg_str_span(&input), &page, &out) != 0)
        rc = mg_stored_bad_after(asked.after, err);
    if (rc == 0)
        mg_reply_json(req, 200, &out);
    mg_str_free(&input);
    mg_str_free(&out);
    return rc;
}

int
compact_response(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct mg_object o;
    struct mg_db *db;
    if (mg_stored_find(app, req, MG_OBJECT_RESPONSE, &o, &db, err) != 0)
        return -1;
    mg_db_pool_put(app->db, db);
    return mg_compact_stored(app, req, mg_service_caller(req), o.id, o.model, err);
}
