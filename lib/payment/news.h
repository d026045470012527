/* What a payment provider says about one order, in an answer or in an event; the same words for
 * every provider. Texts lie in the pool of whoever reads it; NULL or 0 = nothing said. */
#ifndef MG_PAYMENT_NEWS_H
#define MG_PAYMENT_NEWS_H

#include "base/id.h"

#include <stdbool.h>
#include <stdint.h>

/* What became of the payment. */
enum mg_payment_state {
    MG_PAYMENT_UNSAID, /* also: still open, or on its way */
    MG_PAYMENT_PAID,
    MG_PAYMENT_FAILED,
    MG_PAYMENT_EXPIRED
};

/* How a dispute stands, in the order of the column's ENUM (which counts from 1). It only ever
 * goes to the right, so events may come in any order. */
enum mg_dispute_state {
    MG_DISPUTE_INQUIRY = 1, /* a question: no money has moved */
    MG_DISPUTE_OPEN,        /* the money is gone for now */
    MG_DISPUTE_LOST,
    MG_DISPUTE_WON
};

struct mg_payment_news {
    bool has_order;             /* it names the order */
    uint8_t order[MG_ID_BYTES];
    const char *session_id;
    const char *payment_id;
    const char *url;            /* where the customer pays */
    const char *receipt_url;
    int64_t expires_ms;         /* of the session */
    enum mg_payment_state state;
    int64_t cents;              /* paid, in … */
    const char *currency;       /* … ISO 4217, lower case */
    int64_t refunded_cents;     /* in all, not this time */
    const char *dispute_id;
    enum mg_dispute_state dispute;
    int64_t dispute_cents;
};

/* Something a provider sent by itself. */
struct mg_payment_event {
    const char *id, *type;
    bool ours;                  /* of a type that means something here */
    struct mg_payment_news news;
};

#endif
