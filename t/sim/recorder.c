#include "recorder.h"

#include "codec.h"
#include "mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct record {
    uint64_t seq; /* 0: empty */
    int64_t began, ended;
    enum sim_outcome outcome;
    int status;
    size_t sent, events;
    struct sim_buf text; /* method, path, query, name and value of each header, each with NUL */
    int headers;
    struct sim_buf body;
};

static struct {
    pthread_mutex_t lock;
    struct record *ring;
    size_t count;
    size_t bytes, bytes_max;
    uint64_t next;
    uint64_t oldest;
} rec = { .lock = PTHREAD_MUTEX_INITIALIZER, .next = 1, .oldest = 1 };

int64_t sim_clock_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

void sim_recorder_setup(size_t count, size_t bytes)
{
    rec.count = count;
    rec.bytes_max = bytes;
    rec.ring = sim_alloc(count * sizeof *rec.ring);
}

static void put_text(struct sim_buf *b, const char *s)
{
    sim_buf_add(b, s, strlen(s) + 1);
}

/* Small buffers are kept for the next request of the same slot; large ones are given back. */
static void forget(struct record *r)
{
    rec.bytes -= r->body.len;
    r->seq = 0;
    r->text.len = 0;
    r->body.len = 0;
    if (r->body.cap > 64 * 1024) {
        sim_buf_free(&r->body);
    }
}

static void make_room(size_t bytes)
{
    while (rec.oldest < rec.next &&
           (rec.next - rec.oldest >= rec.count || rec.bytes + bytes > rec.bytes_max)) {
        struct record *r = &rec.ring[rec.oldest % rec.count];

        if (r->seq == rec.oldest) {
            forget(r);
        }
        rec.oldest++;
    }
}

uint64_t sim_recorder_add(const struct sim_request *req)
{
    struct record *r;
    uint64_t seq;
    int i;

    pthread_mutex_lock(&rec.lock);
    seq = rec.next;
    if (rec.count) {
        make_room(req->body_len);
        r = &rec.ring[seq % rec.count];
        r->seq = seq;
        r->began = sim_clock_ms();
        r->ended = 0;
        r->outcome = SIM_OUTCOME_OPEN;
        r->status = 0;
        r->sent = r->events = 0;
        put_text(&r->text, req->method);
        put_text(&r->text, req->path);
        put_text(&r->text, req->query);
        r->headers = req->headers;
        for (i = 0; i < req->headers; i++) {
            put_text(&r->text, req->header[i].name);
            put_text(&r->text, req->header[i].value);
        }
        sim_buf_add(&r->body, req->body, req->body_len);
        rec.bytes += req->body_len;
    }
    rec.next++;
    pthread_mutex_unlock(&rec.lock);
    return seq;
}

void sim_recorder_end(uint64_t seq, enum sim_outcome outcome, int status, size_t bytes,
                      size_t events)
{
    struct record *r;

    if (!rec.count) {
        return;
    }
    pthread_mutex_lock(&rec.lock);
    r = &rec.ring[seq % rec.count];
    if (r->seq == seq) {
        r->ended = sim_clock_ms();
        r->outcome = outcome;
        r->status = status;
        r->sent = bytes;
        r->events = events;
    }
    pthread_mutex_unlock(&rec.lock);
}

static const char *next_text(const char *s)
{
    return s + strlen(s) + 1;
}

static void put_headers(struct sim_buf *b, const struct record *r, const char *s)
{
    int i;

    sim_j_open(b, "headers", '[');
    for (i = 0; i < r->headers; i++) {
        sim_j_open(b, NULL, '[');
        sim_j_str(b, NULL, s);
        s = next_text(s);
        sim_j_str(b, NULL, s);
        s = next_text(s);
        sim_j_close(b, ']');
    }
    sim_j_close(b, ']');
}

static void put_record(struct sim_buf *b, const struct record *r)
{
    static const char *const outcomes[] = { "open", "complete", "broken", "client-gone" };
    const char *s = r->text.p;
    struct sim_buf coded = {0};

    sim_j_open(b, NULL, '{');
    sim_j_int(b, "seq", (int64_t)r->seq);
    sim_j_str(b, "method", s);
    s = next_text(s);
    sim_j_str(b, "path", s);
    s = next_text(s);
    sim_j_str(b, "query", s);
    put_headers(b, r, next_text(s));
    sim_base64_add(&coded, r->body.p, r->body.len);
    sim_j_text(b, "body_base64", coded.p, coded.len);
    if (sim_utf8_valid(r->body.p, r->body.len)) {
        sim_j_text(b, "body", r->body.p, r->body.len);
    } else {
        sim_j_null(b, "body");
    }
    sim_j_str(b, "outcome", outcomes[r->outcome]);
    sim_j_int(b, "status", r->status);
    sim_j_int(b, "sent_bytes", (int64_t)r->sent);
    sim_j_int(b, "sent_events", (int64_t)r->events);
    sim_j_int(b, "began_ms", r->began);
    if (r->ended) {
        sim_j_int(b, "took_ms", r->ended - r->began);
    } else {
        sim_j_null(b, "took_ms");
    }
    sim_j_close(b, '}');
    sim_buf_free(&coded);
}

static bool wanted(const struct record *r, uint64_t seq, const struct sim_recorder_query *q)
{
    if (r->seq != seq || seq <= q->since) {
        return false;
    }
    if (q->path && strcmp(q->path, next_text(r->text.p)) != 0) {
        return false;
    }
    return !q->match || (r->body.len && memmem(r->body.p, r->body.len, q->match,
                                               strlen(q->match)));
}

void sim_recorder_json(struct sim_buf *b, const struct sim_recorder_query *q)
{
    uint64_t seq;
    uint64_t from;
    long found = 0;

    pthread_mutex_lock(&rec.lock);
    from = rec.next;
    for (seq = rec.next; rec.count && seq-- > rec.oldest && (!q->last || found < q->last);) {
        if (wanted(&rec.ring[seq % rec.count], seq, q)) {
            from = seq;
            found++;
        }
    }
    sim_j_open(b, NULL, '{');
    sim_j_open(b, "requests", '[');
    for (seq = from; seq < rec.next; seq++) {
        if (wanted(&rec.ring[seq % rec.count], seq, q)) {
            put_record(b, &rec.ring[seq % rec.count]);
        }
    }
    sim_j_close(b, ']');
    sim_j_close(b, '}');
    pthread_mutex_unlock(&rec.lock);
}

void sim_recorder_clear(void)
{
    size_t i;

    pthread_mutex_lock(&rec.lock);
    for (i = 0; i < rec.count; i++) {
        if (rec.ring[i].seq) {
            forget(&rec.ring[i]);
        }
    }
    rec.oldest = rec.next;
    pthread_mutex_unlock(&rec.lock);
}
