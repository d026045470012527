/* The provider of the measurement. One thread, epoll, and a queue of streams: all of a run have
 * the same rate, so the one that has waited longest is the next that is due. */
#include "bench.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#define IN_MAX 16384

struct conn {
    int fd;
    size_t len;
    char in[IN_MAX];
    int rate, events, sent; /* a stream is under way while sent < events */
    int64_t due_us;
    bool queued;
    TAILQ_ENTRY(conn) place;
};

static TAILQ_HEAD(, conn) streams = TAILQ_HEAD_INITIALIZER(streams);
static int epoll_fd;
static char whole_reply[2048];
static size_t whole_len;

static void
make_whole_reply(void)
{
    char text[701], body[1536];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    int n = snprintf(body, sizeof(body),
        "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion\",\"created\":1700000000,\"model\":"
        "\"bench-up\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":"
        "\"%s\",\"refusal\":null},\"logprobs\":null,\"finish_reason\":\"stop\"}],\"usage\":{"
        "\"prompt_tokens\":200,\"completion_tokens\":150,\"total_tokens\":350}}", text);
    whole_len = (size_t)snprintf(whole_reply, sizeof(whole_reply),
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", n,
        body);
}

static void
unlist(struct conn *c)
{
    if (c->queued)
        TAILQ_REMOVE(&streams, c, place);
    c->queued = false;
}

static void
enlist(struct conn *c)
{
    TAILQ_INSERT_TAIL(&streams, c, place);
    c->queued = true;
}

static void
drop(struct conn *c)
{
    unlist(c);
    close(c->fd);
    free(c);
}

static bool
put(struct conn *c, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t sent = send(c->fd, bytes, n, MSG_NOSIGNAL);
        if (sent < 0)
            return false;
        bytes += sent;
        n -= (size_t)sent;
    }
    return true;
}

static bool
put_event(struct conn *c)
{
    char data[512], chunk[600];
    bool last = ++c->sent == c->events;
    int n = snprintf(data, sizeof(data),
        "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,"
        "\"model\":\"bench-up\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"t=%lld n=%d \"},"
        "\"logprobs\":null,\"finish_reason\":%s}]}\n\n%s", (long long)bench_now_us(), c->sent,
        last ? "\"stop\"" : "null",
        last ? "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,"
               "\"model\":\"bench-up\",\"choices\":[],\"usage\":{\"prompt_tokens\":20,"
               "\"completion_tokens\":50,\"total_tokens\":70}}\n\ndata: [DONE]\n\n" : "");
    int m = snprintf(chunk, sizeof(chunk), "%x\r\n%s\r\n%s", (unsigned)n, data,
                     last ? "0\r\n\r\n" : "");
    return put(c, chunk, (size_t)m);
}

static bool
start_stream(struct conn *c, const char *body)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                               "Transfer-Encoding: chunked\r\n\r\n";
    if (sscanf(strstr(body, "rate="), "rate=%d events=%d", &c->rate, &c->events) != 2 ||
        c->rate < 1)
        return false;
    c->sent = 0;
    c->due_us = bench_now_us() + 1000000 / c->rate;
    if (!put(c, head, sizeof(head) - 1) || !put_event(c))
        return false;
    if (c->sent < c->events)
        enlist(c);
    return true;
}

/* Answers the request in c->in if it is whole. false: close the connection. */
static bool
answer(struct conn *c)
{
    c->in[c->len] = '\0';
    char *body = strstr(c->in, "\r\n\r\n");
    if (body == NULL)
        return c->len < IN_MAX - 1;
    body += 4;
    const char *length = strcasestr(c->in, "content-length:");
    size_t want = length != NULL ? strtoul(length + 15, NULL, 10) : 0;
    if (c->len - (size_t)(body - c->in) < want)
        return c->len < IN_MAX - 1;
    c->len = 0;
    if (strstr(body, "rate=") != NULL)
        return start_stream(c, body);
    return put(c, whole_reply, whole_len);
}

static void
on_readable(struct conn *c)
{
    ssize_t n = recv(c->fd, c->in + c->len, IN_MAX - 1 - c->len, 0);
    if (n <= 0) {
        if (n == 0 || errno != EAGAIN)
            drop(c);
        return;
    }
    c->len += (size_t)n;
    if (!answer(c))
        drop(c);
}

/* Sends what is due; returns ms to the next. */
static int
serve_streams(void)
{
    struct conn *c;
    int64_t now = bench_now_us();
    while ((c = TAILQ_FIRST(&streams)) != NULL && c->due_us <= now) {
        unlist(c);
        c->due_us += 1000000 / c->rate;
        if (!put_event(c))
            drop(c);
        else if (c->sent < c->events)
            enlist(c);
    }
    int64_t wait = c != NULL ? c->due_us - bench_now_us() : 1000000;
    return wait <= 0 ? 0 : (int)((wait + 999) / 1000);
}

static int
listen_on(const char *where)
{
    char host[64];
    int port, one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (sscanf(where, "%63[^:]:%d", host, &port) != 2)
        bench_die("--listen wants HOST:PORT, not %s", where);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    inet_pton(AF_INET, host, &a.sin_addr);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (bind(fd, (struct sockaddr *)&a, sizeof(a)) != 0 || listen(fd, 4096) != 0)
        bench_die("listen on %s", where);
    return fd;
}

static void
accept_one(int listener)
{
    int one = 1, fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return;
    struct conn *c = calloc(1, sizeof(*c));
    if (c == NULL)
        bench_die("out of memory");
    c->fd = fd;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};
    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &e);
}

int
bench_upstream(int argc, char **argv)
{
    static const struct option longs[] = {{"listen", required_argument, NULL, 'l'}, {0}};
    const char *where = "127.0.0.1:0";
    for (int c; (c = getopt_long(argc, argv, "l:", longs, NULL)) != -1;)
        if (c == 'l')
            where = optarg;
    make_whole_reply();
    int listener = listen_on(where);
    epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = NULL}, ready[256];
    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, listener, &e);
    for (;;) {
        int n = epoll_wait(epoll_fd, ready, 256, serve_streams());
        for (int i = 0; i < n; i++) {
            if (ready[i].data.ptr == NULL)
                accept_one(listener);
            else
                on_readable(ready[i].data.ptr);
        }
    }
}
