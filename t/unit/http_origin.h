/* A small HTTP/1.1 server for tests of the upstream side: a thread a connection, replies made
 * by the test byte for byte. */
#ifndef MG_TEST_HTTP_ORIGIN_H
#define MG_TEST_HTTP_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

struct origin_request {
    char path[128];
    char head[16384];
    char *body;
    size_t body_len;
    int nth;   /* on its connection, from 1 */
};

/* Writes the reply; true keeps the connection. */
typedef bool origin_serve(int fd, const struct origin_request *request);

struct origin {
    int port;
    int listen_fd;
    origin_serve *serve;
    int connections, requests, open; /* read them with origin_count */
};

/* Starts to listen on a free port of the loopback; `listening` false: only takes the port. */
void origin_start(struct origin *origin, origin_serve *serve, bool listening);
void origin_listen(struct origin *origin);
void origin_stop(struct origin *origin);
int origin_count(const int *counter);
/* Writes text; a peer that is gone does not matter. */
void origin_say(int fd, const char *text);

#endif
