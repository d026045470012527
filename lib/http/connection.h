/* One FastCGI connection in the hands of a worker: the only place that touches libfcgi.
 *
 * libfcgi parses the parameters and unpacks the body. It is given a duplicate of the accepted
 * descriptor before its own accept would run, so what it closes is its own. Replies do not go
 * through it: it can only block, and it waits for the peer at every close. A connection serves
 * one request and is closed, also when the web server offers to keep it: an idle kept
 * connection would hold a worker. */
#ifndef MG_HTTP_CONNECTION_H
#define MG_HTTP_CONNECTION_H

#include "base/str.h"
#include "http/deadline.h"

#include <stdbool.h>
#include <sys/types.h>

struct mg_connection;

struct mg_connection_limits {
    int silence_s;  /* longest wait for one read or write */
    int request_s;  /* longest time for the whole request, and for the whole reply */
};

/* Prepares libfcgi once a process, before threads exist. Changes signal handlers. */
void mg_connection_prepare(void);

/* A worker's connection, used again and again. `deadline` is the worker's own. */
struct mg_connection *mg_connection_new(const struct mg_connection_limits *limits,
                                        struct mg_deadline *deadline)
    __attribute__((nonnull, warn_unused_result));
void mg_connection_free(struct mg_connection **conn) __attribute__((nonnull));

/* Takes an accepted descriptor and reads the parameters. 0, or -1 when the peer sent none in
 * time or no good ones (the descriptor is closed). */
int mg_connection_begin(struct mg_connection *conn, int fd)
    __attribute__((nonnull, warn_unused_result));
/* The parameters, "NAME=value", NULL at the end; until the connection ends. */
const char *const *mg_connection_params(const struct mg_connection *conn)
    __attribute__((nonnull));

enum { MG_READ_END = 0, MG_READ_BROKEN = -1, MG_READ_SLOW = -2 };
/* Reads some of the body: bytes, or one of MG_READ_. Blocks within the limits. */
ssize_t mg_connection_read(struct mg_connection *conn, void *buf, size_t n)
    __attribute__((nonnull, warn_unused_result));

/* Sends a whole reply: header block, body, end of request. Blocks within the limits. 0, or -1
 * when the peer is gone. */
int mg_connection_send(struct mg_connection *conn, struct mg_span head, struct mg_span body)
    __attribute__((nonnull));

/* Gives the descriptor away, libfcgi's state is freed. -1 when the rest of the body could not
 * be read away: the connection is broken and closed, and counts as taken all the same. */
int mg_connection_take(struct mg_connection *conn, int *request_id)
    __attribute__((nonnull, warn_unused_result));
/* True when the descriptor was given away since mg_connection_begin. */
bool mg_connection_taken(const struct mg_connection *conn) __attribute__((nonnull));

/* Closes what is still open. A body that was not read is thrown away first for a bounded time:
 * closing over unread bytes would make the web server lose the reply. */
void mg_connection_end(struct mg_connection *conn) __attribute__((nonnull));

#endif
