#include "reply.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

void sim_reply_init(struct sim_reply *r)
{
    memset(r, 0, sizeof *r);
    r->status = 200;
    r->type = "application/json";
    r->claim = -1;
    r->silence = -1;
}

void sim_reply_free(struct sim_reply *r)
{
    sim_buf_free(&r->head);
    sim_buf_free(&r->body);
    free(r->end);
    free(r->pause);
    r->end = NULL;
    r->pause = NULL;
    r->events = r->cap = 0;
}

void sim_reply_header(struct sim_reply *r, const char *name, const char *value)
{
    const char *s;

    sim_buf_puts(&r->head, name);
    sim_buf_puts(&r->head, ": ");
    for (s = value; *s; s++) {
        if (*s != '\r' && *s != '\n') {
            sim_buf_add(&r->head, s, 1);
        }
    }
    sim_buf_puts(&r->head, "\r\n");
}

void sim_reply_mark(struct sim_reply *r)
{
    if (r->events == r->cap) {
        r->cap = r->cap ? r->cap * 2 : 16;
        r->end = sim_resize(r->end, r->cap * sizeof *r->end);
    }
    r->end[r->events++] = r->body.len;
}

static int64_t or_zero(int64_t v)
{
    return v > 0 ? v : 0;
}

void sim_reply_script(struct sim_reply *r, const struct sim_cmd *c)
{
    int i;

    r->delay = or_zero(c->delay);
    r->first = or_zero(c->first);
    r->gap = or_zero(c->gap);
    r->chunk = or_zero(c->chunk);
    r->chunk_gap = or_zero(c->chunk_gap);
    r->per_write = or_zero(c->events_per_write);
    r->close = c->close > 0;
    for (i = 0; i < c->hdrs; i++) {
        sim_reply_header(r, c->hdr_name[i], c->hdr_value[i]);
    }
}

/* Deflates body[from, to) to out and flushes it whole. */
static void deflate_piece(z_stream *z, struct sim_buf *out, struct sim_buf *body, size_t from,
                          size_t to, int flush)
{
    z->next_in = (Bytef *)body->p + from;
    z->avail_in = (uInt)(to - from);
    do {
        sim_buf_reserve(out, 4096);
        z->next_out = (Bytef *)out->p + out->len;
        z->avail_out = (uInt)(out->cap - out->len);
        deflate(z, flush);
        out->len = out->cap - z->avail_out;
    } while (z->avail_out == 0);
}

void sim_reply_gzip(struct sim_reply *r)
{
    enum { GZIP_WINDOW = 15 + 16, MEMORY = 8 };
    struct sim_buf out = {0};
    size_t from = 0;
    size_t stop_at = r->stop_at;
    z_stream z;
    size_t i;

    memset(&z, 0, sizeof z);
    if (deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW, MEMORY, Z_DEFAULT_STRATEGY)) {
        return;
    }
    for (i = 0; i < r->events; i++) {
        bool last = i + 1 == r->events && r->end[i] == r->body.len;

        deflate_piece(&z, &out, &r->body, from, r->end[i], last ? Z_FINISH : Z_SYNC_FLUSH);
        from = r->end[i];
        r->end[i] = out.len;
        if (r->stop && r->stop_at == from) {
            stop_at = out.len;
        }
    }
    if (!r->events || from < r->body.len) {
        deflate_piece(&z, &out, &r->body, from, r->body.len, Z_FINISH);
    }
    deflateEnd(&z);
    sim_buf_free(&r->body);
    r->body = out;
    r->stop_at = stop_at < out.len ? stop_at : out.len;
    sim_reply_header(r, "content-encoding", "gzip");
}
