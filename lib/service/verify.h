/* A confirmed address: what changes for the account, and what it unlocks. */
#ifndef MG_SERVICE_VERIFY_H
#define MG_SERVICE_VERIFY_H

#include "base/conf.h"
#include "identity/address.h"

struct mg_verified {
    struct mg_confirmed address;
    bool trial;               /* the trial was given now */
    int64_t credit;           /* of it, nano-credits; 0 = none */
    int64_t expires_ms;       /* when that ends */
    int64_t unlimited_s;      /* seconds of Unlimited; 0 = none */
};

/* Confirms the address of an account, and gives the trial if account and address had none yet
 * (settings trial_credit, trial_days, trial_unlimited_s): a step of the caller's transaction. 1
 * with *verified; 0 when the account does not state this address; -1 with err (409
 * `email_taken`). */
int mg_verify_address(struct mg_db *db, const struct mg_conf *conf, const struct mg_vault *vault,
                      uint64_t account_id, const char *email, struct mg_verified *verified,
                      struct mg_err *err) __attribute__((nonnull, warn_unused_result));

#endif
