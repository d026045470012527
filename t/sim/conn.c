#include "conn.h"

#include "exchange.h"
#include "mem.h"
#include "stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_SIZE = 64 * 1024, KEEP_BUFFER = 1024 * 1024 };

struct sim_conn *sim_conn_new(struct sim_loop *loop, int fd)
{
    struct sim_conn *c = sim_alloc(sizeof *c);

    c->loop = loop;
    c->fd = fd;
    c->next = loop->conns;
    if (c->next) {
        c->next->prev = c;
    }
    loop->conns = c;
    sim_stats_add(SIM_STAT_CONNECTIONS_OPEN, 1);
    sim_stats_add(SIM_STAT_CONNECTIONS_TOTAL, 1);
    return c;
}

void sim_conn_free(struct sim_conn *c)
{
    sim_loop_untimer(c->loop, c);
    if (c->next) {
        c->next->prev = c->prev;
    }
    if (c->prev) {
        c->prev->next = c->next;
    } else {
        c->loop->conns = c->next;
    }
    close(c->fd);
    sim_buf_free(&c->in);
    sim_buf_free(&c->out);
    sim_http_free(&c->req);
    sim_reply_free(&c->reply);
    free(c);
    sim_stats_add(SIM_STAT_CONNECTIONS_OPEN, -1);
}

/* Books the end of the reply in hand. */
static void end_reply(struct sim_conn *c, enum sim_outcome outcome)
{
    static const enum sim_stat stat[] = {
        [SIM_OUTCOME_COMPLETE] = SIM_STAT_REPLIES_COMPLETE,
        [SIM_OUTCOME_BROKEN] = SIM_STAT_REPLIES_BROKEN,
        [SIM_OUTCOME_GONE] = SIM_STAT_CLIENT_GONE,
    };

    if (c->reply.stream) {
        sim_stats_add(SIM_STAT_STREAMS_OPEN, -1);
    }
    if (c->seq) {
        sim_stats_add(stat[outcome], 1);
        sim_recorder_end(c->seq, outcome, c->reply.status, c->pos, c->event);
    }
    sim_reply_free(&c->reply);
    c->seq = 0;
}

static void close_conn(struct sim_conn *c, bool reset)
{
    if (reset) {
        struct linger hard = { 1, 0 };

        setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    } else {
        shutdown(c->fd, SHUT_WR);
    }
    c->state = SIM_CONN_CLOSED;
}

static void trim(struct sim_buf *b)
{
    if (!b->len && b->cap > KEEP_BUFFER) {
        sim_buf_free(b);
    }
}

/* Goes on with the reply. Returns true when the connection is ready for the next request. */
static bool play(struct sim_conn *c)
{
    enum sim_play result = sim_play_step(c);
    bool last;

    if (result == SIM_PLAY_WAIT) {
        return false;
    }
    if (result != SIM_PLAY_DONE) {
        end_reply(c, result == SIM_PLAY_GONE ? SIM_OUTCOME_GONE : SIM_OUTCOME_BROKEN);
        close_conn(c, result == SIM_PLAY_RESET);
        return false;
    }
    last = c->reply.close || !c->req.keep_alive;
    end_reply(c, SIM_OUTCOME_COMPLETE);
    if (last) {
        close_conn(c, false);
        return false;
    }
    sim_buf_drop(&c->in, c->req.used);
    sim_http_next(&c->req);
    c->told = false;
    trim(&c->in);
    trim(&c->out);
    trim(&c->req.chunks);
    c->state = SIM_CONN_READING;
    return true;
}

/* Answers a request that could not be read, and closes after it. */
static void refuse(struct sim_conn *c, int status)
{
    c->req.keep_alive = false;
    sim_reply_init(&c->reply);
    c->reply.status = status;
    sim_buf_puts(&c->reply.body, "{\"error\":{\"message\":\"bad HTTP request\"}}");
}

static void tell_continue(struct sim_conn *c)
{
    static const char line[] = "HTTP/1.1 100 Continue\r\n\r\n";

    if (c->req.expects && !c->told && c->req.state != SIM_HTTP_HEAD) {
        c->told = true;
        if (send(c->fd, line, sizeof line - 1, MSG_NOSIGNAL) < 0) {
            close_conn(c, false);
        }
    }
}

/* Serves every request that is whole in the input. */
static void serve(struct sim_conn *c)
{
    bool more = true;

    while (more && c->state == SIM_CONN_READING) {
        int got = sim_http_read(&c->req, &c->in);

        if (got == 0) {
            tell_continue(c);
            return;
        }
        if (got == 1) {
            sim_reply_init(&c->reply);
            c->seq = sim_exchange(&c->reply, &c->req);
        } else {
            refuse(c, got);
        }
        c->state = SIM_CONN_REPLYING;
        if (c->reply.stream) {
            sim_stats_add(SIM_STAT_STREAMS_OPEN, 1);
        }
        sim_play_begin(c);
        more = play(c);
    }
}

/* Reads and serves until the kernel has no more, or a reply is on its way. */
static void input(struct sim_conn *c)
{
    while (c->state == SIM_CONN_READING && c->unread) {
        size_t want = c->in.len >= READ_SIZE ? READ_SIZE * 8 : READ_SIZE;
        ssize_t n;

        sim_buf_reserve(&c->in, want);
        n = recv(c->fd, c->in.p + c->in.len, want, 0);
        if (n > 0) {
            c->in.len += (size_t)n;
            c->unread = (size_t)n == want || c->hung_up;
            sim_stats_add(SIM_STAT_BYTES_IN, n);
            serve(c);
        } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
            close_conn(c, false);
        } else {
            c->unread = errno == EINTR;
        }
    }
}

static void gone(struct sim_conn *c)
{
    if (c->state == SIM_CONN_REPLYING) {
        end_reply(c, SIM_OUTCOME_GONE);
    }
    c->state = SIM_CONN_CLOSED;
}

void sim_conn_event(struct sim_conn *c, uint32_t events)
{
    if (events & EPOLLIN) {
        c->unread = true;
    }
    if (events & (EPOLLHUP | EPOLLERR)) {
        gone(c);
        return;
    }
    c->hung_up = c->hung_up || (events & EPOLLRDHUP);
    if (c->state == SIM_CONN_REPLYING && !c->hung_up && (events & EPOLLOUT) && play(c)) {
        serve(c);
    }
    input(c);
    if (c->state == SIM_CONN_REPLYING && c->hung_up) {
        gone(c);
    }
}

void sim_conn_timer(struct sim_conn *c)
{
    if (c->state == SIM_CONN_REPLYING && play(c)) {
        serve(c);
        input(c);
    }
}
