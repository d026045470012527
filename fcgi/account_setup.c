/* Setup scripts: all of them to the dashboard, and one as plain text to whoever comes with the
 * one-time token that the dashboard made. */
#include "base/clock.h"
#include "fcgi/account.h"
#include "identity/account.h"
#include "identity/key.h"
#include "identity/setup_token.h"
#include "ledger/vip.h"
#include "service/setup_json.h"

/* What a script is made of, with what keeps it. */
struct kit {
    struct mg_setup_facts facts;
    struct mg_account account;
    char key[MG_KEY_SIZE];
    const struct mg_catalogue *catalogue;
};

static int
read_kit(struct mg_app *app, struct mg_db *db, uint64_t account_id, struct kit *kit,
         struct mg_err *err)
{
    struct mg_vip vip;
    int64_t now = mg_now_ms();
    int found = mg_account_by_id(db, account_id, &kit->account, err);
    if (found == 1)
        found = mg_key_reveal_system(db, &app->vault, account_id, kit->key, err);
    if (found == 0)
        mg_err_internal(err, "account %llu or its System Key is missing",
                        (unsigned long long)account_id);
    if (found != 1 || mg_vip_read(db, account_id, now, &vip, err) != 0)
        return -1;
    kit->catalogue = mg_catalogue_current(app->catalogue, db, err);
    if (kit->catalogue == NULL)
        return -1;
    kit->facts = (struct mg_setup_facts){
        .base_url = app->conf->base_url,
        .vip_base_url =
            vip.entitled && *app->conf->vip_base_url != '\0' ? app->conf->vip_base_url : NULL,
        .username = kit->account.username,
        .key = kit->key,
        .model = account_model(app, kit->account.default_model),
        .catalogue = kit->catalogue,
        .now_ms = now,
    };
    return 0;
}

static struct kit *
kit_of(struct mg_request *req, struct mg_app *app, uint64_t account_id, struct mg_err *err)
{
    struct kit *kit = mg_pool_alloc(req->pool, sizeof(*kit));
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return NULL;
    kit->catalogue = NULL;
    int rc = read_kit(app, db, account_id, kit, err);
    mg_db_pool_put(app->db, db);
    return rc == 0 ? kit : NULL;
}

static void
free_kit(struct kit *kit)
{
    mg_catalogue_release(kit->catalogue);
    mg_wipe(kit->key, sizeof(kit->key));
}

int
show_setup(struct mg_request *req, void *context, struct mg_err *err)
{
    struct kit *kit = kit_of(req, context, mg_service_caller(req)->account_id, err);
    struct mg_str out;
    if (kit == NULL)
        return -1;
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    int rc = mg_json_setup(&kit->facts, &out, err);
    free_kit(kit);
    if (rc == 0)
        return account_reply(req, &out);
    mg_str_free(&out);
    return -1;
}

static int
no_target(struct mg_err *err)
{
    return mg_err_set(err, 404, "not_found",
                      "There is no such setup target; GET /api/setup lists those of the account.");
}

int
make_setup_command(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    uint64_t account = mg_service_caller(req)->account_id;
    char token[MG_SETUP_TOKEN_SIZE];
    int64_t expires_ms = 0;
    struct mg_str out;
    struct kit *kit = kit_of(req, app, account, err);
    if (kit == NULL)
        return -1;
    const struct mg_setup_target *target = mg_setup_find(req->param[0], &kit->facts);
    free_kit(kit);
    if (target == NULL)
        return no_target(err);
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int rc = mg_setup_token_make(db, account, target->id, token, &expires_ms, err);
    mg_db_pool_put(app->db, db);
    if (rc != 0)
        return -1;
    const char *url = mg_pool_printf(req->pool, "%s/api/setup/%s?t=%s", app->conf->base_url,
                                     target->id, token);
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    mg_json_setup_command(target, url, expires_ms, &out);
    return account_reply(req, &out);
}

static int
reply_script(struct mg_request *req, struct mg_str *out)
{
    mg_reply_bytes(req, 200, "text/plain; charset=utf-8", out->p, out->len);
    mg_str_free(out);
    return 0;
}

/* What a shell is given whose token is no good. Its status is 200: `curl -f` keeps the bodies of
 * errors from the shell, which would then run nothing and report success. */
static int
reply_refusal(struct mg_request *req, const struct mg_setup_target *target)
{
    struct mg_str out;
    mg_str_init(&out, 4096);
    mg_setup_refusal(target,
                     "model-gateway setup: this address was used already, or is too old. Copy a "
                     "fresh command from the dashboard.", &out);
    return reply_script(req, &out);
}

int
fetch_setup(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    const char *token = mg_request_query(req, "t");
    const struct mg_setup_facts any = {.vip_base_url = ""};
    const struct mg_setup_target *target = mg_setup_find(req->param[0], &any);
    uint64_t account = 0;
    struct mg_str out;
    if (target == NULL)
        return no_target(err);
    if (req->head) /* whoever only looks does not use it up */
        return mg_reply_bytes(req, 200, "text/plain; charset=utf-8", "", 0), 0;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    int found = mg_setup_token_take(db, token != NULL ? token : "", target->id, &account, err);
    mg_db_pool_put(app->db, db);
    if (found < 0)
        return -1;
    struct kit *kit = found == 1 ? kit_of(req, app, account, err) : NULL;
    if (found == 1 && kit == NULL)
        return -1;
    if (found == 0 || mg_setup_find(target->id, &kit->facts) == NULL) {
        if (kit != NULL)
            free_kit(kit);
        return reply_refusal(req, target);
    }
    mg_str_init(&out, MG_SETUP_SCRIPT_MAX);
    int rc = mg_setup_script(target, &kit->facts, false, &out, err);
    free_kit(kit);
    if (rc == 0)
        return reply_script(req, &out);
    mg_str_free(&out);
    return -1;
}
