#include "loop.h"

#include "conn.h"
#include "mem.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 256 };

volatile sig_atomic_t sim_loop_stop;

static void place(struct sim_loop *loop, size_t i, struct sim_conn *c)
{
    loop->heap[i] = c;
    c->timer = i + 1;
}

static void sift_up(struct sim_loop *loop, size_t i)
{
    struct sim_conn *c = loop->heap[i];

    while (i && loop->heap[(i - 1) / 2]->due > c->due) {
        place(loop, i, loop->heap[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    place(loop, i, c);
}

static void sift_down(struct sim_loop *loop, size_t i)
{
    struct sim_conn *c = loop->heap[i];

    for (;;) {
        size_t k = 2 * i + 1;

        if (k + 1 < loop->timers && loop->heap[k + 1]->due < loop->heap[k]->due) {
            k++;
        }
        if (k >= loop->timers || loop->heap[k]->due >= c->due) {
            break;
        }
        place(loop, i, loop->heap[k]);
        i = k;
    }
    place(loop, i, c);
}

void sim_loop_untimer(struct sim_loop *loop, struct sim_conn *c)
{
    size_t i = c->timer - 1;
    struct sim_conn *last;

    if (!c->timer) {
        return;
    }
    c->timer = 0;
    last = loop->heap[--loop->timers];
    if (last != c) {
        place(loop, i, last);
        sift_up(loop, i);
        sift_down(loop, last->timer - 1);
    }
}

void sim_loop_timer(struct sim_loop *loop, struct sim_conn *c, int64_t due)
{
    sim_loop_untimer(loop, c);
    c->due = due;
    if (loop->timers == loop->cap) {
        loop->cap = loop->cap ? loop->cap * 2 : 64;
        loop->heap = sim_resize(loop->heap, loop->cap * sizeof *loop->heap);
    }
    loop->heap[loop->timers++] = c;
    sift_up(loop, loop->timers - 1);
}

static void accept_all(struct sim_loop *loop)
{
    int fd;

    while ((fd = accept4(loop->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        struct epoll_event ev = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET };
        int one = 1;

        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        ev.data.ptr = sim_conn_new(loop, fd);
        if (epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &ev)) {
            sim_conn_free(ev.data.ptr);
        }
    }
}

static void reap(struct sim_conn *c)
{
    if (c->state == SIM_CONN_CLOSED) {
        sim_conn_free(c);
    }
}

static void run_timers(struct sim_loop *loop)
{
    while (loop->timers && loop->heap[0]->due <= loop->now) {
        struct sim_conn *c = loop->heap[0];

        sim_loop_untimer(loop, c);
        sim_conn_timer(c);
        reap(c);
    }
}

/* Milliseconds until the next timer; also the longest time a stop request may go unseen. */
static int patience(const struct sim_loop *loop)
{
    enum { LONGEST = 500 };
    int64_t left = LONGEST;

    if (loop->timers) {
        left = loop->heap[0]->due - sim_clock_ms();
    }
    return left < 0 ? 0 : left > LONGEST ? LONGEST : (int)left;
}

static void run_round(struct sim_loop *loop)
{
    struct epoll_event ev[EVENTS];
    int n = epoll_wait(loop->epoll, ev, EVENTS, patience(loop));
    int i;

    loop->now = sim_clock_ms();
    for (i = 0; i < n; i++) {
        if (!ev[i].data.ptr) {
            accept_all(loop);
            continue;
        }
        sim_conn_event(ev[i].data.ptr, ev[i].events);
        reap(ev[i].data.ptr);
    }
    run_timers(loop);
}

void sim_loop_run(int listener)
{
    struct sim_loop loop = { .epoll = epoll_create1(EPOLL_CLOEXEC), .listener = listener };
    struct epoll_event ev = { .events = EPOLLIN | EPOLLEXCLUSIVE };

    if (loop.epoll < 0 || epoll_ctl(loop.epoll, EPOLL_CTL_ADD, listener, &ev)) {
        return;
    }
    while (!sim_loop_stop) {
        run_round(&loop);
    }
    while (loop.conns) {
        sim_conn_free(loop.conns);
    }
    free(loop.heap);
    close(loop.epoll);
}
