/* Between the plan and the upstream: the ledger's word.
 *
 * No worker waits for the ledger. It queues the hold and turns to the next request; the answer
 * comes on the exchange's loop, which begins the transfer, or turns the client away. Where the
 * wallet covers only part of an answer that is not streamed, the upstream's body is written
 * again with a lower limit first, on the side loop. */
#ifndef MG_INFER_ADMISSION_H
#define MG_INFER_ADMISSION_H

#include "infer/exchange.h"

/* Asks the ledger for the hold of a prepared exchange. From the worker; the exchange belongs to
 * its loop from here. */
void mg_admission_ask(struct mg_exchange *x) __attribute__((nonnull));

#endif
