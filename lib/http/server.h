/* The FastCGI responder: a listening socket, worker threads, an orderly end.
 *
 * Workers wait for a connection, let libfcgi parse it, and call the router. SIGTERM or SIGINT:
 * no more connections are accepted, the requests at hand are served, the caller's exchanges get
 * up to shutdown_seconds, then mg_server_run returns. The listening socket belongs to the
 * supervisor (or the web server) and outlives the process, so a restart refuses nobody.
 *
 * A peer that is silent or too slow cannot hold a worker: reads time out, and a watch cuts
 * connections that have been sending or taking for too long. */
#ifndef MG_HTTP_SERVER_H
#define MG_HTTP_SERVER_H

#include "base/conf.h"
#include "http/route.h"

struct mg_server {
    const struct mg_router *router;
    int listen_fd;
    int threads;                 /* worker threads */
    int shutdown_s;              /* longest wait for `busy` after a signal */
    int silence_s;               /* a peer that sends or takes no byte for so long is cut; 0 = 30 */
    int request_s;               /* longest time for params and body together; 0 = 300 */
    void *service;               /* given to the three below */
    /* Makes and ends what a worker needs for itself (a database connection); the result is the
     * `context` of its handlers. NULL functions: the context is `service` itself. */
    void *(*worker_begin)(void *service);
    void (*worker_end)(void *context);
    /* True while exchanges are still running on event loops; asked while draining. */
    bool (*busy)(void *service);
};

/* First thing in main, before any thread exists: blocks the signals that mg_server_run waits
 * for, ignores SIGPIPE, prepares libfcgi. */
void mg_server_prepare(void);
/* The socket to serve: `where` is NULL (descriptor 0, as web servers and systemd pass it) or
 * "unix:/path" (made anew, mode 0660; for tests and for running by hand). The descriptor, or -1
 * with err. */
int mg_server_listen(const char *where, struct mg_err *err)
    __attribute__((nonnull(2), warn_unused_result));
/* Serves until SIGTERM or SIGINT (or mg_server_stop). 0 when everything was drained; when the time
 * was over before, 1 if no worker runs any more, 2 if one does: `service` must outlive it then;
 * -1 with err when it could not start. */
int mg_server_run(const struct mg_server *server, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Ends mg_server_run as a signal would, from any thread. */
void mg_server_stop(void);

#endif
