/* The account's objects as JSON: wallet and usage. One spelling for every route.
 *
 * An amount is an object {"credits":"4.999","nano":4999000000}: an exact decimal text and the
 * integer it stands for, never a floating-point number. Times are RFC 3339 in UTC. */
#ifndef MG_SERVICE_ACCOUNT_JSON_H
#define MG_SERVICE_ACCOUNT_JSON_H

#include "base/str.h"
#include "catalogue/catalogue.h"
#include "json/writer.h"
#include "ledger/usage.h"
#include "ledger/vip.h"
#include "ledger/wallet.h"
#include "ledger/window.h"

/* An amount in nano-credits under `key`. */
void mg_json_amount(struct mg_jw *w, const char *key, int64_t nano) __attribute__((nonnull(1)));
/* A wall-clock time in ms under `key`; 0 becomes null. */
void mg_json_time(struct mg_jw *w, const char *key, int64_t ms) __attribute__((nonnull));
/* The end of a page of ledger rows: "has_more", and "next_before" for the one that follows. */
void mg_json_page_end(struct mg_jw *w, const struct mg_usage_row *rows, size_t count, bool more)
    __attribute__((nonnull(1)));

#define MG_WALLET_LOTS 100 /* most lots that are shown */

/* What there is to say about a wallet. */
struct mg_wallet_view {
    struct mg_wallet wallet;
    struct mg_wallet_lot lots[MG_WALLET_LOTS];
    size_t count;
    struct mg_window window;
    struct mg_vip vip;
};
/* The lots that credit is made of, as member "lots". */
void mg_json_lots(struct mg_jw *w, const struct mg_wallet_lot *lots, size_t count)
    __attribute__((nonnull(1)));
/* GET /api/v1/wallet/status. `access.mode` says what pays for the next request: "unlimited" when a
 * window runs or waits for it, "wallet", or "none". */
void mg_json_wallet(const struct mg_conf *conf, const struct mg_wallet_view *view,
                    struct mg_str *out) __attribute__((nonnull));
/* GET /api/v1/billing/token-usage: one page. `wallet`, if not NULL, stands in it as in
 * wallet/status; `rates`, if not NULL, are the prices of the only row, as they were at its time. */
void mg_json_usage(const struct mg_conf *conf, const struct mg_wallet_view *wallet,
                   const struct mg_usage_row *rows, size_t count, bool more,
                   const struct mg_price *rates, struct mg_str *out)
    __attribute__((nonnull(1, 7)));

#endif
