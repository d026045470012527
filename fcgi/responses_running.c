/* Responses that are generated in the background: cancelled. */
#include "responses.h"

#include "http/reply.h"
#include "infer/roster.h"
#include "service/service.h"
#include "service/stored.h"
#include "store/running.h"

#include <poll.h>
#include <stdatomic.h>

#define REPLY_MAX (MG_BODY_MAX * 4)
#define LOOK_MS 50
#define LOOKS 200 /* ten seconds: its process looks several times a second */
#define WAITERS 8 /* threads that may wait like this at once: others have requests, too */

static atomic_int waiters;

static int
refuse(const struct mg_object *o, struct mg_err *err)
{
    if (!o->background)
        return mg_err_set(err, 400, "", "Cannot cancel a synchronous response.");
    return mg_err_set(err, 400, "", "Cannot cancel a response that is %s.",
                      mg_object_state_name(o->state));
}

/* How it stands. 0 or -1. */
static int
look(struct mg_db *db, struct mg_object *o, struct mg_err *err)
{
    int found = mg_object_find(db, o->account_id, o->kind, o->id, o, err);
    if (found <= 0)
        return found < 0 ? -1 : mg_stored_unknown(o->kind, o->id, err);
    return mg_running_check(db, o, err);
}

/* Waits for its process to stop it, as long as that takes a moment; the connection is somebody
 * else's between two looks (*db is NULL when none could be had again). */
static int
wait_for_end(struct mg_app *app, struct mg_db **db, struct mg_object *o, struct mg_err *err)
{
    for (int i = 0; i < LOOKS; i++) {
        if (look(*db, o, err) != 0)
            return -1;
        if (mg_object_is_final(o->state))
            return 0;
        mg_db_pool_put(app->db, *db);
        poll(NULL, 0, LOOK_MS);
        *db = mg_db_pool_get(app->db, err);
        if (*db == NULL)
            return -1;
    }
    return 0;
}

/* Has it stopped. Whoever finds too many waiting already is told how it stands now. */
static int
stop(struct mg_app *app, struct mg_db **db, struct mg_object *o, struct mg_err *err)
{
    if (mg_object_ask_cancel(*db, o->seq, err) < 0)
        return -1;
    (void)mg_roster_cancel(app->roster, o->seq);
    bool waits = atomic_fetch_add(&waiters, 1) < WAITERS;
    int rc = waits ? wait_for_end(app, db, o, err) : look(*db, o, err);
    atomic_fetch_sub(&waiters, 1);
    return rc;
}

static int
cancel(struct mg_app *app, struct mg_db **db, struct mg_object *o, struct mg_err *err)
{
    if (!o->background || mg_running_check(*db, o, err) != 0)
        return o->background ? -1 : refuse(o, err);
    if (!mg_object_is_final(o->state) && stop(app, db, o, err) != 0)
        return -1;
    return o->state == MG_OBJECT_CANCELLED || !mg_object_is_final(o->state) ? 0 : refuse(o, err);
}

int
cancel_response(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct mg_object o;
    struct mg_db *db;
    struct mg_str out;
    if (mg_stored_find(app, req, MG_OBJECT_RESPONSE, &o, &db, err) != 0)
        return -1;
    mg_str_init(&out, REPLY_MAX);
    int rc = cancel(app, &db, &o, err);
    if (rc == 0) {
        int found = mg_body_get(db, o.seq, MG_BODY_REPLY, &out, err);
        rc = found == 0 ? mg_stored_unknown(o.kind, o.id, err) : found - 1;
    }
    if (db != NULL)
        mg_db_pool_put(app->db, db);
    if (rc == 0) {
        (void)mg_running_show(&o, &out);
        mg_reply_json(req, 200, &out);
    }
    mg_str_free(&out);
    return rc;
}
