/* The sessions of an account: which there are, ending them. */
#include "fcgi/auth.h"

#include "base/money.h"
#include "service/account_json.h"

static void
write_session(struct mg_jw *w, const struct mg_session *s, uint64_t current)
{
    mg_jw_object(w, NULL);
    mg_jw_string(w, "object", "session");
    mg_jw_int(w, "id", (int64_t)s->id);
    mg_jw_bool(w, "current", s->id == current);
    mg_json_time(w, "created_at", s->created_ms);
    mg_json_time(w, "last_seen_at", s->seen_ms);
    mg_json_time(w, "expires_at", s->expires_ms);
    mg_jw_string(w, "user_agent", *s->user_agent ? s->user_agent : NULL);
    mg_jw_string(w, "address", *s->address ? s->address : NULL);
    mg_jw_end(w);
}

int
auth_list_sessions(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    const struct mg_principal *who = mg_service_caller(req);
    struct mg_session *sessions;
    struct mg_str out;
    struct mg_jw w;
    size_t count;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int rc = mg_session_list(db, app->conf, who->account_id, req->pool, &sessions, &count, err);
    mg_db_pool_put(app->db, db);
    if (rc != 0)
        return -1;
    mg_str_init(&out, AUTH_REPLY_MAX);
    mg_jw_init(&w, &out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "list");
    mg_jw_array(&w, "data");
    for (size_t i = 0; i < count; i++)
        write_session(&w, &sessions[i], who->session_id);
    mg_jw_end(&w);
    mg_jw_bool(&w, "has_more", false);
    mg_jw_end(&w);
    return auth_reply(req, 200, &out);
}

int
auth_end_session(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    const struct mg_principal *who = mg_service_caller(req);
    int64_t id;
    if (mg_money_parse(req->param[0], 0, &id) != 0 || id <= 0)
        return mg_err_field(err, "int_parsing", "Input should be the number of a session",
                            "path/session_id");
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int ended = mg_session_end(db, who->account_id, (uint64_t)id, err);
    mg_db_pool_put(app->db, db);
    if (ended <= 0)
        return ended < 0 ? -1 : mg_err_set(err, 404, "not_found", "There is no such session.");
    if ((uint64_t)id == who->session_id)
        auth_clear_cookie(req);
    return mg_reply_empty(req, 204), 0;
}

int
auth_end_others(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    const struct mg_principal *who = mg_service_caller(req);
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int rc = mg_session_end_all(db, who->account_id, who->session_id, NULL, err);
    mg_db_pool_put(app->db, db);
    return rc == 0 ? (mg_reply_empty(req, 204), 0) : -1;
}
