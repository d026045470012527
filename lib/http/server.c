#include "http/server.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "http/connection.h"
#include "http/reply.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 4096
#define WATCH_MS 500 /* how often the deadlines of the workers are looked at */
#define DRAIN_MS 20
#define NO_FDS_MS 50

struct run {
    const struct mg_server *server;
    struct mg_connection_limits limits;
    int quit;            /* eventfd: readable once the workers shall end */
    atomic_int working;  /* workers not ended yet */
    struct worker {
        struct run *run;
        pthread_t thread;
        struct mg_deadline deadline;
        bool running;
    } worker[];
};

static int stop_fd = -1;

void
mg_server_prepare(void)
{
    sigset_t set;
    mg_connection_prepare();
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGUSR1); /* libfcgi would take an interrupted call for an error */
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (stop_fd < 0)
        stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void
mg_server_stop(void)
{
    uint64_t one = 1;
    ssize_t n = write(stop_fd, &one, sizeof(one));
    (void)n; /* full means that it is readable already */
}

static int
listen_unix(const char *path, struct mg_err *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof(address.sun_path))
        return mg_err_internal(err, "%s: too long for a socket", path);
    memcpy(address.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return mg_err_internal(err, "socket: %s", strerror(errno));
    unlink(path);
    if (bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 || chmod(path, 0660) != 0
        || listen(fd, BACKLOG) != 0) {
        mg_err_internal(err, "%s: %s", path, strerror(errno));
        close(fd);
        return -1;
    }
    return fd;
}

int
mg_server_listen(const char *where, struct mg_err *err)
{
    if (where != NULL && strncmp(where, "unix:", 5) == 0)
        return listen_unix(where + 5, err);
    if (where != NULL)
        return mg_err_internal(err, "%s: expected unix:/path", where);
    int listening = 0;
    socklen_t size = sizeof(listening);
    if (getsockopt(STDIN_FILENO, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) != 0
        || !listening)
        return mg_err_internal(err, "descriptor 0 is no listening socket; start this program "
                                    "from a web server or supervisor, or use --listen "
                                    "unix:/path");
    return STDIN_FILENO;
}

/* Without a body the end of FCGI_STDIN comes together with the parameters: read it now, so that
 * closing needs no wait for the peer. */
static void
end_without_body(struct mg_request *req)
{
    const char *length = mg_request_header(req, "content-length");
    bool none = length != NULL ? strcmp(length, "0") == 0 || *length == '\0'
                               : strcmp(req->method, "GET") == 0
                                 || strcmp(req->method, "DELETE") == 0;
    char byte;
    if (none && mg_request_header(req, "transfer-encoding") == NULL
        && mg_connection_read(req->conn, &byte, 1) > 0)
        mg_debug("req=%s a body came that was not announced", req->id_text);
}

static void
serve(const struct run *run, struct mg_connection *conn, void *context)
{
    struct mg_err err = MG_ERR_INIT;
    struct mg_request *req = mg_request_new(mg_connection_params(conn), &err);
    req->conn = conn;
    end_without_body(req);
    if (mg_err_is(&err))
        mg_router_refuse(run->server->router, req, &err);
    else
        mg_router_serve(run->server->router, req, context);
    if (!mg_connection_taken(conn)) {
        if (req->status == 0) {
            mg_err_internal(&err, "a handler returned without an answer");
            mg_reply_error(req, &err);
        }
        mg_request_free(&req);
    }
    mg_err_free(&err);
}

/* Out of descriptors: waits a little, or until the end. Every worker comes here at once; one
 * line a second is enough. */
static void
wait_for_descriptors(const struct run *run)
{
    static atomic_llong said;
    const char *why = strerror(errno);
    long long now = mg_mono_ms(), last = atomic_load(&said);
    if (now - last >= 1000 && atomic_compare_exchange_strong(&said, &last, now))
        mg_warn("no connection can be accepted: %s", why);
    struct pollfd quit = {.fd = run->quit, .events = POLLIN};
    poll(&quit, 1, NO_FDS_MS);
}

/* The next connection, or -1 when it is time to end. */
static int
next_connection(const struct run *run, int epoll)
{
    for (;;) {
        struct epoll_event event[2];
        int n = epoll_wait(epoll, event, 2, -1);
        for (int i = 0; i < n; i++)
            if (event[i].data.fd == run->quit)
                return -1;
        int fd = n > 0 ? accept4(run->server->listen_fd, NULL, NULL, SOCK_CLOEXEC) : -1;
        if (fd >= 0)
            return fd;
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            wait_for_descriptors(run);
    }
}

/* One epoll a worker: EPOLLEXCLUSIVE wakes one of the idle workers for a connection, where a
 * shared poll would wake them all. */
static int
watch_listener(const struct run *run)
{
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event in = {.events = EPOLLIN | EPOLLEXCLUSIVE};
    struct epoll_event quit = {.events = EPOLLIN};
    in.data.fd = run->server->listen_fd;
    quit.data.fd = run->quit;
    if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, in.data.fd, &in) != 0
        || epoll_ctl(epoll, EPOLL_CTL_ADD, quit.data.fd, &quit) != 0) {
        mg_error("a worker cannot wait for connections: %s", strerror(errno));
        abort();
    }
    return epoll;
}

static void *
work(void *arg)
{
    struct worker *worker = arg;
    struct run *run = worker->run;
    const struct mg_server *server = run->server;
    void *context = server->service;
    if (server->worker_begin != NULL)
        context = server->worker_begin(server->service);
    struct mg_connection *conn = mg_connection_new(&run->limits, &worker->deadline);
    int epoll = watch_listener(run);
    for (int fd; (fd = next_connection(run, epoll)) >= 0;) {
        if (mg_connection_begin(conn, fd) != 0)
            continue;
        serve(run, conn, context);
        mg_connection_end(conn);
    }
    close(epoll);
    mg_connection_free(&conn);
    if (server->worker_end != NULL)
        server->worker_end(context);
    atomic_fetch_sub(&run->working, 1);
    return NULL;
}

static int
start_workers(struct run *run, struct mg_err *err)
{
    for (int i = 0; i < run->server->threads; i++) {
        struct worker *worker = &run->worker[i];
        worker->run = run;
        mg_deadline_init(&worker->deadline);
        atomic_fetch_add(&run->working, 1);
        int rc = pthread_create(&worker->thread, NULL, work, worker);
        if (rc != 0) {
            atomic_fetch_sub(&run->working, 1);
            return mg_err_internal(err, "cannot start worker %d: %s", i + 1, strerror(rc));
        }
        worker->running = true;
    }
    return 0;
}

static void
check_deadlines(struct run *run)
{
    int64_t now = mg_mono_ms();
    for (int i = 0; i < run->server->threads; i++)
        if (run->worker[i].running)
            mg_deadline_check(&run->worker[i].deadline, now);
}

static void
wait_for_signal(struct run *run)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    struct pollfd wake[] = {{.fd = signals, .events = POLLIN}, {.fd = stop_fd, .events = POLLIN}};
    while (poll(wake, 2, WATCH_MS) <= 0)
        check_deadlines(run);
    struct signalfd_siginfo info;
    uint64_t count;
    ssize_t n = read(signals, &info, sizeof(info)); /* take what woke us */
    n += read(stop_fd, &count, sizeof(count));
    (void)n;
    close(signals);
}

/* True when every worker ended and no exchange is left in time. */
static bool
drain(struct run *run)
{
    const struct mg_server *server = run->server;
    int64_t end = mg_mono_ms() + (int64_t)server->shutdown_s * 1000;
    uint64_t one = 1;
    ssize_t n = write(run->quit, &one, sizeof(one)); /* stays readable: nobody reads it */
    (void)n;
    for (;;) {
        bool idle = atomic_load(&run->working) == 0
                    && (server->busy == NULL || !server->busy(server->service));
        if (idle || mg_mono_ms() >= end)
            return idle;
        check_deadlines(run);
        poll(NULL, 0, DRAIN_MS);
    }
}

static void
end_run(struct run *run)
{
    for (int i = 0; i < run->server->threads; i++)
        if (run->worker[i].running)
            pthread_join(run->worker[i].thread, NULL);
    close(run->quit);
    free(run);
}

int
mg_server_run(const struct mg_server *server, struct mg_err *err)
{
    struct run *run = mg_calloc(1, sizeof(*run)
                                       + (size_t)server->threads * sizeof(run->worker[0]));
    run->server = server;
    run->limits.silence_s = server->silence_s > 0 ? server->silence_s : 30;
    run->limits.request_s = server->request_s > 0 ? server->request_s : 300;
    run->quit = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int flags = fcntl(server->listen_fd, F_GETFL);
    fcntl(server->listen_fd, F_SETFL, flags | O_NONBLOCK); /* another process may be quicker */
    int started = start_workers(run, err);
    if (started == 0)
        wait_for_signal(run);
    bool clean = drain(run);
    bool ended = atomic_load(&run->working) == 0;
    if (ended)
        end_run(run); /* else the process ends over the heads of its last workers */
    return started != 0 ? -1 : clean ? 0 : ended ? 1 : 2;
}
