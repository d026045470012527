/*
 * The event loop of one thread: epoll over its connections and a heap of their timers.
 */
#ifndef SIM_LOOP_H
#define SIM_LOOP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_conn;

struct sim_loop {
    int epoll;
    int listener;
    int64_t now; /* ms, read once a round */
    struct sim_conn **heap; /* the earliest due first */
    size_t timers, cap;
    struct sim_conn *conns; /* all open ones, for the end */
};

/* Raised by SIGTERM and SIGINT: every loop ends after its round. */
extern volatile sig_atomic_t sim_loop_stop;

/* Serves the listening socket until sim_loop_stop. The socket stays the caller's. */
void sim_loop_run(int listener);

/* Sets the connection's only timer to due (ms of sim_clock_ms); an older one is replaced. */
void sim_loop_timer(struct sim_loop *loop, struct sim_conn *c, int64_t due);

/* Takes the timer away, if there is one. */
void sim_loop_untimer(struct sim_loop *loop, struct sim_conn *c);

#endif
