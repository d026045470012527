/* An account to its owner, as JSON: GET /api/v1/me for keys, GET /api/me for the dashboard. */
#ifndef MG_SERVICE_ME_JSON_H
#define MG_SERVICE_ME_JSON_H

#include "identity/account.h"
#include "identity/principal.h"
#include "ledger/wallet.h"
#include "service/benefit_json.h"
#include "service/model_json.h"

/* What is told. The System Key and what it is set up with are told together or not at all: to a
 * dashboard session, and to the System Key itself, never to a User API Key. */
struct mg_me {
    const struct mg_account *account;
    const struct mg_principal *who;
    const struct mg_conf *conf;
    const char *model;                    /* default model id */
    const char *system_key;               /* NULL: neither key nor setup */
    const struct mg_catalogue *catalogue; /* for the labels; NULL: without */
    const struct mg_wallet *wallet;       /* NULL: without this … */
    const struct mg_wallet_lot *lots;     /* … its `lot_count` lots, */
    size_t lot_count;
    const struct mg_benefits *benefits;   /* … and these */
};
void mg_json_me(const struct mg_me *me, struct mg_str *out) __attribute__((nonnull));

#endif
