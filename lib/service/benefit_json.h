/* What an account has besides credit, as JSON: Unlimited windows, check-in, VIP, alerts. One
 * spelling for every route; amounts and times as in service/account_json.h. */
#ifndef MG_SERVICE_BENEFIT_JSON_H
#define MG_SERVICE_BENEFIT_JSON_H

#include "json/writer.h"
#include "ledger/alert.h"
#include "ledger/checkin.h"
#include "ledger/vip.h"
#include "ledger/window.h"

/* All four of a wallet, for pages that show everything. */
struct mg_benefits {
    struct mg_window window;
    struct mg_checkin checkin;
    struct mg_vip vip;
    struct mg_alerts alerts;
};
/* Reads them. 0 or -1. */
int mg_benefits_read(struct mg_db *db, uint64_t wallet_id, int64_t now_ms,
                     struct mg_benefits *benefits, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Writes them as the members "unlimited", "checkin", "vip" and "alerts" of the open object.
 * `mail`: the account has a verified address that alerts can go to. */
void mg_json_benefits(struct mg_jw *w, const struct mg_conf *conf,
                      const struct mg_benefits *benefits, bool mail) __attribute__((nonnull));

/* {"state","benefits":[…],"remaining_seconds","connections":{"limit","active"}}. `key` is NULL
 * at the top and inside an array, here and below. */
void mg_json_window(struct mg_jw *w, const char *key, const struct mg_window *window)
    __attribute__((nonnull(1, 3)));
/* {"kind":"unlimited","seconds"}, or null for none. */
void mg_json_benefit(struct mg_jw *w, const char *key, int64_t seconds)
    __attribute__((nonnull(1)));
/* {"eligible","minimum","shortfall","day","streak","checked_in_today","free_pass_available",
 * "next_at","path":[15 days],"warning"} */
void mg_json_checkin(struct mg_jw *w, const char *key, const struct mg_checkin *checkin)
    __attribute__((nonnull(1, 3)));
/* {"entitled","expires_at","remaining_seconds","base_url","setup","rules":{…}}; base_url and
 * setup are null without access. */
void mg_json_vip(struct mg_jw *w, const char *key, const struct mg_conf *conf,
                 const struct mg_vip *vip) __attribute__((nonnull(1, 3, 4)));
/* {"thresholds":[amounts],"low_balance_mail"} */
void mg_json_alerts(struct mg_jw *w, const char *key, const struct mg_alerts *alerts, bool mail)
    __attribute__((nonnull(1, 3)));

#endif
