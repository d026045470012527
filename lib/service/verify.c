#include "service/verify.h"

#include "base/clock.h"
#include "base/money.h"
#include "ledger/grant.h"
#include "ledger/window.h"

#define DAY_MS 86400000LL

/* Credit that ends a while after the account was made: late confirmation does not prolong it. */
static int
give_credit(struct mg_db *db, const struct mg_conf *conf, uint64_t account_id,
            struct mg_verified *v, struct mg_err *err)
{
    struct mg_grant grant = {
        .wallet_id = account_id,
        .kind = MG_GRANT_TRIAL,
        .expires_ms = v->address.created_ms + conf->trial_days * DAY_MS,
        .note = "trial",
    };
    if (mg_money_parse(conf->trial_credit, 9, &grant.amount) != 0 || grant.amount == 0 ||
        grant.expires_ms <= mg_now_ms())
        return 0;
    mg_grant_ref("trial", account_id, grant.ref);
    v->credit = grant.amount;
    v->expires_ms = grant.expires_ms;
    return mg_grant_post(db, &grant, NULL, err);
}

int
mg_verify_address(struct mg_db *db, const struct mg_conf *conf, const struct mg_vault *vault,
                  uint64_t account_id, const char *email, struct mg_verified *verified,
                  struct mg_err *err)
{
    *verified = (struct mg_verified){0};
    int found = mg_address_confirm(db, account_id, email, &verified->address, err);
    if (found != 1)
        return found;
    int entitled = mg_address_claim_trial(db, vault, account_id, email, err);
    if (entitled <= 0)
        return entitled < 0 ? -1 : 1;
    verified->trial = true;
    verified->unlimited_s = conf->trial_unlimited_s;
    if (give_credit(db, conf, account_id, verified, err) != 0 ||
        mg_window_give_trial(db, account_id, err) != 0)
        return -1;
    return 1;
}
