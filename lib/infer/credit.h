/* The money of an exchange: its hold grows as output comes, its end is settled. */
#ifndef MG_INFER_CREDIT_H
#define MG_INFER_CREDIT_H

#include "infer/exchange.h"

/* After output was metered: asks for more hold ahead of need, pauses the upstream while the
 * answer has outrun it, and stops the exchange when the wallet cannot pay for more. */
void mg_credit_meter(struct mg_exchange *x) __attribute__((nonnull));
/* Bills the exchange; mg_delivery_end follows when the settle has landed. Once. */
void mg_credit_settle(struct mg_exchange *x) __attribute__((nonnull));

#endif
