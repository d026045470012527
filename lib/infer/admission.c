#include "infer/admission.h"

#include "base/log.h"
#include "base/money.h"
#include "http/reply.h"
#include "infer/delivery.h"
#include "ledger/window.h"

#include <stdio.h>
#include <string.h>

#define AWAY_RETRY_S 2
#define BUSY_RETRY_S 2 /* clients wait as long as they are told: short, so that they take turns */

/* Ends an exchange that never reached its upstream. */
static void
turn_away(struct mg_exchange *x)
{
    mg_info("req=%s account=%llu key=%llu family=%s model=%s status=%d refused=%s",
            x->req->id_text, (unsigned long long)x->who->account_id,
            (unsigned long long)x->who->key_id, mg_family_name(x->plan.client), x->plan.asked,
            x->err.status, x->err.code);
    x->ended = x->done = true;
    mg_delivery_begin(x);
    mg_delivery_end(x);
    mg_exchange_step(x);
}

static void
no_credit(struct mg_exchange *x)
{
    char needs[MG_MONEY_SIZE], has[MG_MONEY_SIZE];
    int64_t available = x->reserved.available > 0 ? x->reserved.available : 0;
    mg_err_set(&x->err, 402, "insufficient_quota",
               "The credit balance is too low: this request needs at least %s credits, %s are "
               "available. Top up in the dashboard to go on.",
               mg_money_text(x->plan.hold.least, needs), mg_money_text(available, has));
    x->err.no_retry = true;
}

/* Clients wait and try again: their type for that is the usual one of a rate limit. */
static void
too_many(struct mg_exchange *x)
{
    mg_err_set(&x->err, 429, "concurrency_limit",
               "Your Unlimited window allows %d requests at a time. Please try again in %ds, when "
               "one of them has ended.", MG_WINDOW_CONNECTIONS, BUSY_RETRY_S);
    x->err.retry_after_s = BUSY_RETRY_S;
}

/* Trying again does not help; this type makes clients stop at once. */
static void
window_over(struct mg_exchange *x)
{
    mg_err_set(&x->err, 429, "usage_limit_reached",
               "Your Unlimited window has ended and the wallet holds no credit. Top up in the "
               "dashboard to go on.");
    snprintf(x->err.type, sizeof(x->err.type), "usage_limit_reached");
    x->err.no_retry = true;
}

static void
no_ledger(struct mg_exchange *x)
{
    mg_err_set(&x->err, 503, "unavailable",
               "The service cannot check the account's credit right now. Please try again in "
               "%ds.", AWAY_RETRY_S);
    x->err.retry_after_s = AWAY_RETRY_S;
}

/* Gives back a hold that nothing was done with. */
static void
release(struct mg_exchange *x)
{
    struct mg_settle settle = {.wallet_id = x->who->account_id, .release = true};
    memcpy(settle.request_id, x->req->id, MG_ID_BYTES);
    mg_ledger_settle(x->app->ledger, &settle, NULL, NULL);
}

/* Back on the exchange's loop with the body written anew. */
static void
lowered(void *arg)
{
    struct mg_exchange *x = arg;
    x->aside = false;
    if (!mg_err_is(&x->err)) {
        mg_exchange_begin(x);
        return;
    }
    release(x);
    turn_away(x);
}

/* On the side loop: the upstream's body with the output limit that the hold pays for. */
static void
lower(void *arg)
{
    struct mg_exchange *x = arg;
    char text[24];
    int64_t limit = mg_hold_lowered(&x->plan.model->price, &x->plan.facts, &x->plan.hold,
                                    x->granted);
    snprintf(text, sizeof(text), "%lld", (long long)limit);
    mg_str_free(&x->upward);
    if (mg_plan_upward(x->app, x->req, &x->plan, limit, &x->upward, &x->err) == 0)
        mg_reply_header(x->req, "x-max-tokens-lowered-to", text);
    mg_loop_post(x->loop, lowered, x);
}

static void
refuse(struct mg_exchange *x)
{
    switch (x->reserved.outcome) {
    case MG_RESERVE_REFUSED:
        no_credit(x);
        break;
    case MG_RESERVE_BUSY:
        too_many(x);
        break;
    case MG_RESERVE_OVER:
        window_over(x);
        break;
    case MG_RESERVE_UNAVAILABLE:
    case MG_RESERVE_GRANTED:
        no_ledger(x);
        break;
    }
    turn_away(x);
}

/* On the loop. */
static void
answered(void *arg)
{
    struct mg_exchange *x = arg;
    if (x->reserved.outcome != MG_RESERVE_GRANTED) {
        refuse(x);
        return;
    }
    x->granted = x->reserved.granted;
    if (x->reserved.unlimited) {
        x->flags |= MG_ROW_UNLIMITED;
        x->unmetered = true;
        mg_exchange_begin(x);
        return;
    }
    if (mg_hold_lowered(&x->plan.model->price, &x->plan.facts, &x->plan.hold, x->granted) < 0) {
        mg_exchange_begin(x);
        return;
    }
    x->aside = true;
    mg_loop_post(x->app->side_loop, lower, x);
}

/* On the ledger's thread. */
static void
held(void *arg, const struct mg_reserved *result)
{
    struct mg_exchange *x = arg;
    x->reserved = *result;
    mg_loop_post(x->loop, answered, x);
}

void
mg_admission_ask(struct mg_exchange *x)
{
    struct mg_reserve reserve = {
        .wallet_id = x->who->account_id,
        .want = x->plan.hold.want,
        .least = x->plan.hold.least,
        .all = x->plan.hold.all,
    };
    memcpy(reserve.request_id, x->req->id, MG_ID_BYTES);
    mg_ledger_hold(x->app->ledger, &reserve, held, x);
}
