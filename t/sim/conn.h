/*
 * One connection: bytes in, a request, its reply played out in time, and again. Edge-triggered:
 * each direction is read or written until the kernel says no.
 */
#ifndef SIM_CONN_H
#define SIM_CONN_H

#include "http.h"
#include "loop.h"
#include "recorder.h"
#include "reply.h"

enum sim_conn_state {
    SIM_CONN_READING,
    SIM_CONN_REPLYING,
    SIM_CONN_CLOSED /* freed by the loop after the round */
};

struct sim_conn {
    struct sim_loop *loop;
    int fd;
    enum sim_conn_state state;
    bool unread;  /* the kernel may hold more input */
    bool told;    /* "100 Continue" was sent */
    bool hung_up; /* the peer will send no more */
    bool playing; /* the head of the reply was written */
    bool finished; /* the whole of it was written */
    struct sim_buf in, out;
    size_t out_at;
    struct sim_request req;
    struct sim_reply reply;
    uint64_t seq;
    size_t pos;   /* body bytes written to out */
    size_t event; /* events whose end is at or before pos */
    int64_t due;  /* when the next write may happen */
    size_t timer; /* place in the heap + 1; 0: none */
    struct sim_conn *next, *prev;
};

/* What a step of the reply came to. */
enum sim_play {
    SIM_PLAY_WAIT,  /* for a timer, for room in the socket, or for ever */
    SIM_PLAY_DONE,  /* the reply is out */
    SIM_PLAY_CLOSE, /* a fault ends the connection */
    SIM_PLAY_RESET, /* the same with RST */
    SIM_PLAY_GONE   /* the peer is not there any more */
};

/* Takes over a connected socket. */
struct sim_conn *sim_conn_new(struct sim_loop *loop, int fd);

/* What epoll reported; may close the connection. */
void sim_conn_event(struct sim_conn *c, uint32_t events);

/* The timer of the connection has run out. */
void sim_conn_timer(struct sim_conn *c);

/* Closes and frees; only for the loop. */
void sim_conn_free(struct sim_conn *c);

/* Starts playing c->reply (play.c). */
void sim_play_begin(struct sim_conn *c);

/* Writes what is due of c->reply (play.c). */
enum sim_play sim_play_step(struct sim_conn *c);

#endif
