#include "infer/keep.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "http/reply.h"
#include "infer/background.h"
#include "infer/delivery.h"
#include "json/scan.h"
#include "store/asked.h"
#include "store/clerk.h"
#include "store/metadata.h"
#include "store/record.h"
#include "wire/transcript.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEN_MAX (MG_BODY_MAX * 4) /* events say everything more than once */
#define DAY_MS ((int64_t)86400000)
#define PATIENCE_MS 5000         /* a store that takes longer does not hold up its client */

static void
describe(struct mg_app *app, const struct mg_request *req, const struct mg_principal *who,
         const struct mg_plan *plan, struct mg_object *o)
{
    o->account_id = who->account_id;
    memcpy(o->request_id, req->id, MG_ID_BYTES);
    o->kind = plan->client == MG_RESPONSES ? MG_OBJECT_RESPONSE : MG_OBJECT_COMPLETION;
    snprintf(o->model, sizeof(o->model), "%s", plan->asked);
    snprintf(o->upstream, sizeof(o->upstream), "%s", plan->model->upstream->name);
    snprintf(o->previous, sizeof(o->previous), "%s", plan->previous ? plan->previous : "");
    o->created_ms = mg_now_ms();
    o->expires_ms = o->created_ms + app->conf->store_days * DAY_MS;
}

int
mg_keep_make(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
             struct mg_plan *plan, struct mg_span input, struct mg_err *err)
{
    if (input.n > MG_BODY_MAX) {
        mg_reply_header(req, "x-not-stored", mg_pool_printf(
            req->pool, "the input is larger than %zu bytes", MG_BODY_MAX));
        return 0;
    }
    struct mg_keep *k = mg_calloc(1, sizeof(*k));
    struct mg_span metadata;
    describe(app, req, who, plan, &k->record.object);
    mg_str_init(&k->metadata, MG_METADATA_MAX);
    mg_str_init(&k->seen, SEEN_MAX);
    mg_str_init(&k->input, 0);
    mg_str_init(&k->asked_with, MG_ASKED_MAX);
    if (plan->client == MG_CHAT)
        mg_asked_read(req->body, req->id_text, &k->asked_with);
    if (plan->client == MG_CHAT && mg_scan_member(req->body, "metadata", &metadata) == 1 &&
        mg_metadata_read(metadata, &k->metadata, err) != 0) {
        mg_keep_free(&k);
        return -1;
    }
    if (mg_body_pack(input, &k->input) != 0) {
        mg_keep_free(&k);
        return mg_err_internal(err, "the input cannot be compressed");
    }
    k->record.input = mg_str_span(&k->input);
    k->record.input_size = input.n;
    plan->keep = k;
    return 0;
}

void
mg_keep_free(struct mg_keep **keep)
{
    struct mg_keep *k = *keep;
    if (k == NULL)
        return;
    mg_str_free(&k->input);
    mg_str_free(&k->metadata);
    mg_str_free(&k->asked_with);
    mg_str_free(&k->seen);
    free(k);
    *keep = NULL;
}

bool
mg_keep_is_busy(const struct mg_keep *k)
{
    return k != NULL && k->asked && !k->filed;
}

bool
mg_keep_holds(const struct mg_keep *k)
{
    return mg_keep_is_busy(k) && !k->released;
}

static void
let_go(struct mg_exchange *x)
{
    x->plan.keep->released = true;
    if (mg_stream_started(x->stream))
        mg_delivery_send(x);
}

void
mg_keep_filed(void *arg)
{
    struct mg_exchange *x = arg;
    struct mg_keep *k = x->plan.keep;
    mg_timer_clear(x->loop, &k->patience);
    mg_str_free(&k->seen);
    k->filed = true;
    if (!k->released)
        let_go(x);
    mg_exchange_close(x);
}

static void
on_patience(void *arg)
{
    struct mg_exchange *x = arg;
    mg_warn("req=%s its answer is given out before it is kept: the store is slow",
            x->req->id_text);
    let_go(x);
    mg_exchange_close(x);
}

static void
read_state(struct mg_record *r, const struct mg_transcript *t)
{
    struct mg_span status;
    struct mg_object *o = &r->object;
    o->state = MG_OBJECT_COMPLETED;
    if (o->kind == MG_OBJECT_RESPONSE) {
        if (mg_scan_member(r->reply, "status", &status) == 1 && status.n > 2)
            (void)mg_object_state_parse((struct mg_span){status.p + 1, status.n - 2}, &o->state);
    } else if (t != NULL && !t->whole) {
        o->state = t->failed ? MG_OBJECT_FAILED : MG_OBJECT_CANCELLED;
    }
}

static bool
read_id(struct mg_record *r)
{
    struct mg_span raw;
    struct mg_str id;
    mg_str_init(&id, MG_OBJECT_ID);
    bool good = mg_scan_member(r->reply, "id", &raw) == 1 && mg_scan_string(raw, &id) &&
                mg_object_id_valid(mg_str_span(&id));
    if (good)
        snprintf(r->object.id, sizeof(r->object.id), "%s", id.p);
    mg_str_free(&id);
    return good;
}

/* The completion with what its request said, as long as that fits. `whole` backs the reply. */
static void
add_asked(struct mg_keep *k, struct mg_str *whole)
{
    if (k->asked_with.len > 0 && mg_str_ok(&k->asked_with) &&
        mg_asked_add(mg_str_span(&k->asked_with), k->record.reply, whole) == 0 &&
        mg_str_ok(whole))
        k->record.reply = mg_str_span(whole);
}

static int
put_away(struct mg_keep *k, struct mg_db *db, const struct mg_transcript *t, struct mg_err *err)
{
    struct mg_record *r = &k->record;
    struct mg_str whole;
    r->metadata = mg_str_span(&k->metadata);
    if (!read_id(r))
        return mg_err_internal(err, "the answer has no id to keep it under");
    read_state(r, t);
    if (db == NULL)
        return mg_err_internal(err, "the database is away");
    mg_str_init(&whole, MG_BODY_MAX);
    add_asked(k, &whole);
    int rc = mg_record_put(db, r, err);
    mg_str_free(&whole);
    return rc;
}

/* On a clerk's thread. */
static void
run(struct mg_clerk_job *job, struct mg_db *db)
{
    struct mg_keep *k = (struct mg_keep *)job; /* its first member */
    struct mg_exchange *x = k->x;
    struct mg_err err = MG_ERR_INIT;
    struct mg_transcript t = {0};
    int rc = 0;
    if (k->body) {
        k->record.reply = mg_str_span(&k->seen);
        rc = put_away(k, db, NULL, &err);
    } else if (mg_transcript_read(x->plan.client, mg_str_span(&k->seen), &k->usage, k->end, &t) ==
               0) {
        k->record.reply = mg_str_span(&t.object);
        k->record.first_event = t.first;
        k->record.last_event = t.last;
        if (k->record.object.kind == MG_OBJECT_RESPONSE && mg_str_ok(&k->seen)) {
            k->record.events = mg_str_span(&k->seen);
            k->record.tail = mg_str_span(&t.tail);
        }
        rc = put_away(k, db, &t, &err);
    } /* else it failed before anything was told: there is no object */
    if (rc != 0)
        mg_warn("req=%s its answer is not kept: %s%s%s", x->req->id_text, err.message,
                *err.detail ? ": " : "", err.detail);
    if (!k->body)
        mg_transcript_free(&t);
    mg_err_free(&err);
    mg_loop_post(x->loop, mg_keep_filed, x);
}

void
mg_keep_file(struct mg_exchange *x)
{
    struct mg_keep *k = x->plan.keep;
    bool left = x->background != NULL ? x->cancelled : x->gone;
    if (k->asked)
        return;
    k->asked = true;
    if (x->background == NULL && k->seen.len == 0 && (mg_err_is(&x->err) || x->out.len == 0)) {
        k->filed = true; /* the client has seen nothing of it */
        return;
    }
    k->body = k->seen.len == 0;
    if (k->body)
        mg_str_addspan(&k->seen, mg_str_span(&x->out));
    k->x = x;
    k->usage = *mg_relay_usage(x->relay);
    k->end = mg_relay_complete(x->relay) ? MG_TRANSCRIPT_WHOLE
             : left && !mg_err_is(&x->err) ? MG_TRANSCRIPT_LEFT : MG_TRANSCRIPT_FAILED;
    mg_timer_set(x->loop, &k->patience, PATIENCE_MS, on_patience, x);
    if (x->background != NULL) {
        mg_background_close(x);
        return;
    }
    k->job.run = run;
    mg_clerks_do(x->app->clerks, &k->job);
}

bool
mg_keep_see(struct mg_exchange *x)
{
    struct mg_keep *k = x->plan.keep;
    if (!k->asked) {
        mg_str_add(&k->seen, x->out.p + k->taken, x->out.len - k->taken);
        k->taken = x->out.len;
        if (mg_relay_ended(x->relay))
            mg_keep_file(x);
    }
    if (mg_keep_holds(k))
        return true;
    k->taken = 0;
    return false;
}
