#include "infer/follow.h"

#include "base/alloc.h"
#include "base/log.h"
#include "http/reply.h"
#include "http/stream.h"
#include "json/writer.h"
#include "store/running.h"
#include "wire/inspect.h"
#include "wire/replay.h"
#include "wire/sse.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>

#define FOLLOWERS 256
#define SOON_MS 150   /* while events come */
#define LATER_MS 400  /* while none do */
#define BYTES_MAX ((size_t)64 << 20)
#define ROUND_MAX ((size_t)20 << 20) /* of one look: a piece is at most 16 MB */
#define FULL ((size_t)256 * 1024)    /* waits for a slow client: nothing more is read */

struct follower {
    struct mg_clerk_job job;  /* first: its address is ours */
    struct mg_app *app;
    struct mg_loop *loop;
    struct mg_request *req;
    struct mg_stream *stream;
    struct mg_watch watch;
    struct mg_timer timer;
    struct mg_object object;
    unsigned piece;
    int64_t after, last_write_ms;
    struct mg_str out;        /* read, not yet sent */
    bool terminal;            /* the last event is in `out`, or was */
    bool busy, gone;
};

static atomic_uint followers;

static void
free_follower(struct follower *f)
{
    struct mg_app *app = f->app;
    mg_watch_clear(f->loop, &f->watch);
    mg_timer_clear(f->loop, &f->timer);
    mg_stream_close(&f->stream);
    mg_request_free(&f->req);
    mg_str_free(&f->out);
    free(f);
    atomic_fetch_sub(&followers, 1);
    atomic_fetch_sub(&app->active, 1);
}

/* ---- a clerk reads ---- */

/* Notes how far the events go and whether they are all. */
static void
note(struct follower *f)
{
    struct mg_sse sse;
    struct mg_sse_event event;
    struct mg_inspection seen;
    mg_sse_init(&sse);
    if (mg_sse_feed(&sse, f->out.p, f->out.len)) {
        while (mg_sse_next(&sse, true, &event)) {
            if (event.data.n == 0 || !mg_inspect_event(MG_RESPONSES, event.data, &seen))
                continue;
            if (seen.sequence > f->after)
                f->after = seen.sequence;
            f->terminal |= seen.terminal;
        }
    }
    mg_sse_free(&sse);
}

/* 1 when something was read. */
static int
read_pieces(struct follower *f, struct mg_db *db, struct mg_err *err)
{
    struct mg_str raw;
    mg_str_init(&raw, ROUND_MAX);
    int found = mg_body_events(db, f->object.seq, &f->piece, f->after, &raw, err);
    if (found == 1 && mg_replay_events(mg_str_span(&raw), f->after, &f->out) != 0)
        found = mg_err_internal(err, "stored events cannot be read");
    mg_str_free(&raw);
    if (found == 1)
        note(f);
    return found;
}

/* The end of a stream that has none: its process was killed, and what it said last is not the
 * end. */
static int
make_end(struct follower *f, struct mg_db *db, struct mg_err *err)
{
    const char *type = f->object.state == MG_OBJECT_COMPLETED ? "response.completed"
                       : f->object.state == MG_OBJECT_FAILED  ? "response.failed"
                                                              : "response.incomplete";
    struct mg_str reply;
    mg_str_init(&reply, ROUND_MAX);
    int found = mg_body_get(db, f->object.seq, MG_BODY_REPLY, &reply, err);
    if (found == 1 && mg_running_show(&f->object, &reply)) {
        struct mg_jw w;
        mg_str_addf(&f->out, "event: %s\ndata: ", type);
        mg_jw_init(&w, &f->out);
        mg_jw_object(&w, NULL);
        mg_jw_string(&w, "type", type);
        mg_jw_int(&w, "sequence_number", f->after + 1);
        mg_jw_raw(&w, "response", mg_str_span(&reply));
        mg_jw_end(&w);
        mg_str_addz(&f->out, "\n\n");
    }
    f->terminal = true;
    mg_str_free(&reply);
    return found < 0 ? -1 : 0;
}

static int
look(struct follower *f, struct mg_db *db, struct mg_err *err)
{
    int found = read_pieces(f, db, err);
    if (found != 0)
        return found;
    int there = mg_object_find(db, f->object.account_id, f->object.kind, f->object.id, &f->object,
                               err);
    if (there <= 0) {
        f->terminal = there == 0; /* deleted meanwhile */
        return there;
    }
    if (mg_running_check(db, &f->object, err) != 0)
        return -1;
    if (!mg_object_is_final(f->object.state))
        return 0;
    found = read_pieces(f, db, err); /* it may have ended between the two looks */
    return found != 0 || f->terminal ? found : make_end(f, db, err);
}

static void answer(void *arg);

static void
run(struct mg_clerk_job *job, struct mg_db *db)
{
    struct follower *f = (struct follower *)job;
    struct mg_err err = MG_ERR_INIT;
    if (db != NULL && look(f, db, &err) < 0)
        mg_warn("req=%s cannot follow %s: %s", f->req->id_text, f->object.id, err.detail);
    mg_err_free(&err);
    mg_loop_post(f->loop, answer, f);
}

/* ---- the loop sends ---- */

static void on_client(void *arg, uint32_t events);

static void
watch(struct follower *f)
{
    uint32_t events = EPOLLIN | EPOLLRDHUP;
    if (f->gone || mg_stream_finished(f->stream))
        return;
    if (mg_stream_wants_write(f->stream))
        events |= EPOLLOUT;
    (void)mg_watch_set(f->loop, &f->watch, mg_stream_fd(f->stream), events, on_client, f);
}

/* True when it is over and was freed. */
static bool
end_if_over(struct follower *f)
{
    if (f->busy || !(f->gone || mg_stream_finished(f->stream)))
        return false;
    free_follower(f);
    return true;
}

static void
ask(void *arg)
{
    struct follower *f = arg;
    if (f->gone || f->busy || mg_stream_pending(f->stream) > FULL) {
        if (!f->gone && !f->busy)
            mg_timer_set(f->loop, &f->timer, LATER_MS, ask, f);
        return;
    }
    f->busy = true;
    f->job.run = run;
    mg_clerks_do(f->app->clerks, &f->job);
}

/* As mg_pass_keepalive: no event comes before the first. */
static void
keep_alive(struct follower *f)
{
    if (f->out.len == 0 && mg_loop_now(f->loop) - f->last_write_ms >= f->app->conf->keepalive_ms)
        mg_str_addz(&f->out, f->after < 0 ? ": keep-alive\n\n"
                                          : "event: keepalive\ndata: {\"type\":\"keepalive\"}\n\n");
}

/* Back on the loop with what was read. */
static void
answer(void *arg)
{
    struct follower *f = arg;
    f->busy = false;
    bool fresh = f->out.len > 0;
    if (!f->terminal)
        keep_alive(f);
    if (!f->gone && f->out.len > 0) {
        f->gone = mg_stream_write(f->stream, f->out.p, f->out.len) != 0;
        f->last_write_ms = mg_loop_now(f->loop);
    }
    mg_str_reset(&f->out);
    if (!f->gone && f->terminal)
        f->gone = mg_stream_finish(f->stream) != 0;
    if (end_if_over(f))
        return;
    watch(f);
    if (!f->terminal)
        mg_timer_set(f->loop, &f->timer, fresh ? SOON_MS : LATER_MS, ask, f);
}

static void
on_client(void *arg, uint32_t events)
{
    struct follower *f = arg;
    if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR) && mg_stream_gone(f->stream))
        f->gone = true;
    if (!f->gone && events & EPOLLOUT && mg_stream_flush(f->stream) != 0)
        f->gone = true;
    if (f->gone)
        mg_watch_clear(f->loop, &f->watch);
    if (!end_if_over(f))
        watch(f);
}

static void
begin(void *arg)
{
    struct follower *f = arg;
    f->last_write_ms = mg_loop_now(f->loop);
    f->gone = mg_stream_head(f->stream, 200, MG_TYPE_EVENTS, -1) != 0;
    if (end_if_over(f))
        return;
    watch(f);
    ask(f);
}

int
mg_follow(struct mg_app *app, struct mg_request *req, const struct mg_object *object,
          int64_t after, struct mg_err *err)
{
    if (atomic_fetch_add(&followers, 1) >= FOLLOWERS) {
        atomic_fetch_sub(&followers, 1);
        mg_err_set(err, 503, "unavailable",
                   "Too many running responses are followed here. Please try again in 5s.");
        err->retry_after_s = 5;
        return -1;
    }
    struct follower *f = mg_calloc(1, sizeof(*f));
    atomic_fetch_add(&app->active, 1);
    f->app = app;
    f->req = req;
    f->object = *object;
    f->after = after;
    f->loop = app->loops[atomic_fetch_add(&app->next_loop, 1) % app->loop_count];
    mg_str_init(&f->out, BYTES_MAX);
    f->stream = mg_stream_open(req, BYTES_MAX);
    mg_loop_post(f->loop, begin, f);
    return 0;
}
