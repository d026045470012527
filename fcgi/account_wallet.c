/* Credit. */
#include "base/clock.h"
#include "fcgi/account.h"
#include "service/account_json.h"

int
account_wallet(struct mg_db *db, uint64_t id, struct mg_wallet_view *view, struct mg_err *err)
{
    int64_t now = mg_now_ms();
    int found = mg_wallet_read(db, id, &view->wallet, err);
    if (found == 0)
        mg_err_internal(err, "wallet %llu is missing", (unsigned long long)id);
    if (found != 1 ||
        mg_wallet_lots(db, id, view->lots, MG_WALLET_LOTS, &view->count, err) != 0 ||
        mg_window_read(db, id, now, &view->window, err) != 0)
        return -1;
    return mg_vip_read(db, id, now, &view->vip, err);
}

int
show_wallet(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    struct mg_wallet_view view;
    struct mg_str out;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int rc = account_wallet(db, mg_service_caller(req)->account_id, &view, err);
    mg_db_pool_put(app->db, db);
    if (rc != 0)
        return -1;
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    mg_json_wallet(app->conf, &view, &out);
    return account_reply(req, &out);
}
