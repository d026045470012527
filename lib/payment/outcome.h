/* What becomes of an order when a provider has said something about it.
 *
 * Facts only ever add up (paid stays paid, refunds and disputes only grow towards their end), and
 * after each of them the ledger is brought to what the facts together mean. So it does not matter
 * in which order, how often and how many at a time they come, nor whether they come as events or
 * as answers. Everything happens in one transaction: event, order, credit, mail.
 *
 * Rules: credit is given once, when the payment is complete and amount and currency are the
 * order's; anything else is left to the operator (`problem`). A refund or a dispute takes back
 * what the returned money had bought, at the order's own rate: what is left is not rated anew,
 * so that a refund never takes more than it returns. An inquiry takes nothing; a dispute that is
 * won gives everything back. The balance may become negative. */
#ifndef MG_PAYMENT_OUTCOME_H
#define MG_PAYMENT_OUTCOME_H

#include "payment/provider.h"

enum mg_outcome {
    MG_OUTCOME_APPLIED, /* committed; it may have changed nothing */
    MG_OUTCOME_REPEATED, /* this event was committed before */
    MG_OUTCOME_FOREIGN  /* about no order of ours */
};

/* Takes in what an event said. 0 with *outcome once it is committed; -1 when it is not (503). */
int mg_outcome_of_event(struct mg_db *db, const struct mg_provider *provider,
                        const struct mg_payment_event *event, enum mg_outcome *outcome,
                        struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* Takes in what a provider answered about an order. 0 or -1. */
int mg_outcome_of_answer(struct mg_db *db, const struct mg_provider *provider,
                         const struct mg_payment_news *news, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
