/* Starting one responder process.
 *
 * A responder gets its listening socket as descriptor 0, the log as 1 and 2, nothing else, and
 * an environment that holds settings but no secrets. It is told to drain (SIGTERM) when the
 * supervisor dies, so that no process goes on serving a socket that nobody can find any more.
 * SIGTERM is blocked at its start, or one that came before mg_server_prepare() would kill it. */
#ifndef MG_CTL_RESPONDER_H
#define MG_CTL_RESPONDER_H

#include "base/err.h"

#include <sys/types.h>

struct mg_responder {
    const char *program; /* path of the executable */
    const char *config;  /* its --config FILE; NULL: none, defaults and environment */
    int listen_fd;
};

/* Forks and executes. The pid; -1 with err when the fork failed. A program that cannot be
 * executed shows as a child that exits with status 127. */
pid_t mg_responder_start(const struct mg_responder *responder, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
