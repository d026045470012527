#include "upstream/loop.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define EVENTS 256
#define WAIT_MAX_MS 60000

struct posted {
    mg_loop_fn *fn;
    void *arg;
};

struct posts {
    struct posted *item;
    size_t count, room;
};

struct mg_loop {
    pthread_t thread;
    int epoll, wake;
    int64_t now;
    bool stopping, halted; /* the thread is to end; has ended */

    pthread_mutex_t lock;  /* guards `inbox` alone */
    struct posts inbox, work; /* filled by others; being worked through */

    struct mg_timer **heap; /* the earliest first; heap[i] is due no later than its children */
    size_t timers, heap_room;

    struct epoll_event event[EVENTS]; /* the batch at hand: at < count still to be delivered */
    int event_at, event_count;

    void *attached;
    mg_loop_fn *release;
};

/* --- timers --- */

static void
place(struct mg_loop *loop, size_t at, struct mg_timer *timer)
{
    loop->heap[at] = timer;
    timer->place = at + 1;
}

static void
sift_up(struct mg_loop *loop, size_t at, struct mg_timer *timer)
{
    for (; at > 0 && loop->heap[(at - 1) / 2]->due > timer->due; at = (at - 1) / 2)
        place(loop, at, loop->heap[(at - 1) / 2]);
    place(loop, at, timer);
}

static void
sift_down(struct mg_loop *loop, size_t at, struct mg_timer *timer)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= loop->timers)
            break;
        if (child + 1 < loop->timers && loop->heap[child + 1]->due < loop->heap[child]->due)
            child++;
        if (loop->heap[child]->due >= timer->due)
            break;
        place(loop, at, loop->heap[child]);
        at = child;
    }
    place(loop, at, timer);
}

static void
settle(struct mg_loop *loop, size_t at, struct mg_timer *timer)
{
    if (at > 0 && loop->heap[(at - 1) / 2]->due > timer->due)
        sift_up(loop, at, timer);
    else
        sift_down(loop, at, timer);
}

void
mg_timer_set(struct mg_loop *loop, struct mg_timer *timer, int64_t ms, mg_loop_fn *fn, void *arg)
{
    timer->fn = fn;
    timer->arg = arg;
    timer->due = loop->now + (ms > 0 ? ms : 0);
    if (timer->place != 0) {
        settle(loop, timer->place - 1, timer);
        return;
    }
    if (loop->timers == loop->heap_room) {
        loop->heap_room = loop->heap_room ? loop->heap_room * 2 : 64;
        loop->heap = mg_realloc(loop->heap, loop->heap_room * sizeof(struct mg_timer *));
    }
    sift_up(loop, loop->timers++, timer);
}

void
mg_timer_clear(struct mg_loop *loop, struct mg_timer *timer)
{
    if (timer->place == 0)
        return;
    size_t at = timer->place - 1;
    timer->place = 0;
    struct mg_timer *last = loop->heap[--loop->timers];
    if (last != timer)
        settle(loop, at, last);
}

/* A timer that is set again for "now" while this runs may come once more in this turn, but no
 * more timers run than there were, so that descriptors get their turn. */
static void
run_timers(struct mg_loop *loop)
{
    for (size_t most = loop->timers; most > 0 && loop->timers > 0; most--) {
        struct mg_timer *timer = loop->heap[0];
        if (timer->due > loop->now)
            return;
        mg_timer_clear(loop, timer);
        timer->fn(timer->arg);
    }
}

static int
next_wait(const struct mg_loop *loop)
{
    if (loop->timers == 0)
        return WAIT_MAX_MS;
    int64_t wait = loop->heap[0]->due - loop->now;
    return wait < 0 ? 0 : wait > WAIT_MAX_MS ? WAIT_MAX_MS : (int)wait;
}

/* --- descriptors --- */

int
mg_watch_set(struct mg_loop *loop, struct mg_watch *watch, int fd, uint32_t events,
             mg_watch_fn *fn, void *arg)
{
    struct epoll_event event = {.events = events, .data.ptr = watch};
    if (watch->set && watch->fd != fd)
        mg_watch_clear(loop, watch);
    watch->fn = fn;
    watch->arg = arg;
    if (watch->set && watch->events == events)
        return 0;
    if (epoll_ctl(loop->epoll, watch->set ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event) != 0)
        return -1;
    watch->fd = fd;
    watch->events = events;
    watch->set = true;
    return 0;
}

void
mg_watch_clear(struct mg_loop *loop, struct mg_watch *watch)
{
    if (!watch->set)
        return;
    watch->set = false;
    epoll_ctl(loop->epoll, EPOLL_CTL_DEL, watch->fd, NULL);
    for (int i = loop->event_at; i < loop->event_count; i++)
        if (loop->event[i].data.ptr == watch)
            loop->event[i].data.ptr = NULL;
}

static void
take_wake(struct mg_loop *loop)
{
    uint64_t count;
    ssize_t n = read(loop->wake, &count, sizeof(count));
    (void)n; /* only its being readable counts */
}

static void
deliver_events(struct mg_loop *loop)
{
    loop->event_at = 0;
    while (loop->event_at < loop->event_count) {
        struct epoll_event *event = &loop->event[loop->event_at++];
        struct mg_watch *watch = event->data.ptr;
        if (event->data.ptr == loop)
            take_wake(loop);
        else if (watch != NULL)
            watch->fn(watch->arg, event->events);
    }
    loop->event_at = loop->event_count = 0;
}

/* --- posts --- */

void
mg_loop_post(struct mg_loop *loop, mg_loop_fn *fn, void *arg)
{
    pthread_mutex_lock(&loop->lock);
    struct posts *box = &loop->inbox;
    if (box->count == box->room) {
        box->room = box->room ? box->room * 2 : 64;
        box->item = mg_realloc(box->item, box->room * sizeof(*box->item));
    }
    bool first = box->count == 0;
    box->item[box->count++] = (struct posted){fn, arg};
    pthread_mutex_unlock(&loop->lock);
    if (first) {
        uint64_t one = 1;
        ssize_t n = write(loop->wake, &one, sizeof(one));
        (void)n; /* it cannot be full: only the first post of a batch writes */
    }
}

static void
run_posts(struct mg_loop *loop)
{
    pthread_mutex_lock(&loop->lock);
    struct posts work = loop->inbox;
    loop->inbox = loop->work;
    loop->inbox.count = 0;
    pthread_mutex_unlock(&loop->lock);
    for (size_t i = 0; i < work.count; i++)
        work.item[i].fn(work.item[i].arg);
    loop->work = work;
}

/* --- the loop itself --- */

static void *
run(void *arg)
{
    struct mg_loop *loop = arg;
    while (!loop->stopping) {
        int n = epoll_wait(loop->epoll, loop->event, EVENTS, next_wait(loop));
        loop->event_count = n > 0 ? n : 0;
        loop->now = mg_mono_ms();
        deliver_events(loop);
        run_posts(loop);
        run_timers(loop);
    }
    if (loop->release != NULL)
        loop->release(loop->attached);
    return NULL;
}

static void
free_loop(struct mg_loop *loop)
{
    if (loop->epoll >= 0)
        close(loop->epoll);
    if (loop->wake >= 0)
        close(loop->wake);
    pthread_mutex_destroy(&loop->lock);
    free(loop->heap);
    free(loop->inbox.item);
    free(loop->work.item);
    free(loop);
}

struct mg_loop *
mg_loop_new(const char *name, struct mg_err *err)
{
    struct mg_loop *loop = mg_calloc(1, sizeof(*loop));
    pthread_mutex_init(&loop->lock, NULL);
    loop->now = mg_mono_ms();
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    loop->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = loop};
    int rc = 0;
    if (loop->epoll < 0 || loop->wake < 0
        || epoll_ctl(loop->epoll, EPOLL_CTL_ADD, loop->wake, &event) != 0
        || (rc = pthread_create(&loop->thread, NULL, run, loop)) != 0) {
        mg_err_internal(err, "cannot start event loop %s: %s", name, strerror(rc ? rc : errno));
        free_loop(loop);
        return NULL;
    }
    char short_name[16];
    snprintf(short_name, sizeof(short_name), "%s", name);
    pthread_setname_np(loop->thread, short_name);
    return loop;
}

static void
stop(void *arg)
{
    struct mg_loop *loop = arg;
    loop->stopping = true;
}

void
mg_loop_halt(struct mg_loop *loop)
{
    mg_loop_post(loop, stop, loop);
    pthread_join(loop->thread, NULL);
    loop->halted = true;
}

void
mg_loop_stop(struct mg_loop **loop)
{
    struct mg_loop *old = *loop;
    if (old == NULL)
        return;
    if (!old->halted)
        mg_loop_halt(old);
    free_loop(old);
    *loop = NULL;
}

bool
mg_loop_here(const struct mg_loop *loop)
{
    return pthread_equal(pthread_self(), loop->thread);
}

int64_t
mg_loop_now(const struct mg_loop *loop)
{
    return loop->now;
}

void *
mg_loop_attached(const struct mg_loop *loop)
{
    return loop->attached;
}

void
mg_loop_attach(struct mg_loop *loop, void *thing, mg_loop_fn *release)
{
    loop->attached = thing;
    loop->release = release;
}
