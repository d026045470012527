/* A door between a program and its database that can be shut at the worst moment: while a COMMIT
 * is on its way, or when it has been done but not answered.
 *
 *   struct cutter c;
 *   cutter_start(&c, "/dir/door.sock", "/dir/db.sock");
 *   c.mode = CUTTER_AFTER;        the next COMMIT is carried out, its answer never comes
 *   c.deaf_ms = 500;              and for so long nobody gets in again
 */
#ifndef MG_CUTTER_H
#define MG_CUTTER_H

#include "base/clock.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { CUTTER_OPEN, CUTTER_BEFORE, CUTTER_AFTER };

struct cutter {
    char door[108], server[108];
    int listener;
    _Atomic int mode, cuts;
    _Atomic int64_t deaf_ms, deaf_until_ms;
};

struct cutter_pair {
    struct cutter *cutter;
    int client, server;
};

static inline int
cutter_socket(const char *path, int listens)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
    int rc = listens ? bind(fd, (struct sockaddr *)&a, sizeof(a))
                     : connect(fd, (struct sockaddr *)&a, sizeof(a));
    if (rc == 0 && listens)
        rc = listen(fd, 64);
    if (rc == 0)
        return fd;
    close(fd);
    return -1;
}

/* Passes what there is from one side to the other; 0 = the connection is over. */
static inline int
cutter_pass(struct cutter_pair *p, int from, int to)
{
    char bytes[16384];
    struct cutter *c = p->cutter;
    ssize_t n = read(from, bytes, sizeof(bytes));
    if (n <= 0)
        return 0;
    int mode = from == p->client && memmem(bytes, (size_t)n, "\3COMMIT", 7) != NULL ? c->mode
                                                                                    : CUTTER_OPEN;
    if (mode != CUTTER_OPEN) {
        c->mode = CUTTER_OPEN;
        c->cuts++;
        c->deaf_until_ms = mg_mono_ms() + c->deaf_ms;
    }
    if (mode == CUTTER_BEFORE)
        return 0;
    if (write(to, bytes, (size_t)n) != n)
        return 0;
    if (mode == CUTTER_AFTER) {
        struct pollfd answer = {.fd = p->server, .events = POLLIN};
        poll(&answer, 1, 5000);
        return 0;
    }
    return 1;
}

static inline void *
cutter_serve(void *arg)
{
    struct cutter_pair *p = arg;
    struct pollfd ends[2] = {{.fd = p->client, .events = POLLIN},
                             {.fd = p->server, .events = POLLIN}};
    int more = p->server >= 0;
    while (more && poll(ends, 2, -1) > 0) {
        if (ends[0].revents != 0)
            more = cutter_pass(p, p->client, p->server);
        if (more && ends[1].revents != 0)
            more = cutter_pass(p, p->server, p->client);
    }
    close(p->client);
    if (p->server >= 0)
        close(p->server);
    free(p);
    return NULL;
}

static inline void *
cutter_accept(void *arg)
{
    struct cutter *c = arg;
    int fd;
    while ((fd = accept(c->listener, NULL, NULL)) >= 0) {
        if (mg_mono_ms() < c->deaf_until_ms) {
            close(fd);
            continue;
        }
        struct cutter_pair *p = malloc(sizeof(*p));
        pthread_t thread;
        if (p == NULL)
            abort();
        *p = (struct cutter_pair){c, fd, cutter_socket(c->server, 0)};
        if (pthread_create(&thread, NULL, cutter_serve, p) == 0)
            pthread_detach(thread);
    }
    return NULL;
}

static inline int
cutter_start(struct cutter *c, const char *door, const char *server)
{
    pthread_t thread;
    memset(c, 0, sizeof(*c));
    snprintf(c->door, sizeof(c->door), "%s", door);
    snprintf(c->server, sizeof(c->server), "%s", server);
    c->listener = cutter_socket(door, 1);
    if (c->listener < 0 || pthread_create(&thread, NULL, cutter_accept, c) != 0)
        return -1;
    return pthread_detach(thread);
}

#endif
