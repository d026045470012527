#include "infer/exchange.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "http/body.h"
#include "infer/background.h"
#include "infer/compact.h"
#include "infer/credit.h"
#include "infer/delivery.h"
#include "infer/keep.h"
#include "infer/muster.h"
#include "infer/refusal.h"
#include "wire/sse.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LARGE_BODY ((size_t)64 * 1024) /* translated aside, so that the loop does not stall */
#define MAX_HEADERS 8
#define DEFAULT_VERSION "2023-06-01"

/* The client has got the beginning of its answer: what fails now is told in the stream. */
static bool
is_told(const struct mg_exchange *x)
{
    return x->replied || mg_stream_started(x->stream);
}

static void
finish(struct mg_exchange *x)
{
    if (!x->ended) {
        x->ended = true;
        if (x->plan.keep != NULL)
            mg_keep_file(x);
        mg_credit_settle(x);
    }
}

static void
free_exchange(struct mg_exchange *x)
{
    struct mg_app *app = x->app;
    mg_muster_remove(app->muster, x);
    mg_delivery_close(x);
    mg_background_free(&x->background);
    mg_relay_free(&x->relay);
    mg_plan_free(&x->plan);
    mg_str_free(&x->upward);
    mg_str_free(&x->body);
    mg_str_free(&x->out);
    mg_err_free(&x->err);
    mg_request_free(&x->req);
    free(x);
    atomic_fetch_sub(&app->active, 1);
}

void
mg_exchange_step(struct mg_exchange *x)
{
    if (x->done && x->ledger_jobs == 0 && !mg_keep_is_busy(x->plan.keep) &&
        mg_delivery_is_over(x))
        free_exchange(x);
}

void
mg_exchange_close(struct mg_exchange *x)
{
    if (!x->done) {
        if (!x->landed || mg_keep_holds(x->plan.keep))
            return;
        x->done = true;
        mg_delivery_end(x);
    }
    mg_exchange_step(x);
}

void
mg_exchange_stop(struct mg_exchange *x, const struct mg_err *err)
{
    if (x->ended || x->aside)
        return;
    x->sent = x->transfer != NULL && mg_transfer_sent(x->transfer);
    mg_transfer_cancel(&x->transfer);
    if (err != NULL) {
        x->err.status = err->status;
        memcpy(x->err.code, err->code, sizeof(x->err.code));
        memcpy(x->err.message, err->message, sizeof(x->err.message));
        x->err.no_retry = err->no_retry;
        if (is_told(x)) {
            mg_relay_fail(x->relay, err, &x->out);
            mg_delivery_send(x);
        }
    }
    finish(x);
}

/* The stream broke off or cannot be read: told inside it when it has begun. */
static void
fail(struct mg_exchange *x)
{
    if (is_told(x)) {
        mg_relay_fail(x->relay, &x->err, &x->out);
        mg_delivery_send(x);
    }
    finish(x);
}

static bool
has_type(struct mg_transfer *transfer, const char *type)
{
    const char *value = mg_transfer_reply_header(transfer, "content-type");
    return value != NULL && strncasecmp(value, type, strlen(type)) == 0;
}

static void
on_status(void *arg, struct mg_transfer *transfer, int status)
{
    struct mg_exchange *x = arg;
    x->upstream_status = status;
    if (mg_transfer_sent(transfer))
        mg_str_free(&x->upward);
    x->events = status >= 200 && status < 300 && x->plan.facts.stream &&
                has_type(transfer, "text/event-stream");
    if (x->events)
        mg_delivery_head(x);
}

/* Some upstreams call their streams text/plain, or nothing at all. */
static bool
is_stream_after_all(const struct mg_exchange *x)
{
    return x->plan.facts.stream && x->upstream_status >= 200 && x->upstream_status < 300
           && mg_sse_is_stream(mg_str_span(&x->body));
}

static bool
on_data(void *arg, struct mg_transfer *transfer, const char *bytes, size_t n)
{
    struct mg_exchange *x = arg;
    int rc;
    (void)transfer;
    if (!x->events) {
        mg_str_add(&x->body, bytes, n);
        if (!is_stream_after_all(x))
            return true;
        x->events = true;
        mg_delivery_head(x);
        rc = mg_relay_feed(x->relay, x->body.p, x->body.len, &x->out);
        mg_str_free(&x->body);
    } else {
        rc = mg_relay_feed(x->relay, bytes, n, &x->out);
    }
    mg_delivery_send(x);
    if (rc != 0) {
        struct mg_err err = MG_ERR_INIT;
        mg_err_set(&err, 502, "upstream_invalid_reply",
                   "The upstream provider's stream cannot be understood.");
        mg_exchange_stop(x, &err);
        mg_err_free(&err);
        return true;
    }
    mg_credit_meter(x);
    mg_delivery_consider_stop(x);
    return x->ended || !(x->paused_client || x->paused_credit);
}

static void
end_of_events(struct mg_exchange *x, const struct mg_transfer_result *result)
{
    int rc = mg_relay_eof(x->relay, &x->out);
    mg_delivery_send(x);
    if (rc == 0) {
        finish(x);
        return;
    }
    mg_refusal_of_end(result, &x->err);
    fail(x);
}

static void
turn_body(struct mg_exchange *x)
{
    if (mg_relay_body(x->relay, mg_str_span(&x->body), &x->out, &x->err) != 0 ||
        (x->plan.kept != NULL && mg_compact_finish(&x->plan, &x->out, &x->err) != 0))
        mg_str_reset(&x->out);
    mg_str_free(&x->body);
}

static void
body_is_turned(struct mg_exchange *x)
{
    if (mg_err_is(&x->err)) {
        fail(x);
        return;
    }
    if (x->plan.facts.stream) { /* the upstream did not stream: the client gets one all the same */
        mg_delivery_head(x);
        mg_delivery_send(x);
    }
    finish(x);
}

/* Back on the exchange's loop. */
static void
back_from_aside(void *arg)
{
    struct mg_exchange *x = arg;
    x->aside = false;
    body_is_turned(x);
}

/* On the side loop. */
static void
turn_body_aside(void *arg)
{
    struct mg_exchange *x = arg;
    turn_body(x);
    mg_loop_post(x->loop, back_from_aside, x);
}

static void
end_of_body(struct mg_exchange *x)
{
    bool scanned_only = mg_plan_passes(&x->plan);
    if (!scanned_only && x->body.len > LARGE_BODY) {
        x->aside = true;
        mg_loop_post(x->app->side_loop, turn_body_aside, x);
        return;
    }
    turn_body(x);
    body_is_turned(x);
}

/* A refusal that is an answer in the client's format. It costs nothing, as refusals do. */
static bool
answers_by_refusal(struct mg_exchange *x)
{
    if (x->upstream_status != 400 || x->plan.kept != NULL ||
        !mg_relay_no_room(x->relay, mg_str_span(&x->body), &x->out))
        return false;
    if (x->plan.facts.stream) {
        mg_delivery_head(x);
        mg_delivery_send(x);
    }
    return true;
}

static void
on_end(void *arg, const struct mg_transfer_result *result)
{
    struct mg_exchange *x = arg;
    struct mg_transfer *transfer = x->transfer;
    x->transfer = NULL;
    mg_str_free(&x->upward);
    if (x->events) {
        end_of_events(x, result);
    } else if (result->end != MG_TRANSFER_COMPLETE) {
        mg_refusal_of_end(result, &x->err);
        fail(x);
    } else if (x->upstream_status >= 200 && x->upstream_status < 300) {
        end_of_body(x);
    } else if (answers_by_refusal(x)) {
        finish(x);
    } else {
        mg_refusal_of_status(x->upstream_status,
                             mg_transfer_reply_header(transfer, "content-type"),
                             mg_transfer_reply_header(transfer, "retry-after"),
                             mg_str_span(&x->body), mg_plan_passes(&x->plan), &x->err);
        fail(x);
    }
}

static const char *
first_header(const struct mg_exchange *x, const char *names)
{
    char name[64];
    while (*names != '\0') {
        size_t n = strcspn(names, ",");
        if (n < sizeof(name)) {
            memcpy(name, names, n);
            name[n] = '\0';
            const char *value = mg_request_header(x->req, name);
            if (value != NULL)
                return value;
        }
        names += n + (names[n] == ',');
    }
    return NULL;
}

/* The allow-list of headers toward an upstream: type, key, version and beta marks of its
 * family, our request id. Nothing else of the client goes out. */
static size_t
headers(struct mg_exchange *x, struct mg_transfer_header *h)
{
    const char *key = x->plan.model->upstream->key, *value;
    bool same = mg_plan_passes(&x->plan);
    size_t n = 0;
    h[n++] = (struct mg_transfer_header){"content-type", "application/json"};
    h[n++] = (struct mg_transfer_header){
        "accept", x->plan.facts.stream ? "text/event-stream" : "application/json"};
    h[n++] = (struct mg_transfer_header){"x-request-id", x->req->id_text};
    if (x->plan.upstream == MG_MESSAGES) {
        value = same ? first_header(x, x->app->conf->version_headers) : NULL;
        h[n++] = (struct mg_transfer_header){"anthropic-version", value ? value : DEFAULT_VERSION};
        value = same ? mg_request_header(x->req, "anthropic-beta") : NULL;
        if (value != NULL)
            h[n++] = (struct mg_transfer_header){"anthropic-beta", value};
        if (*key != '\0')
            h[n++] = (struct mg_transfer_header){"x-api-key", key};
    } else {
        value = same ? mg_request_header(x->req, "openai-beta") : NULL;
        if (value != NULL)
            h[n++] = (struct mg_transfer_header){"openai-beta", value};
        if (*key != '\0')
            h[n++] = (struct mg_transfer_header){
                "authorization", mg_pool_printf(x->req->pool, "Bearer %s", key)};
    }
    return n;
}

static struct mg_relay *
make_relay(struct mg_exchange *x)
{
    struct mg_plan *plan = &x->plan;
    struct mg_relay_setup setup = {
        .client = plan->client,
        .upstream = plan->upstream,
        .stream = plan->facts.stream,
        .show_usage = plan->facts.show_usage,
        .model = plan->asked,
        .request_id = x->req->id_text,
        .now_s = mg_now_ms() / 1000,
        .input_estimate = plan->facts.input_estimate,
        .stored = plan->keep != NULL,
        .previous = plan->previous,
        .background = x->background != NULL ? mg_background_reply(x->background) : NULL,
        .translation = plan->translation,
    };
    memcpy(setup.id, x->req->id, MG_ID_BYTES);
    plan->translation = NULL; /* the relay's from here */
    return mg_relay_new(&setup);
}

static void
start_transfer(struct mg_exchange *x)
{
    static const struct mg_transfer_calls calls = {on_status, on_data, on_end};
    const struct mg_conf *conf = x->app->conf;
    struct mg_transfer_header h[MAX_HEADERS];
    struct mg_transfer_request request = {
        .method = "POST",
        .url = mg_pool_printf(x->req->pool, "%s%s", x->plan.model->upstream->url,
                              x->plan.path != NULL ? x->plan.path
                                                   : mg_family_path(x->plan.upstream)),
        .headers = h,
        .header_count = headers(x, h),
        .body = mg_str_span(&x->upward),
        .connect_ms = conf->connect_timeout_ms,
        .silence_ms = conf->upstream_silence_s * 1000,
        .total_ms = conf->upstream_total_s * 1000,
        .reply_limit = x->plan.facts.stream ? 0 : conf->reply_limit,
    };
    x->transfer = mg_transfer_start(x->loop, &request, &calls, x);
}

void
mg_exchange_launch(struct mg_exchange *x)
{
    if (!x->gone || x->background != NULL) {
        start_transfer(x);
        return;
    }
    /* It left while its credit was being held: nothing has been sent anywhere. */
    mg_err_set(&x->err, 499, "client_gone", "The client left before the request was sent.");
    finish(x);
}

void
mg_exchange_begin(struct mg_exchange *x)
{
    if (x->plan.background)
        x->background = mg_background_new(x);
    mg_plan_trim(&x->plan);
    mg_plan_tell_dropped(&x->plan, x->req);
    mg_body_drop(x->req);
    x->relay = make_relay(x);
    mg_muster_add(x->app->muster, x);
    mg_delivery_begin(x);
    if (x->background != NULL)
        mg_background_open(x);
    else
        mg_exchange_launch(x);
}
