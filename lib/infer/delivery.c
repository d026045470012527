#include "infer/delivery.h"

#include "base/clock.h"
#include "base/money.h"
#include "http/reply.h"
#include "infer/keep.h"

#include <stdio.h>
#include <sys/epoll.h>

#define PAUSE_ABOVE ((size_t)256 * 1024) /* bytes that wait for a slow client */
#define RESUME_BELOW ((size_t)64 * 1024)

static void on_client(void *arg, uint32_t events);
static void on_silence(void *arg);

static void
watch(struct mg_exchange *x)
{
    uint32_t events = EPOLLIN | EPOLLRDHUP;
    if (x->gone || mg_stream_finished(x->stream))
        return;
    if (mg_stream_wants_write(x->stream))
        events |= EPOLLOUT;
    (void)mg_watch_set(x->loop, &x->watch, mg_stream_fd(x->stream), events, on_client, x);
}

static void
on_drained(void *arg)
{
    mg_exchange_stop(arg, NULL);
}

static void
note_gone(struct mg_exchange *x)
{
    if (x->gone)
        return;
    x->gone = true;
    if (x->background == NULL)
        x->flags |= MG_ROW_CLIENT_GONE;
    if (x->relay != NULL && !x->aside)
        x->bytes_at_leave = mg_relay_output_bytes(x->relay);
    mg_watch_clear(x->loop, &x->watch);
    mg_timer_clear(x->loop, &x->alive);
    if (x->paused_client && x->transfer != NULL) {
        x->paused_client = false;
        mg_transfer_resume(x->transfer);
    }
    if (x->plan.facts.stream && !x->ended && !x->aside && x->background == NULL) {
        mg_timer_set(x->loop, &x->drain, x->app->conf->drain_seconds * 1000, on_drained, x);
        mg_delivery_consider_stop(x);
    }
}

void
mg_delivery_begin(struct mg_exchange *x)
{
    x->last_write_ms = mg_loop_now(x->loop);
    x->first_ms = -1;
    if (mg_stream_gone(x->stream)) {
        note_gone(x);
        return;
    }
    watch(x);
    if (x->plan.facts.stream && !x->plan.at_once)
        mg_timer_set(x->loop, &x->alive, x->app->conf->keepalive_ms, on_silence, x);
}

void
mg_delivery_consider_stop(struct mg_exchange *x)
{
    if (!x->gone || x->ended || !x->plan.facts.stream || x->background != NULL)
        return;
    size_t since = mg_relay_output_bytes(x->relay) - x->bytes_at_leave;
    if (mg_facts_output_tokens(since) >= x->app->conf->drain_tokens)
        mg_exchange_stop(x, NULL);
    else if (x->plan.upstream == MG_MESSAGES && mg_relay_usage(x->relay)->has_input)
        mg_exchange_stop(x, NULL); /* input is known, output is counted as it comes */
}

static void
note_write(struct mg_exchange *x, int rc)
{
    if (rc != 0) {
        note_gone(x);
        return;
    }
    x->last_write_ms = mg_loop_now(x->loop);
    if (x->first_ms < 0)
        x->first_ms = (int32_t)((mg_mono_us() - x->req->started_us) / 1000);
    if (mg_stream_pending(x->stream) > PAUSE_ABOVE)
        x->paused_client = true;
    watch(x);
}

void
mg_delivery_head(struct mg_exchange *x)
{
    if (x->gone || mg_stream_started(x->stream))
        return;
    note_write(x, mg_stream_head(x->stream, 200, MG_TYPE_EVENTS, -1));
}

void
mg_delivery_send(struct mg_exchange *x)
{
    if (x->plan.keep != NULL && mg_keep_see(x))
        return; /* until it is put away */
    if (x->out.len > 0 && !x->gone && !x->replied)
        note_write(x, mg_stream_write(x->stream, x->out.p, x->out.len));
    mg_str_reset(&x->out);
}

static void
on_silence(void *arg)
{
    struct mg_exchange *x = arg;
    int64_t limit = x->app->conf->keepalive_ms;
    int64_t silent = mg_loop_now(x->loop) - x->last_write_ms;
    if (x->gone || x->ended)
        return;
    if (silent >= limit) {
        mg_delivery_head(x); /* from here on a failure is told inside the stream */
        mg_relay_keepalive(x->relay, &x->out);
        mg_delivery_send(x);
        x->last_write_ms = mg_loop_now(x->loop);
        silent = 0;
    }
    mg_timer_set(x->loop, &x->alive, limit - silent, on_silence, x);
}

static void
on_client(void *arg, uint32_t events)
{
    struct mg_exchange *x = arg;
    if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR) && mg_stream_gone(x->stream))
        note_gone(x);
    if (!x->gone && events & EPOLLOUT && mg_stream_flush(x->stream) != 0)
        note_gone(x);
    if (!x->gone) {
        if (x->paused_client && mg_stream_pending(x->stream) < RESUME_BELOW) {
            x->paused_client = false;
            if (x->transfer != NULL && !x->paused_credit)
                mg_transfer_resume(x->transfer);
        }
        watch(x);
    }
    mg_exchange_step(x);
}

/* Credit headers, for replies that are sent after their settle. */
static void
credit_headers(struct mg_exchange *x)
{
    char text[MG_MONEY_SIZE];
    if (!x->settled.landed || x->bill.release)
        return;
    mg_reply_header(x->req, "x-credits-charged", mg_money_text(x->settled.charge, text));
    mg_reply_header(x->req, "x-credits-remaining", mg_money_text(x->settled.balance, text));
}

void
mg_delivery_end(struct mg_exchange *x)
{
    mg_timer_clear(x->loop, &x->alive);
    mg_timer_clear(x->loop, &x->drain);
    if (x->replied)
        return;
    if (x->gone) {
        if (x->relay != NULL && mg_relay_complete(x->relay))
            mg_stream_farewell(x->stream); /* many clients leave at the last event */
        return;
    }
    if (mg_stream_started(x->stream)) {
        note_write(x, mg_stream_finish(x->stream));
    } else if (mg_err_is(&x->err)) {
        note_write(x, mg_stream_error(x->stream, &x->err));
    } else {
        credit_headers(x);
        note_write(x, mg_stream_reply(x->stream, 200, MG_TYPE_JSON, x->out.p, x->out.len));
        mg_str_reset(&x->out);
    }
}

void
mg_delivery_reply(struct mg_exchange *x, struct mg_span body)
{
    x->replied = true;
    if (!x->gone)
        note_write(x, mg_stream_reply(x->stream, 200, MG_TYPE_JSON, body.p, body.n));
}

bool
mg_delivery_is_over(const struct mg_exchange *x)
{
    return x->gone || mg_stream_finished(x->stream);
}

void
mg_delivery_close(struct mg_exchange *x)
{
    mg_watch_clear(x->loop, &x->watch);
    mg_timer_clear(x->loop, &x->alive);
    mg_timer_clear(x->loop, &x->drain);
    mg_stream_close(&x->stream);
}
