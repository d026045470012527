/* The listening sockets of the responder families, held by the supervisor.
 *
 * A socket lives as long as the supervisor, not as long as a responder: while responders are
 * replaced or crash, connections wait in the queue of the socket and nobody is refused. Where
 * systemd passes the sockets in (a .socket unit), they outlive the supervisor too. This file
 * knows paths, modes and descriptors; it never accepts a connection. */
#ifndef MG_CTL_LISTENER_H
#define MG_CTL_LISTENER_H

#include "base/err.h"

#include <stdbool.h>

struct mg_listener {
    char *path;     /* run_dir/FAMILY.sock */
    int fd;         /* -1 when closed; close-on-exec, non-blocking: a responder that lost the
                       race for a connection must not hang in accept() */
    bool inherited; /* from systemd: the path is not ours to remove */
};

/* Takes the lock of `run_dir`, which makes this process the only supervisor there; creates the
 * folder if it is not there. The lock is held as long as the returned descriptor is open.
 * -1 with err when another one runs or the folder cannot be used. */
int mg_listener_lock(const char *run_dir, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Opens the socket of `family`: one that systemd passed in (LISTEN_FDS) under this path, else a
 * new one with mode 0660 and a queue of 4096 connections. A new socket takes the place of an
 * abandoned one in one step, so the path never points to nothing. 0, or -1 with err. */
int mg_listener_open(struct mg_listener *listener, const char *run_dir, const char *family,
                     struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* Closes the socket and removes its path unless it was inherited: from now on the web server is
 * refused at once instead of queueing for nobody. */
void mg_listener_close(struct mg_listener *listener) __attribute__((nonnull));

#endif
