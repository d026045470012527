/* Responses that are generated in the background: cancelled. */
#include "responses.h"

#include "http/reply.h"
#include "infer/roster.h"
#include "service/service.h"
#include "service/stored.h"
#include "store/running.h"

#include <poll.h>

#define REPLY_MAX (MG_BODY_MAX * 4)
#define LOOK_MS 50
#define LOOKS 200 /* ten seconds: its process looks several times a second */

static int
refuse(const struct mg_object *o, struct mg_err *err)
{
    if (!o->background)
        return mg_err_set(err, 400, "", "Cannot cancel a synchronous response.");
    return mg_err_set(err, 400, "", "Cannot cancel a response that is %s.",
                      mg_object_state_name(o->state));
}

/* Waits for its process to stop it. */
static int
wait_for_end(struct mg_db *db, struct mg_object *o, struct mg_err *err)
{
    for (int i = 0; i < LOOKS && !mg_object_is_final(o->state); i++) {
        int found = mg_object_find(db, o->account_id, o->kind, o->id, o, err);
        if (found <= 0)
            return found < 0 ? -1 : mg_stored_unknown(o->kind, o->id, err);
        if (mg_running_check(db, o, err) != 0)
            return -1;
        if (!mg_object_is_final(o->state))
            poll(NULL, 0, LOOK_MS);
    }
    return 0;
}

static int
cancel(struct mg_app *app, struct mg_db *db, struct mg_object *o, struct mg_err *err)
{
    if (!o->background || mg_running_check(db, o, err) != 0)
        return o->background ? -1 : refuse(o, err);
    if (!mg_object_is_final(o->state)) {
        if (mg_object_ask_cancel(db, o->seq, err) < 0)
            return -1;
        (void)mg_roster_cancel(app->roster, o->seq);
        if (wait_for_end(db, o, err) != 0)
            return -1;
    }
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
    int rc = cancel(app, db, &o, err);
    if (rc == 0) {
        int found = mg_body_get(db, o.seq, MG_BODY_REPLY, &out, err);
        rc = found == 0 ? mg_stored_unknown(o.kind, o.id, err) : found - 1;
    }
    mg_db_pool_put(app->db, db);
    if (rc == 0) {
        (void)mg_running_show(&o, &out);
        mg_reply_json(req, 200, &out);
    }
    mg_str_free(&out);
    return rc;
}
