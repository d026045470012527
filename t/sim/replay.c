#include "replay.h"

#include "codec.h"
#include "mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* One queued reply. spec is the description itself; the bytes were decoded once. */
struct replay {
    struct replay *next;
    struct json_object *spec;
    struct sim_buf body;
    size_t *end; /* body offset after each given event, or NULL */
    size_t events;
    int64_t left; /* requests that it still answers */
};

static struct {
    pthread_mutex_t lock;
    struct replay *first;
    size_t count;
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void free_replay(struct replay *p)
{
    json_object_put(p->spec);
    sim_buf_free(&p->body);
    free(p->end);
    free(p);
}

static void add_event(struct sim_reply *r, const struct sim_cmd *plain, const char *framing,
                      struct json_object *event)
{
    const char *name = strcmp(framing, "chat") == 0 ? NULL : sim_js_str(event, "type");
    const char *text = json_object_is_type(event, json_type_string)
                           ? json_object_get_string(event)
                           : sim_js_text(event);

    sim_sse_add(r, plain, name, text, strlen(text));
}

/* events: […] with framing chat|messages|responses becomes an event stream. */
static void frame_events(struct replay *p, struct json_object *events, const char *framing)
{
    struct sim_reply r;
    struct sim_cmd plain;
    size_t i;

    sim_reply_init(&r);
    sim_cmd_init(&plain);
    for (i = 0; i < sim_js_len(events); i++) {
        add_event(&r, &plain, framing, sim_js_at(events, i));
    }
    if (strcmp(framing, "chat") == 0 && sim_js_bool(p->spec, "done", true)) {
        sim_sse_add(&r, &plain, NULL, "[DONE]", 6);
    }
    p->body = r.body;
    p->end = r.end;
    p->events = r.events;
    sim_buf_free(&r.head);
}

static const char *read_body(struct replay *p)
{
    struct json_object *body = sim_js_get(p->spec, "body");
    const char *coded = sim_js_str(p->spec, "body_base64");
    const char *framing = sim_js_str(p->spec, "framing");

    if (sim_js_get(p->spec, "events")) {
        frame_events(p, sim_js_get(p->spec, "events"), framing ? framing : "messages");
    } else if (coded) {
        if (sim_base64_decode(&p->body, coded, strlen(coded))) {
            return "body_base64 is not base64";
        }
    } else if (json_object_is_type(body, json_type_string)) {
        sim_buf_add(&p->body, json_object_get_string(body),
                    (size_t)json_object_get_string_len(body));
    } else if (body) {
        sim_buf_puts(&p->body, sim_js_text(body));
    }
    return NULL;
}

const char *sim_replay_add(struct json_object *o)
{
    struct replay *p;
    struct replay **at;
    const char *err;

    if (!json_object_is_type(o, json_type_object)) {
        return "a replay is a JSON object";
    }
    p = sim_alloc(sizeof *p);
    p->spec = json_object_get(o);
    p->left = sim_js_int(o, "count", 1);
    err = read_body(p);
    if (err) {
        free_replay(p);
        return err;
    }
    pthread_mutex_lock(&queue.lock);
    for (at = &queue.first; *at; at = &(*at)->next) {
    }
    *at = p;
    queue.count++;
    pthread_mutex_unlock(&queue.lock);
    return NULL;
}

static bool fits(const struct replay *p, const struct sim_request *req)
{
    const char *path = sim_js_str(p->spec, "path");
    const char *match = sim_js_str(p->spec, "match");

    return (!path || strcmp(path, req->path) == 0) &&
           (!match || memmem(req->body, req->body_len, match, strlen(match)));
}

/* headers as an object, or as a list of [name, value]. */
static void put_headers(struct sim_reply *r, struct json_object *headers)
{
    size_t i;

    for (i = 0; i < sim_js_len(headers); i++) {
        const char *name = json_object_get_string(sim_js_at(sim_js_at(headers, i), 0));
        const char *value = json_object_get_string(sim_js_at(sim_js_at(headers, i), 1));

        if (name && value) {
            sim_reply_header(r, name, value);
        }
    }
    if (json_object_is_type(headers, json_type_object)) {
        json_object_object_foreach(headers, key, value) {
            const char *text = json_object_get_string(value);

            sim_reply_header(r, key, text ? text : "");
        }
    }
}

/* Write sizes: chunks: [n, …] (the last one again and again), else one write an event. */
static void put_writes(struct sim_reply *r, const struct replay *p)
{
    struct json_object *chunks = sim_js_get(p->spec, "chunks");
    size_t pos = 0;
    size_t i;

    if (!sim_js_len(chunks)) {
        for (i = 0; i < p->events; i++) {
            size_t all = r->body.len;

            r->body.len = p->end[i];
            sim_reply_mark(r);
            r->body.len = all;
        }
        return;
    }
    for (i = 0; pos < p->body.len; i++) {
        size_t k = i < sim_js_len(chunks) ? i : sim_js_len(chunks) - 1;
        int64_t n = json_object_get_int64(sim_js_at(chunks, k));
        size_t all = r->body.len;

        n = n > 0 ? n : 1;
        pos = (size_t)n < p->body.len - pos ? pos + (size_t)n : p->body.len;
        r->body.len = pos;
        sim_reply_mark(r);
        r->body.len = all;
    }
}

/* delays: [ms, …], the last one again and again. */
static void put_delays(struct sim_reply *r, struct json_object *delays)
{
    size_t n = sim_js_len(delays);
    size_t i;

    if (!n || !r->events) {
        return;
    }
    r->pause = sim_alloc(r->events * sizeof *r->pause);
    for (i = 0; i < r->events; i++) {
        r->pause[i] = json_object_get_int64(sim_js_at(delays, i < n ? i : n - 1));
    }
}

static void put_end(struct sim_reply *r, const struct replay *p)
{
    const char *end = sim_js_str(p->spec, "end");

    if (!end) {
        return;
    }
    r->stop_at = r->body.len;
    r->stop = strcmp(end, "cut") == 0     ? SIM_STOP_CUT
              : strcmp(end, "reset") == 0 ? SIM_STOP_RESET
              : strcmp(end, "hold") == 0  ? SIM_STOP_SILENCE
                                          : SIM_STOP_NONE;
}

static void fill(struct sim_reply *r, const struct replay *p)
{
    struct json_object *spec = p->spec;

    sim_reply_init(r);
    r->status = (int)sim_js_int(spec, "status", 200);
    r->type = NULL;
    put_headers(r, sim_js_get(spec, "headers"));
    if (!strcasestr(r->head.p ? sim_buf_cstr(&r->head) : "", "content-type:")) {
        r->type = p->events ? "text/event-stream; charset=utf-8" : "application/json";
    }
    sim_buf_add(&r->body, p->body.p, p->body.len);
    r->raw = sim_js_bool(spec, "raw", false);
    r->close = sim_js_bool(spec, "close", r->raw);
    r->stream = sim_js_bool(spec, "stream",
                            p->events > 0 || sim_js_len(sim_js_get(spec, "chunks")));
    r->delay = sim_js_int(spec, "delay", 0);
    r->first = sim_js_int(spec, "first", 0);
    r->gap = sim_js_int(spec, "gap", 0);
    r->chunk = sim_js_int(spec, "chunk", 0);
    r->per_write = sim_js_int(spec, "events_per_write", p->events ? 0 : 1);
    put_writes(r, p);
    put_delays(r, sim_js_get(spec, "delays"));
    put_end(r, p);
}

bool sim_replay_take(struct sim_reply *r, const struct sim_request *req)
{
    struct replay **at;
    struct replay *p;
    bool found = false;

    pthread_mutex_lock(&queue.lock);
    for (at = &queue.first; *at && !fits(*at, req); at = &(*at)->next) {
    }
    p = *at;
    if (p) {
        found = true;
        fill(r, p);
        if (--p->left <= 0) {
            *at = p->next;
            queue.count--;
            free_replay(p);
        }
    }
    pthread_mutex_unlock(&queue.lock);
    return found;
}

size_t sim_replay_count(void)
{
    size_t n;

    pthread_mutex_lock(&queue.lock);
    n = queue.count;
    pthread_mutex_unlock(&queue.lock);
    return n;
}

void sim_replay_clear(void)
{
    pthread_mutex_lock(&queue.lock);
    while (queue.first) {
        struct replay *p = queue.first;

        queue.first = p->next;
        free_replay(p);
    }
    queue.count = 0;
    pthread_mutex_unlock(&queue.lock);
}
