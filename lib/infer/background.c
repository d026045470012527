#include "infer/background.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "infer/delivery.h"
#include "infer/keep.h"
#include "infer/roster.h"
#include "json/scan.h"
#include "json/splice.h"
#include "json/writer.h"
#include "store/running.h"
#include "wire/response_object.h"
#include "wire/transcript.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECE_MS 200  /* how long what was generated may be unknown to other processes */
#define AGAIN_MS 1000 /* after a failure of the database */
#define REPLY_MAX ((size_t)32 << 20)

struct mg_background {
    struct mg_clerk_job job;   /* first: its address is ours */
    struct mg_exchange *x;
    char *reply;               /* what the client was given at first */
    unsigned number;           /* of the next piece */
    size_t stored;             /* bytes of keep->seen that are put away */
    struct mg_str piece;       /* being put away */
    struct mg_timer timer;
    struct mg_err err;
    bool busy, landed;
    bool vanished;             /* the object was deleted, or somebody took us for dead */
    struct mg_roster_entry entry;
};

/* ---- stopping ---- */

static void
cancel(struct mg_exchange *x)
{
    if (x->ended)
        return;
    x->cancelled = true;
    x->flags |= MG_ROW_CLIENT_GONE;
    mg_exchange_stop(x, NULL);
}

/* Somebody wishes so (infer/roster.h). */
static void
stop(void *arg)
{
    const struct mg_background *b = arg;
    cancel(b->x);
}

/* ---- opening ---- */

struct mg_background *
mg_background_new(struct mg_exchange *x)
{
    struct mg_background *b = mg_calloc(1, sizeof(*b));
    struct mg_object *o = &x->plan.keep->record.object;
    struct mg_str reply;
    char seed[MG_ID_HEX];
    b->x = x;
    mg_err_init(&b->err);
    mg_str_init(&b->piece, MG_BODY_MAX);
    mg_str_init(&reply, REPLY_MAX);
    mg_hex(x->req->id, MG_ID_BYTES, seed);
    mg_response_begun(x->req->body, x->plan.asked, seed, mg_now_ms() / 1000, &reply);
    b->reply = mg_str_take(&reply);
    snprintf(o->id, sizeof(o->id), "resp_%s", seed);
    o->background = true;
    o->state = MG_OBJECT_IN_PROGRESS;
    o->owner = mg_ledger_owner(x->app->ledger);
    return b;
}

void
mg_background_free(struct mg_background **background)
{
    struct mg_background *b = *background;
    if (b == NULL)
        return;
    mg_roster_remove(b->x->app->roster, &b->entry);
    mg_timer_clear(b->x->loop, &b->timer);
    mg_str_free(&b->piece);
    mg_err_free(&b->err);
    free(b->reply);
    free(b);
    *background = NULL;
}

const char *
mg_background_reply(const struct mg_background *b)
{
    return b->reply;
}

static void on_piece(void *arg);

/* Back on the loop. */
static void
opened(void *arg)
{
    struct mg_background *b = arg;
    struct mg_exchange *x = b->x;
    b->busy = false;
    if (mg_err_is(&b->err)) {
        x->plan.keep->asked = x->plan.keep->filed = true; /* there is nothing to close */
        mg_exchange_stop(x, &b->err);
        return;
    }
    b->entry = (struct mg_roster_entry){.seq = x->plan.keep->record.object.seq,
                                        .loop = x->loop, .stop = stop, .arg = b};
    mg_roster_add(x->app->roster, &b->entry);
    mg_timer_set(x->loop, &b->timer, PIECE_MS, on_piece, b);
    if (x->plan.at_once)
        mg_delivery_reply(x, mg_span_z(b->reply));
    mg_exchange_launch(x);
}

/* On a clerk's thread. */
static void
open_object(struct mg_clerk_job *job, struct mg_db *db)
{
    struct mg_background *b = (struct mg_background *)job;
    struct mg_record *r = &b->x->plan.keep->record;
    if (db == NULL || mg_running_open(db, &r->object, r->input, r->input_size,
                                      mg_span_z(b->reply), &b->err) != 0) {
        if (!mg_err_is(&b->err) || b->err.status == 500)
            mg_err_set(&b->err, 503, "unavailable",
                       "The response cannot be stored right now. Please try again in 2s.");
        b->err.retry_after_s = 2;
    }
    mg_loop_post(b->x->loop, opened, b);
}

void
mg_background_open(struct mg_exchange *x)
{
    struct mg_background *b = x->background;
    b->busy = true;
    b->job.run = open_object;
    mg_clerks_do(x->app->clerks, &b->job);
}

/* ---- putting the stream away ---- */

static void submit_close(struct mg_background *b);

/* Back on the loop. */
static void
appended(void *arg)
{
    struct mg_background *b = arg;
    b->busy = false;
    if (b->landed) {
        b->stored += b->piece.len;
        b->number++;
    }
    mg_str_reset(&b->piece);
    if (b->x->plan.keep->asked)
        submit_close(b);
    else if (b->vanished)
        cancel(b->x);
    else
        mg_timer_set(b->x->loop, &b->timer, b->landed ? PIECE_MS : AGAIN_MS, on_piece, b);
}

/* On a clerk's thread. */
static void
append(struct mg_clerk_job *job, struct mg_db *db)
{
    struct mg_background *b = (struct mg_background *)job;
    struct mg_err err = MG_ERR_INIT;
    int rc = -1;
    if (db != NULL)
        rc = mg_running_append(db, &b->x->plan.keep->record.object, b->number,
                               mg_str_span(&b->piece), &err);
    b->landed = rc == 1;
    b->vanished = rc == 0;
    if (mg_err_is(&err))
        mg_warn("req=%s a piece of its stream is not kept: %s", b->x->req->id_text, err.detail);
    mg_err_free(&err);
    mg_loop_post(b->x->loop, appended, b);
}

static void
on_piece(void *arg)
{
    struct mg_background *b = arg;
    const struct mg_keep *k = b->x->plan.keep;
    if (k->asked)
        return;
    if (k->seen.len == b->stored || k->seen.len - b->stored > MG_BODY_MAX) {
        mg_timer_set(b->x->loop, &b->timer, PIECE_MS, on_piece, b);
        return;
    }
    mg_str_add(&b->piece, k->seen.p + b->stored, k->seen.len - b->stored);
    b->busy = true;
    b->job.run = append;
    mg_clerks_do(b->x->app->clerks, &b->job);
}

/* ---- closing ---- */

/* The reply of a response of whose stream nothing is known: what was said at first, and why. */
static void
write_bare(const struct mg_background *b, struct mg_object *o, struct mg_str *out)
{
    const struct mg_err *err = &b->x->err;
    struct mg_str error;
    struct mg_jw w;
    mg_str_init(&error, 8192);
    mg_jw_init(&w, &error);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "code", err->code[0] != '\0' ? err->code : "server_error");
    mg_jw_string(&w, "message", mg_err_is(err) ? err->message : "The generation failed.");
    mg_jw_end(&w);
    o->state = b->x->cancelled ? MG_OBJECT_CANCELLED : MG_OBJECT_FAILED;
    const struct mg_edit edit = {"error", mg_str_span(&error)};
    if (b->x->cancelled || mg_splice(mg_span_z(b->reply), &edit, 1, out) != 0) {
        mg_str_reset(out);
        mg_str_addz(out, b->reply);
    }
    (void)mg_running_show(o, out);
    mg_str_free(&error);
}

static enum mg_object_state
state_of(const struct mg_background *b, struct mg_span reply, bool whole)
{
    enum mg_object_state state = MG_OBJECT_FAILED;
    struct mg_span status;
    if (b->x->cancelled && !whole)
        return MG_OBJECT_CANCELLED;
    if (mg_scan_member(reply, "status", &status) == 1 && status.n > 2)
        (void)mg_object_state_parse((struct mg_span){status.p + 1, status.n - 2}, &state);
    return mg_object_is_final(state) ? state : MG_OBJECT_FAILED;
}

static int
close_with(struct mg_background *b, struct mg_db *db, struct mg_err *err)
{
    struct mg_keep *k = b->x->plan.keep;
    struct mg_object o = k->record.object;
    struct mg_transcript t = {0};
    struct mg_str reply, events;
    size_t from = b->stored < k->seen.len ? b->stored : k->seen.len;
    mg_str_init(&reply, REPLY_MAX);
    mg_str_init(&events, k->seen.len - from + REPLY_MAX);
    mg_str_add(&events, k->seen.p + from, k->seen.len - from);
    if (k->seen.len > 0 &&
        mg_transcript_read(MG_RESPONSES, mg_str_span(&k->seen), &k->usage, k->end, &t) == 0) {
        mg_str_addspan(&reply, mg_str_span(&t.object));
        mg_str_addspan(&events, mg_str_span(&t.tail));
        o.state = state_of(b, mg_str_span(&reply), t.whole);
        (void)mg_running_show(&o, &reply);
    } else {
        write_bare(b, &o, &reply);
    }
    int rc = mg_running_close(db, &o, mg_str_span(&reply), b->number, mg_str_span(&events), err);
    if (rc != 0 && err->status == 413)
        rc = mg_object_move(db, o.seq, o.owner, MG_OBJECT_FAILED, err) < 0 ? -1 : 0;
    if (k->seen.len > 0)
        mg_transcript_free(&t);
    mg_str_free(&reply);
    mg_str_free(&events);
    return rc;
}

static void
try_again(void *arg)
{
    submit_close(arg);
}

/* Back on the loop. What cannot be closed now is tried again: else it would seem to run. */
static void
closed(void *arg)
{
    struct mg_background *b = arg;
    b->busy = false;
    if (b->landed)
        mg_keep_filed(b->x);
    else
        mg_timer_set(b->x->loop, &b->timer, AGAIN_MS, try_again, b);
}

/* On a clerk's thread. */
static void
close_object(struct mg_clerk_job *job, struct mg_db *db)
{
    struct mg_background *b = (struct mg_background *)job;
    struct mg_err err = MG_ERR_INIT;
    b->landed = db != NULL && close_with(b, db, &err) == 0;
    if (!b->landed)
        mg_warn("req=%s its end is not kept yet: %s", b->x->req->id_text, err.detail);
    mg_err_free(&err);
    mg_loop_post(b->x->loop, closed, b);
}

static void
submit_close(struct mg_background *b)
{
    b->busy = true;
    b->job.run = close_object;
    mg_clerks_do(b->x->app->clerks, &b->job);
}

void
mg_background_close(struct mg_exchange *x)
{
    struct mg_background *b = x->background;
    mg_timer_clear(x->loop, &b->timer);
    if (!b->busy)
        submit_close(b);
}
