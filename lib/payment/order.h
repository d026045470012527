/* Orders of credit: one row each, from the wish to pay to the receipt.
 *
 * The rate is fixed when the order is made. Amounts of cash are cents of `currency`, amounts of
 * credit nano-credits, times ms since the epoch. Only payment/outcome.c changes what an order is
 * worth. Owns the topup table; knows nothing of providers. */
#ifndef MG_PAYMENT_ORDER_H
#define MG_PAYMENT_ORDER_H

#include "base/err.h"
#include "base/id.h"
#include "base/pool.h"
#include "db/db.h"
#include "payment/news.h"

#define MG_ORDER_ID_SIZE 40 /* "ord_" + hex + NUL, with room */
#define MG_ORDER_URL 2001
#define MG_ORDERS_WAITING 50 /* unpaid orders that a wallet may make in an hour */

struct mg_order {
    uint8_t id[MG_ID_BYTES];   /* random; also the ref of the ledger row that credits it */
    uint64_t wallet_id;
    char provider[32];
    int64_t cents;
    char currency[4];
    int64_t rate;
    enum mg_payment_state state; /* UNSAID: still to be paid */
    char session_id[256];      /* "" = the page was not made yet */
    char payment_id[256];      /* "" = not known */
    char url[MG_ORDER_URL];
    char receipt_url[MG_ORDER_URL];
    int64_t created_ms, expires_ms;
    int64_t paid_ms;           /* 0 = not paid */
    int64_t checked_ms;        /* when the provider was last asked */
    int64_t refunded_cents;
    int64_t disputed_cents;    /* in open and lost disputes */
    int64_t clawed;            /* nano-credits taken back, net */
    int64_t claws;             /* ledger rows that made it up */
    char problem[128];         /* for the operator; "" = none */
};

/* "ord_…" of an id, and back (0, or -1). */
char *mg_order_id(const uint8_t id[MG_ID_BYTES], char text[MG_ORDER_ID_SIZE])
    __attribute__((nonnull));
int mg_order_id_parse(const char *text, uint8_t id[MG_ID_BYTES]) __attribute__((nonnull));
/* "pending", "paid", "failed", "expired", "refunded", "partly_refunded" or "disputed". */
const char *mg_order_status(const struct mg_order *order)
    __attribute__((nonnull, returns_nonnull));

/* Fills in a new order and writes it: id, state and times are made here, the rest is the
 * caller's. `client_key` (NULL = none) is the customer's own name for this wish: when the wallet
 * has an order of that name already, *order becomes that one. 1 made, 0 it was there, -1 (409
 * `idempotency_conflict` when the one that is there is for something else, 429 `too_many_orders`
 * when too many wait to be paid). */
int mg_order_create(struct mg_db *db, struct mg_order *order, const char *client_key,
                    struct mg_err *err) __attribute__((nonnull(1, 2, 4), warn_unused_result));
/* Notes the page that the provider made. 0 or -1. */
int mg_order_set_session(struct mg_db *db, const struct mg_order *order,
                         const struct mg_payment_news *news, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Reads an order. `wallet_id` 0: whoever's. 1 found, 0 none, -1. */
int mg_order_read(struct mg_db *db, const uint8_t id[MG_ID_BYTES], uint64_t wallet_id,
                  struct mg_order *order, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* The same under its lock, as a step of the caller's transaction. */
int mg_order_lock(struct mg_db *db, const uint8_t id[MG_ID_BYTES], struct mg_order *order,
                  struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* The order of a payment. 1 with `id`, 0 none, -1. */
int mg_order_of_payment(struct mg_db *db, const char *provider, const char *payment_id,
                        uint8_t id[MG_ID_BYTES], struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Writes what an outcome may change, under the lock. 0 or -1. */
int mg_order_save(struct mg_db *db, const struct mg_order *order, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Takes the problem away, which the operator has dealt with: a payment that was not what was
 * ordered was given back or credited by hand. An order that is still to be paid counts as failed
 * from then on, so that nobody asks for that payment again. 1, 0 when there was no problem, -1. */
int mg_order_clear(struct mg_db *db, const uint8_t id[MG_ID_BYTES], struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Claims the right to ask the provider now: 1 when nobody did for `least_ms`, 0, or -1. */
int mg_order_claim_check(struct mg_db *db, const struct mg_order *order, int64_t now_ms,
                         int64_t least_ms, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Which orders a list has. Zeroed: all. */
struct mg_order_filter {
    uint64_t wallet_id;     /* 0 = everybody's */
    bool flagged;           /* only those with a problem */
    const uint8_t *before;  /* cursor: id of the last one seen; NULL = from the newest */
};
/* Newest first: up to `limit` orders in the pool; *more whether older ones match. An unknown
 * cursor gives an empty list. 0 or -1. */
int mg_order_list(struct mg_db *db, const struct mg_order_filter *filter, size_t limit,
                  struct mg_pool *pool, struct mg_order **orders, size_t *count, bool *more,
                  struct mg_err *err) __attribute__((nonnull, warn_unused_result));

#endif
