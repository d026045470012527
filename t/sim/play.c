/* Plays a reply: which bytes are written when, and where it breaks. */
#include "conn.h"
#include "stats.h"

#include <errno.h>
#include <sys/socket.h>

enum { FLUSH_AT = 256 * 1024 };

static bool chunked(const struct sim_conn *c)
{
    return c->reply.stream && !c->reply.close && !c->reply.raw && c->req.keep_alive;
}

static void put_head(struct sim_conn *c)
{
    struct sim_reply *r = &c->reply;
    struct sim_buf *out = &c->out;

    if (r->raw) {
        return;
    }
    sim_buf_fmt(out, "HTTP/1.1 %d %s\r\nserver: mg-sim\r\n", r->status, sim_http_reason(r->status));
    if (r->type) {
        sim_buf_puts(out, "content-type: ");
        sim_buf_puts(out, r->type);
        sim_buf_puts(out, "\r\n");
    }
    sim_buf_add(out, r->head.p, r->head.len);
    if (!r->stream) {
        sim_buf_fmt(out, "content-length: %lld\r\n",
                    r->claim >= 0 ? (long long)r->claim : (long long)r->body.len);
    } else if (chunked(c)) {
        sim_buf_puts(out, "transfer-encoding: chunked\r\n");
    }
    if (r->close || !c->req.keep_alive) {
        sim_buf_puts(out, "connection: close\r\n");
    }
    sim_buf_puts(out, "\r\n");
}

void sim_play_begin(struct sim_conn *c)
{
    c->playing = c->finished = false;
    c->pos = 0;
    c->event = 0;
    c->due = c->loop->now + c->reply.delay;
    if (c->reply.no_body) {
        c->reply.claim = (int64_t)c->reply.body.len;
        c->reply.body.len = 0;
        c->reply.events = 0;
    }
}

static bool has_own_writes(const struct sim_reply *r)
{
    return r->gap || r->per_write || r->pause;
}

/* Up to where the body may go now. */
static size_t limit_of(const struct sim_reply *r)
{
    return r->stop ? r->stop_at : r->body.len;
}

/* End of the group of events that is written together from pos on. */
static size_t group_end(const struct sim_conn *c)
{
    const struct sim_reply *r = &c->reply;
    size_t limit = limit_of(r);
    size_t step = r->per_write > 0 ? (size_t)r->per_write : 1;
    size_t last = c->event + step - 1;

    if (!has_own_writes(r) || last >= r->events) {
        return limit;
    }
    return r->end[last] < limit ? r->end[last] : limit;
}

static void write_piece(struct sim_conn *c, size_t n)
{
    if (chunked(c)) {
        sim_buf_fmt(&c->out, "%zx\r\n", n);
    }
    sim_buf_add(&c->out, c->reply.body.p + c->pos, n);
    if (chunked(c)) {
        sim_buf_puts(&c->out, "\r\n");
    }
    c->pos += n;
    while (c->event < c->reply.events && c->reply.end[c->event] <= c->pos) {
        c->event++;
    }
}

/* Writes the next piece of the body and sets when the one after it is due. */
static void advance(struct sim_conn *c)
{
    const struct sim_reply *r = &c->reply;
    size_t end = group_end(c);
    size_t n = end - c->pos;

    if (r->chunk && n > (size_t)r->chunk) {
        write_piece(c, (size_t)r->chunk);
        c->due += r->chunk_gap;
        return;
    }
    write_piece(c, n);
    if (r->pause) {
        c->due += c->event < r->events ? r->pause[c->event] : 0;
    } else {
        c->due += r->gap;
    }
}

/* The body has reached the place of its fault. */
static enum sim_play fault(struct sim_conn *c)
{
    struct sim_reply *r = &c->reply;

    if (r->stop != SIM_STOP_SILENCE) {
        return r->stop == SIM_STOP_RESET ? SIM_PLAY_RESET : SIM_PLAY_CLOSE;
    }
    if (r->silence >= 0) {
        r->stop = SIM_STOP_NONE;
        sim_loop_timer(c->loop, c, c->loop->now + r->silence);
    }
    return SIM_PLAY_WAIT;
}

/* The body has reached its end. */
static void finish(struct sim_conn *c)
{
    if (chunked(c)) {
        sim_buf_puts(&c->out, "0\r\n\r\n");
    }
    c->finished = true;
}

/* Sends what waits in out. Returns DONE when all is sent. */
static enum sim_play flush(struct sim_conn *c)
{
    while (c->out_at < c->out.len) {
        ssize_t n = send(c->fd, c->out.p + c->out_at, c->out.len - c->out_at, MSG_NOSIGNAL);

        if (n < 0) {
            return errno == EAGAIN || errno == EINTR ? SIM_PLAY_WAIT : SIM_PLAY_GONE;
        }
        c->out_at += (size_t)n;
        sim_stats_add(SIM_STAT_BYTES_OUT, n);
    }
    c->out.len = c->out_at = 0;
    return SIM_PLAY_DONE;
}

/* Writes the head, or gives up when the script wants no reply at all. */
static enum sim_play begin(struct sim_conn *c)
{
    const struct sim_reply *r = &c->reply;

    if (r->stop == SIM_STOP_HANGUP || r->stop == SIM_STOP_ABORT) {
        return r->stop == SIM_STOP_ABORT ? SIM_PLAY_RESET : SIM_PLAY_CLOSE;
    }
    put_head(c);
    c->playing = true;
    c->due += r->pause ? r->pause[0] : r->first;
    return SIM_PLAY_DONE;
}

/* True when the next bytes may join those that wait in out. */
static bool may_join(const struct sim_conn *c)
{
    return !c->reply.chunk && !has_own_writes(&c->reply) && c->out.len < FLUSH_AT;
}

enum sim_play sim_play_step(struct sim_conn *c)
{
    enum sim_play play = SIM_PLAY_DONE;

    sim_loop_untimer(c->loop, c);
    while (play == SIM_PLAY_DONE) {
        bool at_end = c->playing && c->pos >= limit_of(&c->reply);
        bool clean = c->reply.stop == SIM_STOP_NONE || c->reply.stop == SIM_STOP_END;
        bool early = c->due > c->loop->now;

        if (at_end && clean && !c->finished) {
            finish(c);
        }
        if ((at_end || early || !may_join(c)) && (play = flush(c)) != SIM_PLAY_DONE) {
            return play;
        }
        if (c->finished) {
            return SIM_PLAY_DONE;
        }
        if (at_end) {
            return fault(c);
        }
        if (early) {
            sim_loop_timer(c->loop, c, c->due);
            return SIM_PLAY_WAIT;
        }
        if (!c->playing) {
            play = begin(c);
        } else {
            advance(c);
        }
    }
    return play;
}
