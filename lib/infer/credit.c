#include "infer/credit.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/money.h"
#include "infer/delivery.h"

#include <stdio.h>
#include <string.h>

#define CLIENT_LEFT 499 /* the usual log status of a reply that nobody waited for */

static void
out_of_credit(struct mg_exchange *x)
{
    struct mg_err err = MG_ERR_INIT;
    mg_err_set(&err, 402, "insufficient_quota",
               "The credit of this account is used up; the answer was stopped here. Top up to "
               "go on.");
    err.no_retry = true;
    x->flags |= MG_ROW_NO_CREDIT;
    mg_exchange_stop(x, &err);
    mg_err_free(&err);
}

static int64_t
used(const struct mg_exchange *x)
{
    return mg_bill_so_far(&x->plan.model->price, &x->plan.facts, mg_relay_usage(x->relay),
                          mg_relay_output_bytes(x->relay));
}

/* On the loop again, with the answer of the ledger. */
static void
on_extended(void *arg)
{
    struct mg_exchange *x = arg;
    x->ledger_jobs--;
    x->extending = false;
    switch (x->extended.outcome) {
    case MG_RESERVE_GRANTED:
        x->granted = x->extended.granted;
        break;
    case MG_RESERVE_REFUSED:
        x->refused = true;
        break;
    case MG_RESERVE_BUSY: /* answers of a beginning, not of an extension */
    case MG_RESERVE_OVER:
    case MG_RESERVE_UNAVAILABLE:
        x->unmetered = true; /* the ledger is away: a stream that runs may finish */
        break;
    }
    if (!x->ended) {
        if (x->paused_credit) {
            x->paused_credit = false;
            if (!x->paused_client)
                mg_transfer_resume(x->transfer);
        }
        mg_credit_meter(x);
    }
    mg_exchange_step(x);
}

/* On the ledger's thread. */
static void
extended(void *arg, const struct mg_reserved *result)
{
    struct mg_exchange *x = arg;
    x->extended = *result;
    mg_loop_post(x->loop, on_extended, x);
}

static void
extend(struct mg_exchange *x, int64_t missing)
{
    struct mg_reserve more = {.wallet_id = x->who->account_id};
    memcpy(more.request_id, x->req->id, MG_ID_BYTES);
    more.want = missing + x->plan.hold.slice;
    more.least = missing + x->plan.hold.slice / 16 + 1;
    x->extending = true;
    x->ledger_jobs++;
    mg_ledger_extend(x->app->ledger, &more, extended, x);
}

void
mg_credit_meter(struct mg_exchange *x)
{
    if (x->ended || x->unmetered || !x->plan.facts.stream)
        return;
    int64_t spent = used(x), left = x->granted - spent;
    if (left > x->plan.hold.slice / 2 || x->plan.hold.slice == 0)
        return;
    if (!x->extending && !x->refused)
        extend(x, left < 0 ? -left : 0);
    if (left > 0)
        return;
    if (x->refused)
        out_of_credit(x);
    else
        x->paused_credit = true; /* the answer has outrun its hold */
}

static void
on_settled(void *arg)
{
    struct mg_exchange *x = arg;
    x->ledger_jobs--;
    x->landed = true;
    mg_exchange_close(x);
}

/* On the ledger's thread. */
static void
settled(void *arg, const struct mg_settled *result)
{
    struct mg_exchange *x = arg;
    x->settled = *result;
    mg_loop_post(x->loop, on_settled, x);
}

static void
describe(const struct mg_exchange *x, struct mg_settle *s)
{
    const struct mg_usage *u = &x->bill.usage;
    memcpy(s->request_id, x->req->id, MG_ID_BYTES);
    s->wallet_id = x->who->account_id;
    s->api_key_id = x->who->key_id;
    s->charge = x->flags & MG_ROW_UNLIMITED ? 0 : x->bill.charge;
    s->release = x->bill.release;
    snprintf(s->model, sizeof(s->model), "%s", x->plan.asked);
    snprintf(s->served_by, sizeof(s->served_by), "%s", x->plan.model->id);
    snprintf(s->label, sizeof(s->label), "%s", x->plan.model->label);
    snprintf(s->family, sizeof(s->family), "%s", mg_family_name(x->plan.client));
    s->input = u->input;
    s->cache_read = u->cache_read;
    s->cache_write_5m = u->cache_write_5m;
    s->cache_write_1h = u->cache_write_1h;
    s->output = u->output;
    s->reasoning = u->reasoning;
    s->price_version = x->plan.model->price.version;
    s->flags = x->flags;
    s->first_ms = x->first_ms;
    s->total_ms = (int32_t)((mg_mono_us() - x->req->started_us) / 1000);
    s->status = x->background != NULL && !mg_err_is(&x->err) ? 200
                : mg_stream_started(x->stream) ? 200 : x->gone ? CLIENT_LEFT
                : mg_err_is(&x->err) ? x->err.status : 200;
}

static void
log_end(const struct mg_exchange *x, const struct mg_settle *s)
{
    char money[MG_MONEY_SIZE];
    mg_info("req=%s account=%llu key=%llu family=%s model=%s upstream=%s/%s status=%d in=%lld "
            "out=%lld charge=%s%s flags=%u first_ms=%d ms=%d%s%s",
            x->req->id_text, (unsigned long long)s->wallet_id, (unsigned long long)s->api_key_id,
            s->family, s->model, x->plan.model->upstream->name, s->served_by, s->status,
            (long long)mg_usage_input_total(&x->bill.usage), (long long)s->output,
            mg_money_text(s->charge, money), s->release ? " released" : "", s->flags, s->first_ms,
            s->total_ms, x->err.detail[0] ? " why=" : "", x->err.detail);
}

void
mg_credit_settle(struct mg_exchange *x)
{
    struct mg_settle s = {0};
    struct mg_outcome outcome = {
        .usage = *mg_relay_usage(x->relay),
        .output_bytes = mg_relay_output_bytes(x->relay),
        .complete = mg_relay_complete(x->relay),
        .failed = mg_relay_failed(x->relay),
    };
    /* A client that left while the upstream had the request pays what it set in motion. */
    outcome.accepted = (x->upstream_status >= 200 && x->upstream_status < 300) ||
                       (((x->gone && x->background == NULL) || x->cancelled) && x->sent &&
                        x->upstream_status == 0 && !mg_err_is(&x->err));
    if (mg_err_is(&x->err) && !x->events)
        outcome.accepted = false; /* a reply that cannot be delivered is not charged */
    mg_bill_make(&x->plan.model->price, &x->plan.facts, &outcome, &x->bill);
    if (x->bill.estimated)
        x->flags |= MG_ROW_ESTIMATED;
    if (!outcome.complete && !(x->flags & (MG_ROW_CLIENT_GONE | MG_ROW_NO_CREDIT)))
        x->flags |= MG_ROW_CUT;
    if (x->plan.model->premium)
        x->flags |= MG_ROW_PREMIUM;
    if (x->plan.facts.stream)
        x->flags |= MG_ROW_STREAM;
    describe(x, &s);
    log_end(x, &s);
    x->ledger_jobs++;
    mg_ledger_settle(x->app->ledger, &s, settled, x);
}
