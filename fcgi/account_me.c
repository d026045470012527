/* The account to its owner: to a key, and to the dashboard with everything that its pages show. */
#include "base/clock.h"
#include "fcgi/account.h"
#include "service/account_json.h"
#include "service/me_json.h"

/* What both routes tell. 1, or -1. */
static int
read_account(struct mg_db *db, const struct mg_principal *who, struct mg_account *account,
             struct mg_err *err)
{
    int found = mg_account_by_id(db, who->account_id, account, err);
    if (found == 0)
        mg_err_internal(err, "account %llu of a valid credential is missing",
                        (unsigned long long)who->account_id);
    return found == 1 ? 0 : -1;
}

int
show_me(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    const struct mg_principal *who = mg_service_caller(req);
    struct mg_account account;
    struct mg_str out;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int rc = read_account(db, who, &account, err);
    mg_db_pool_put(app->db, db);
    if (rc != 0)
        return -1;
    const struct mg_me me = {
        .account = &account,
        .who = who,
        .conf = app->conf,
        .model = account_model(app, account.default_model),
        .system_key = who->system_key ? mg_request_credential(req) : NULL,
    };
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    mg_json_me(&me, &out);
    return account_reply(req, &out);
}

/* What the dashboard shows. */
struct overview {
    struct mg_account account;
    char system_key[MG_KEY_SIZE];
    struct mg_wallet wallet;
    struct mg_wallet_lot lots[MG_WALLET_LOTS];
    size_t lot_count;
    struct mg_benefits benefits;
    const struct mg_catalogue *catalogue;
};

static int
read_overview(struct mg_app *app, struct mg_db *db, const struct mg_principal *who,
              struct overview *o, struct mg_err *err)
{
    uint64_t id = who->account_id;
    if (read_account(db, who, &o->account, err) != 0)
        return -1;
    int found = mg_key_reveal_system(db, &app->vault, id, o->system_key, err);
    if (found == 1)
        found = mg_wallet_read(db, id, &o->wallet, err);
    if (found == 0)
        return mg_err_internal(err, "account %llu has no System Key or no wallet",
                               (unsigned long long)id);
    if (found < 0 || mg_wallet_lots(db, id, o->lots, MG_WALLET_LOTS, &o->lot_count, err) != 0 ||
        mg_benefits_read(db, id, mg_now_ms(), &o->benefits, err) != 0)
        return -1;
    o->catalogue = mg_catalogue_get(app->catalogue, db, who->catalogue, err);
    return o->catalogue != NULL ? 0 : -1;
}

int
show_overview(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    const struct mg_principal *who = mg_service_caller(req);
    struct overview *o = mg_pool_alloc(req->pool, sizeof(*o));
    struct mg_str out;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int rc = read_overview(app, db, who, o, err);
    mg_db_pool_put(app->db, db);
    if (rc != 0)
        return -1;
    const struct mg_me me = {
        .account = &o->account,
        .who = who,
        .conf = app->conf,
        .model = account_model(app, o->account.default_model),
        .system_key = o->system_key,
        .catalogue = o->catalogue,
        .wallet = &o->wallet,
        .lots = o->lots,
        .lot_count = o->lot_count,
        .benefits = &o->benefits,
    };
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    mg_json_me(&me, &out);
    mg_catalogue_release(o->catalogue);
    mg_wipe(o->system_key, sizeof(o->system_key));
    return account_reply(req, &out);
}
