/* The client's side of an exchange: writing, waiting for a slow one, noticing one that left,
 * signs of life while the upstream is silent. */
#ifndef MG_INFER_DELIVERY_H
#define MG_INFER_DELIVERY_H

#include "infer/exchange.h"

/* Begins to watch the client and the silence. */
void mg_delivery_begin(struct mg_exchange *x) __attribute__((nonnull));
/* Sends the header block of a stream, once. */
void mg_delivery_head(struct mg_exchange *x) __attribute__((nonnull));
/* Sends x->out and empties it. */
void mg_delivery_send(struct mg_exchange *x) __attribute__((nonnull));
/* Sends a whole JSON reply while the generation goes on; nothing else is sent after it. */
void mg_delivery_reply(struct mg_exchange *x, struct mg_span body) __attribute__((nonnull));
/* Ends the reply: what a reply that was not streamed says, the error that nothing could be said
 * about before, or just the end of the stream. After the settle: who has seen the end of a
 * reply finds its row in the ledger. */
void mg_delivery_end(struct mg_exchange *x) __attribute__((nonnull));
/* Ends watching; before the exchange is freed. */
void mg_delivery_close(struct mg_exchange *x) __attribute__((nonnull));
/* After the client left: stops the upstream as soon as the policy allows. */
void mg_delivery_consider_stop(struct mg_exchange *x) __attribute__((nonnull));
/* True when nothing more is owed to the client. */
bool mg_delivery_is_over(const struct mg_exchange *x) __attribute__((nonnull));

#endif
