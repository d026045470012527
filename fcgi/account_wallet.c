/* Credit. */
#include "fcgi/account.h"
#include "service/account_json.h"

#define LOTS_MOST 100

int
show_wallet(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    uint64_t id = mg_service_caller(req)->account_id;
    struct mg_wallet wallet;
    struct mg_wallet_lot lots[LOTS_MOST];
    struct mg_str out;
    size_t count = 0;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int found = mg_wallet_read(db, id, &wallet, err);
    int rc = found == 1 ? mg_wallet_lots(db, id, lots, LOTS_MOST, &count, err) : -1;
    mg_db_pool_put(app->db, db);
    if (found == 0)
        mg_err_internal(err, "wallet %llu is missing", (unsigned long long)id);
    if (rc != 0)
        return -1;
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    mg_json_wallet(&wallet, lots, count, &out);
    return account_reply(req, &out);
}
