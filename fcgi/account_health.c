/* Whether the service can work: no key, no credit. */
#include "fcgi/account.h"
#include "json/writer.h"

int
show_health(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    bool there = db != NULL && mg_db_wake(db, err) == 0;
    struct mg_str out;
    struct mg_jw w;
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    mg_jw_init(&w, &out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "status", there ? "ok" : "degraded");
    mg_jw_string(&w, "database", there ? "ok" : "unavailable");
    mg_jw_end(&w);
    if (db != NULL)
        mg_db_pool_put(app->db, db);
    mg_err_free(err);
    return account_reply(req, &out);
}
