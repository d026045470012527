#include "http/connection.h"

#include "base/alloc.h"
#include "http/record.h"

#include <errno.h>
#include <fcgiapp.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LINGER_MS 10000

struct mg_connection {
    FCGX_Request q;   /* q.ipcFd is a duplicate of fd */
    const struct mg_connection_limits *limits;
    struct mg_deadline *deadline;
    int fd;           /* -1: none, or given away */
    bool parsed;      /* q holds a request */
    bool ended;       /* the body was read to its end */
    bool taken;
};

void
mg_connection_prepare(void)
{
    FCGX_Init();
    signal(SIGPIPE, SIG_IGN); /* FCGX_Init puts its own handler there */
    signal(SIGTERM, SIG_DFL);
    signal(SIGUSR1, SIG_DFL);
}

struct mg_connection *
mg_connection_new(const struct mg_connection_limits *limits, struct mg_deadline *deadline)
{
    struct mg_connection *conn = mg_calloc(1, sizeof(*conn));
    conn->limits = limits;
    conn->deadline = deadline;
    conn->fd = -1;
    return conn;
}

void
mg_connection_free(struct mg_connection **conn)
{
    if (*conn == NULL)
        return;
    mg_connection_end(*conn);
    free(*conn);
    *conn = NULL;
}

/* Frees what libfcgi holds, without its closing words. */
static void
release_parser(struct mg_connection *conn)
{
    if (!conn->parsed)
        return;
    int fd = conn->q.ipcFd;
    FCGX_Free(&conn->q, 0);
    close(fd);
    conn->parsed = false;
}

static void
close_descriptor(struct mg_connection *conn)
{
    if (conn->fd < 0)
        return;
    mg_deadline_clear(conn->deadline); /* before the number can mean another socket */
    close(conn->fd);
    conn->fd = -1;
}

static int
parse(struct mg_connection *conn)
{
    FCGX_InitRequest(&conn->q, -1, 0);
    conn->q.keepConnection = 1; /* else FCGX_Accept_r closes the descriptor it is given */
    conn->q.detached = 1;       /* no shutdown and no waiting when it closes its duplicate */
    conn->q.ipcFd = fcntl(conn->fd, F_DUPFD_CLOEXEC, 0);
    if (conn->q.ipcFd < 0)
        return -1;
    /* On a bad request it closes the duplicate and tries to accept on descriptor -1. */
    if (FCGX_Accept_r(&conn->q) < 0)
        return -1;
    conn->parsed = true;
    /* Parameters that end with the connection instead of their last record look whole to it. */
    return FCGX_GetError(conn->q.in) != 0 ? -1 : 0;
}

int
mg_connection_begin(struct mg_connection *conn, int fd)
{
    struct timeval wait = {.tv_sec = conn->limits->silence_s};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
    conn->fd = fd;
    conn->ended = false;
    conn->taken = false;
    mg_deadline_set(conn->deadline, fd, (int64_t)conn->limits->request_s * 1000);
    if (parse(conn) == 0)
        return 0;
    release_parser(conn);
    close_descriptor(conn);
    return -1;
}

const char *const *
mg_connection_params(const struct mg_connection *conn)
{
    return (const char *const *)conn->q.envp;
}

static ssize_t
why(struct mg_connection *conn)
{
    int error = FCGX_GetError(conn->q.in);
    if (error == 0) {
        conn->ended = true;
        mg_deadline_clear(conn->deadline);
        return MG_READ_END;
    }
    bool cut = mg_deadline_clear(conn->deadline);
    return cut || error == EAGAIN || error == EWOULDBLOCK ? MG_READ_SLOW : MG_READ_BROKEN;
}

ssize_t
mg_connection_read(struct mg_connection *conn, void *buf, size_t n)
{
    FCGX_Stream *in = conn->q.in;
    char *p = buf;
    if (conn->ended)
        return MG_READ_END;
    /* One byte makes libfcgi fetch a record; then take what it has, which never blocks. */
    int c = FCGX_GetChar(in);
    if (c == EOF)
        return why(conn);
    *p = (char)c;
    size_t more = (size_t)(in->stop - in->rdNext);
    if (more > n - 1)
        more = n - 1;
    return 1 + (more > 0 ? FCGX_GetStr(p + 1, (int)more, in) : 0);
}

/* Sends all parts; the socket's time-out and the deadline bound it. */
static int
send_all(int fd, struct iovec *part, size_t parts)
{
    while (parts > 0) {
        struct msghdr msg = {.msg_iov = part, .msg_iovlen = parts};
        ssize_t sent = sendmsg(fd, &msg, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return -1;
        size_t left = (size_t)sent;
        for (; parts > 0 && left >= part->iov_len; part++, parts--)
            left -= part->iov_len;
        if (parts > 0) {
            part->iov_base = (char *)part->iov_base + left;
            part->iov_len -= left;
        }
    }
    return 0;
}

static struct iovec
piece(const void *p, size_t n)
{
    union { const void *in; void *out; } as = {p}; /* sendmsg does not write there */
    return (struct iovec){as.out, n};
}

int
mg_connection_send(struct mg_connection *conn, struct mg_span head, struct mg_span body)
{
    if (conn->fd < 0)
        return -1;
    uint8_t start[MG_RECORD_HEADER], end[MG_RECORD_END_SIZE];
    int id = conn->q.requestId, rc = 0;
    mg_record_end(end, id);
    mg_deadline_set(conn->deadline, conn->fd, (int64_t)conn->limits->request_s * 1000);
    for (bool last = false; rc == 0 && !last;) {
        size_t room = MG_RECORD_CONTENT - head.n;
        size_t n = body.n < room ? body.n : room;
        last = n == body.n;
        mg_record_header(start, MG_RECORD_STDOUT, id, head.n + n);
        struct iovec part[] = {piece(start, sizeof(start)), piece(head.p, head.n),
                               piece(body.p, n), piece(end, sizeof(end))};
        rc = send_all(conn->fd, part, last ? 4 : 3);
        head.n = 0;
        body.p += n;
        body.n -= n;
    }
    mg_deadline_clear(conn->deadline);
    return rc;
}

int
mg_connection_take(struct mg_connection *conn, int *request_id)
{
    char rest[4096];
    ssize_t got;
    do
        got = mg_connection_read(conn, rest, sizeof(rest));
    while (got > 0);
    *request_id = conn->q.requestId;
    release_parser(conn);
    conn->taken = true;
    if (got < 0)
        close_descriptor(conn);
    int fd = conn->fd;
    conn->fd = -1;
    return fd;
}

bool
mg_connection_taken(const struct mg_connection *conn)
{
    return conn->taken;
}

/* The body came too late or is not wanted; the peer may still be sending it. */
static void
throw_away_rest(struct mg_connection *conn)
{
    char rest[16384];
    ssize_t got;
    mg_deadline_set(conn->deadline, conn->fd, LINGER_MS);
    shutdown(conn->fd, SHUT_WR);
    do
        got = recv(conn->fd, rest, sizeof(rest), 0);
    while (got > 0 || (got < 0 && errno == EINTR));
}

void
mg_connection_end(struct mg_connection *conn)
{
    release_parser(conn);
    if (conn->fd >= 0 && !conn->ended)
        throw_away_rest(conn);
    close_descriptor(conn);
}
