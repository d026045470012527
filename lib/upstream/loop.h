/* An event loop: one thread that waits for many descriptors, timers and posted calls.
 *
 * Nothing in a loop may block: no database, no lock held across I/O, no large parse. Only
 * mg_loop_post, _halt and _stop may be called from other threads; everything else belongs to
 * the loop's own thread. Watches and timers live inside the caller's structures and cost no
 * allocation. */
#ifndef MG_UPSTREAM_LOOP_H
#define MG_UPSTREAM_LOOP_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mg_loop;

typedef void mg_loop_fn(void *arg);

/* Starts a loop and its thread. NULL with err when the system gives no descriptors. */
struct mg_loop *mg_loop_new(const char *name, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Ends the thread after the calls already posted, cancels transfers without their callbacks.
 * What is posted from then on is never called, but may be posted: by whoever still answers to
 * the loop and is stopped after it. From another thread, once. */
void mg_loop_halt(struct mg_loop *loop) __attribute__((nonnull));
/* Halts it, unless it is halted already, and frees it. From another thread, once. */
void mg_loop_stop(struct mg_loop **loop) __attribute__((nonnull));

/* Has `fn(arg)` called on the loop's thread, in the order of posting. From any thread. */
void mg_loop_post(struct mg_loop *loop, mg_loop_fn *fn, void *arg)
    __attribute__((nonnull(1, 2)));
/* True on the loop's own thread. */
bool mg_loop_here(const struct mg_loop *loop) __attribute__((nonnull));
/* Monotonic ms, read once per turn of the loop. */
int64_t mg_loop_now(const struct mg_loop *loop) __attribute__((nonnull));

/* A one-shot timer, zero-initialised by its owner, who clears it before freeing it. */
struct mg_timer {
    mg_loop_fn *fn;
    void *arg;
    int64_t due;     /* monotonic ms */
    size_t place;    /* 1 + index in the loop's heap; 0 = not set */
};

/* Calls fn(arg) once in `ms` milliseconds (0: next turn). Setting again moves it. */
void mg_timer_set(struct mg_loop *loop, struct mg_timer *timer, int64_t ms, mg_loop_fn *fn,
                  void *arg) __attribute__((nonnull(1, 2, 4)));
/* Forgets it; harmless when it is not set. */
void mg_timer_clear(struct mg_loop *loop, struct mg_timer *timer) __attribute__((nonnull));

/* A watched descriptor, zero-initialised by its owner. `events` are epoll's (EPOLLIN,
 * EPOLLOUT, EPOLLRDHUP), level-triggered. */
typedef void mg_watch_fn(void *arg, uint32_t events);
struct mg_watch {
    mg_watch_fn *fn;
    void *arg;
    int fd;
    uint32_t events;
    bool set;
};

/* Watches fd, or changes the events of a watch that is set (no system call when they are the
 * same). 0, or -1 when the system refuses. */
int mg_watch_set(struct mg_loop *loop, struct mg_watch *watch, int fd, uint32_t events,
                 mg_watch_fn *fn, void *arg) __attribute__((nonnull(1, 2, 5)));
/* Stops watching; before the descriptor is closed and before the owner is freed. No event of
 * this watch is delivered afterwards, not even one that was already collected. */
void mg_watch_clear(struct mg_loop *loop, struct mg_watch *watch) __attribute__((nonnull));

/* One thing that belongs to the loop and is freed on its thread when it stops: the transfers'
 * common state. */
void *mg_loop_attached(const struct mg_loop *loop) __attribute__((nonnull));
void mg_loop_attach(struct mg_loop *loop, void *thing, mg_loop_fn *release)
    __attribute__((nonnull));

#endif
