/* The event loop: order of posts, timers, descriptors. */
#include "tap.h"

#include "base/clock.h"
#include "upstream/loop.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define TIMERS 3000

static struct mg_loop *loop;
static sem_t ready;

/* Runs fn on the loop and waits until it is through. */
struct call {
    mg_loop_fn *fn;
    void *arg;
};

static void
run_call(void *arg)
{
    struct call *call = arg;
    call->fn(call->arg);
    sem_post(&ready);
}

static void
on_loop(mg_loop_fn *fn, void *arg)
{
    struct call call = {fn, arg};
    mg_loop_post(loop, run_call, &call);
    sem_wait(&ready);
}

/* --- posts --- */

static int order[10000], ordered;
static int from[4]; /* last number seen of each thread */
static bool in_order = true, on_thread = true;

static void
note(void *arg)
{
    long n = (long)arg;
    on_thread &= mg_loop_here(loop);
    in_order &= n % 10000 == from[n / 10000];
    from[n / 10000]++;
    order[ordered++ % 10000] = (int)n;
}

static void *
post_many(void *arg)
{
    for (long i = 0; i < 5000; i++)
        mg_loop_post(loop, note, (void *)((long)arg * 10000 + i));
    return NULL;
}

static void
nothing(void *arg)
{
    (void)arg;
}

static void
test_posts(void)
{
    pthread_t thread[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, post_many, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    on_loop(nothing, NULL);
    is_int(ordered, 20000, "every post is run");
    ok(in_order, "... those of one thread in their order");
    ok(on_thread && !mg_loop_here(loop), "... on the loop's thread");
}

/* --- timers --- */

static struct timed {
    struct mg_timer timer;
    int64_t want, ran;
} timed[TIMERS];
static int fired;
static int64_t last_due;
static bool sorted = true, punctual = true;

static void
fire(void *arg)
{
    struct timed *t = arg;
    t->ran = mg_mono_ms();
    sorted &= t->timer.due >= last_due;
    last_due = t->timer.due;
    punctual &= t->ran >= t->want - 1;
    fired++;
}

static void
set_timers(void *arg)
{
    (void)arg;
    unsigned seed = 1;
    for (int i = 0; i < TIMERS; i++) {
        seed = seed * 1103515245 + 12345;
        int64_t ms = (seed >> 8) % 200;
        timed[i].want = mg_loop_now(loop) + ms; /* a turn has one time */
        mg_timer_set(loop, &timed[i].timer, 500 + ms, fire, &timed[i]);
        mg_timer_set(loop, &timed[i].timer, ms, fire, &timed[i]); /* moved */
    }
    for (int i = 0; i < TIMERS; i += 3)
        mg_timer_clear(loop, &timed[i].timer);
    mg_timer_clear(loop, &timed[0].timer); /* a second time */
}

static struct mg_timer again;
static int rounds;

static void
repeat(void *arg)
{
    (void)arg;
    if (++rounds < 1000)
        mg_timer_set(loop, &again, 0, repeat, NULL);
}

static void
test_timers(void)
{
    on_loop(set_timers, NULL);
    poll(NULL, 0, 350);
    on_loop(nothing, NULL);
    is_int(fired, TIMERS - TIMERS / 3, "every timer that is not cleared fires once");
    ok(timed[0].ran == 0 && timed[3].ran == 0, "a cleared one never");
    ok(sorted, "the earlier before the later");
    ok(punctual, "none too early");
    on_loop(repeat, NULL);
    poll(NULL, 0, 50);
    on_loop(nothing, NULL);
    is_int(rounds, 1000, "a timer may set itself again for now without stopping the loop");
}

/* --- descriptors --- */

static struct mg_watch watch[2];
static int pair[2][2], seen[2];

static void
readable(void *arg, uint32_t events)
{
    long i = (long)arg;
    char buf[16];
    (void)events;
    seen[i]++;
    if (read(pair[i][0], buf, sizeof(buf)) <= 0)
        mg_watch_clear(loop, &watch[i]);
    mg_watch_clear(loop, &watch[1 - i]); /* the other may be in the same batch */
}

static void
set_watches(void *arg)
{
    (void)arg;
    for (long i = 0; i < 2; i++)
        mg_watch_set(loop, &watch[i], pair[i][0], EPOLLIN | EPOLLRDHUP, readable, (void *)i);
}

static void
write_both(void *arg)
{
    (void)arg;
    set_watches(NULL);
    for (int i = 0; i < 2; i++)
        if (write(pair[i][1], "x", 1) != 1)
            abort();
}

static void
clear_watches(void *arg)
{
    (void)arg;
    mg_watch_clear(loop, &watch[0]);
    mg_watch_clear(loop, &watch[1]);
    mg_watch_clear(loop, &watch[1]);
}

static void
writable(void *arg, uint32_t events)
{
    *(uint32_t *)arg |= events;
    mg_watch_set(loop, &watch[0], pair[0][0], EPOLLIN, readable, NULL);
}

static void
watch_writable(void *arg)
{
    mg_watch_set(loop, &watch[0], pair[0][0], EPOLLIN, writable, arg);
    mg_watch_set(loop, &watch[0], pair[0][0], EPOLLIN | EPOLLOUT, writable, arg);
}

static void
hung_up(void *arg, uint32_t events)
{
    *(uint32_t *)arg |= events;
    mg_watch_clear(loop, &watch[0]);
}

static void
watch_hang_up(void *arg)
{
    mg_watch_set(loop, &watch[0], pair[0][0], EPOLLRDHUP, hung_up, arg);
}

static void
test_watches(void)
{
    uint32_t got = 0;
    for (int i = 0; i < 2; i++)
        socketpair(AF_UNIX, SOCK_STREAM, 0, pair[i]);
    on_loop(write_both, NULL);
    poll(NULL, 0, 50);
    on_loop(clear_watches, NULL);
    is_int(seen[0] + seen[1], 1, "a watch that is cleared hears nothing more, not even in a batch");
    seen[0] = seen[1] = 0;
    on_loop(watch_writable, &got);
    poll(NULL, 0, 50);
    on_loop(clear_watches, NULL);
    ok((got & EPOLLOUT) != 0, "the events of a watch can be changed");
    got = 0;
    on_loop(watch_hang_up, &got);
    close(pair[0][1]);
    poll(NULL, 0, 50);
    on_loop(clear_watches, NULL);
    ok((got & EPOLLRDHUP) != 0, "a peer that hangs up is noticed");
    close(pair[0][0]);
    close(pair[1][0]);
    close(pair[1][1]);
}

static void
release(void *arg)
{
    *(bool *)arg = mg_loop_here(loop);
}

static void
attach(void *arg)
{
    mg_loop_attach(loop, arg, release);
}

static void
test_stop(void)
{
    static bool released;
    int before = ordered;
    on_loop(attach, &released);
    for (long i = 0; i < 100; i++)
        mg_loop_post(loop, note, (void *)(5000 + i));
    mg_loop_halt(loop);
    is_int(ordered - before, 100, "what was posted before the stop is run");
    ok(released, "what is attached is released on the loop's thread");
    mg_loop_post(loop, note, (void *)5100);
    mg_loop_stop(&loop);
    is_int(ordered - before, 100, "what is posted afterwards may be, but is not run");
    ok(loop == NULL, "and the loop is gone");
    mg_loop_stop(&loop);
}

int
main(void)
{
    struct mg_err err = MG_ERR_INIT;
    plan(0);
    sem_init(&ready, 0, 0);
    loop = mg_loop_new("test", &err);
    ok(loop != NULL, "a loop starts");
    test_posts();
    test_timers();
    test_watches();
    test_stop();
    mg_err_free(&err);
    return done();
}
