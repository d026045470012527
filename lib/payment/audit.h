/* Proof that orders and ledger agree: every paid order has its credit, exactly and once, nothing
 * else has any, and what refunds and disputes took back is what they mean. Read from one
 * consistent view, like the audit of the wallets (ledger/audit.h), which it completes. */
#ifndef MG_PAYMENT_AUDIT_H
#define MG_PAYMENT_AUDIT_H

#include "ledger/audit.h"

/* Checks the orders of one wallet (id != 0) or all (0). `report` may be NULL; in a finding, seq
 * is the ledger row concerned or 0. *orders and *findings are counted up. 0 when the check ran,
 * -1 when it could not be made. */
int mg_payment_audit(struct mg_db *db, uint64_t wallet_id, mg_audit_report *report, void *arg,
                     uint64_t *orders, uint64_t *findings, struct mg_err *err)
    __attribute__((nonnull(1, 5, 6, 7), warn_unused_result));

#endif
