/* The sandbox: a pretended provider for development, whose page is part of this service.
 *
 * Off unless payment_providers names it: whoever reaches its page pays with a click. It is a
 * provider like any other: it keeps its own memory (table sandbox_session), sends signed events
 * in Stripe's form through the same door, and can be asked. Nothing here touches an order. */
#ifndef MG_PAYMENT_SANDBOX_H
#define MG_PAYMENT_SANDBOX_H

#include "payment/provider.h"

extern const struct mg_provider mg_sandbox;

/* A page as its buyer sees it. */
struct mg_sandbox_session {
    char id[64];
    uint8_t order[MG_ID_BYTES];
    int64_t cents, refunded_cents;
    char currency[4];
    char status[16];            /* "open", "paid", "failed", "expired" */
    char success_url[MG_ORDER_URL], cancel_url[MG_ORDER_URL];
    int64_t events;             /* how many were sent */
};

/* Reads a page. 1 found, 0 none (also while the sandbox is off), -1. */
int mg_sandbox_read(struct mg_payment *payment, const char *id,
                    struct mg_sandbox_session *session, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* What a click does: "pay", "decline", "expire", "refund" (`cents` of it), each of which sends its
 * event, or "pay_silently", whose event is lost. *session is as it is afterwards. 0; -1: 404, 409
 * when the page is not in the state for it, 422 for another word, or what the event met. */
int mg_sandbox_act(struct mg_payment *payment, const char *id, const char *action, int64_t cents,
                   struct mg_pool *pool, struct mg_sandbox_session *session, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
