/* The client of the measurement: many streams at once, every event checked and timed. */
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
#include <sys/socket.h>
#include <unistd.h>

#define TAIL 1024 /* unread bytes kept of a stream: less than two events */

struct stream {
    int fd;
    int next;        /* number of the event that must come next */
    int64_t began_us;
    bool first_seen, done;
    size_t len;
    char tail[TAIL];
};

static struct {
    const char *url, *key, *model;
    int streams, rate, events;
    double ramp_s;
} o = {.key = "", .model = "bench", .streams = 1000, .rate = 20, .events = 100, .ramp_s = 1};

static struct sockaddr_in server;
static char host[64], path[256];
static int64_t *delays, *firsts;
static size_t delay_count, first_count;
static long bad, lost, done, refused;

static int
compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static double
percentile(const int64_t *v, size_t n, double p)
{
    return n == 0 ? -1 : (double)v[(size_t)((double)(n - 1) * p)] / 1000.0;
}

static void
read_url(void)
{
    int port;
    if (o.url == NULL || sscanf(o.url, "http://%63[^:/]:%d%255s", host, &port, path) != 3)
        bench_die("--url wants http://HOST:PORT/PATH");
    server = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    inet_pton(AF_INET, host, &server.sin_addr);
}

static void
open_stream(struct stream *s, int epoll_fd)
{
    char body[512], request[1024];
    int one = 1;
    s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    s->next = 1;
    s->began_us = bench_now_us();
    if (s->fd < 0 || connect(s->fd, (struct sockaddr *)&server, sizeof(server)) != 0)
        bench_die("connect");
    setsockopt(s->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    int n = snprintf(body, sizeof(body),
                     "{\"model\":\"%s\",\"stream\":true,\"messages\":[{\"role\":\"user\","
                     "\"content\":\"rate=%d events=%d\"}]}", o.model, o.rate, o.events);
    n = snprintf(request, sizeof(request),
                 "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"
                 "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, host,
                 o.key, n, body);
    if (send(s->fd, request, (size_t)n, MSG_NOSIGNAL) != n)
        bench_die("send");
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = s};
    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, s->fd, &e);
}

static void
end_stream(struct stream *s)
{
    if (s->done)
        return;
    s->done = true;
    done++;
    lost += o.events - (s->next - 1);
    close(s->fd);
}

/* Reads the stamps in the tail; what is not a whole stamp stays. */
static void
take_events(struct stream *s)
{
    int64_t now = bench_now_us();
    char *at = s->tail, *stamp;
    s->tail[s->len] = '\0';
    while ((stamp = strstr(at, "\"t=")) != NULL) {
        long long sent;
        int number, used = 0;
        if (sscanf(stamp, "\"t=%lld n=%d %n", &sent, &number, &used) != 2 || used == 0)
            break;
        if (number != s->next)
            bad++;
        s->next = number + 1;
        if (!s->first_seen) {
            s->first_seen = true;
            firsts[first_count++] = now - s->began_us;
        }
        delays[delay_count++] = now - sent;
        at = stamp + used;
    }
    if (strstr(at, "[DONE]") != NULL)
        end_stream(s);
    size_t rest = s->len - (size_t)(at - s->tail), keep = rest > 64 && stamp == NULL ? 64 : rest;
    memmove(s->tail, at + rest - keep, keep);
    s->len = keep;
}

static void
on_readable(struct stream *s)
{
    ssize_t n = recv(s->fd, s->tail + s->len, TAIL - 1 - s->len, 0);
    if (n <= 0) {
        refused += !s->first_seen;
        end_stream(s);
        return;
    }
    s->len += (size_t)n;
    take_events(s);
}

static void
run(struct stream *all)
{
    int epoll_fd = epoll_create1(EPOLL_CLOEXEC), opened = 0;
    struct epoll_event ready[512];
    int64_t start = bench_now_us();
    double limit_s = o.ramp_s + (double)o.events / o.rate + 30;
    while (done < o.streams) {
        int64_t now = bench_now_us();
        if ((double)(now - start) / 1e6 > limit_s)
            break;
        while (opened < o.streams &&
               (double)(now - start) / 1e6 >= o.ramp_s * opened / o.streams)
            open_stream(&all[opened++], epoll_fd);
        int n = epoll_wait(epoll_fd, ready, 512, opened < o.streams ? 1 : 100);
        for (int i = 0; i < n; i++)
            if (!((struct stream *)ready[i].data.ptr)->done)
                on_readable(ready[i].data.ptr);
    }
    for (int i = 0; i < opened; i++)
        end_stream(&all[i]);
}

int
bench_streams(int argc, char **argv)
{
    static const struct option longs[] = {
        {"url", required_argument, NULL, 'u'},     {"key", required_argument, NULL, 'k'},
        {"streams", required_argument, NULL, 's'}, {"rate", required_argument, NULL, 'r'},
        {"events", required_argument, NULL, 'e'},  {"ramp", required_argument, NULL, 'm'},
        {"model", required_argument, NULL, 'M'},   {0}};
    for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
        switch (c) {
        case 'u': o.url = optarg; break;
        case 'k': o.key = optarg; break;
        case 'M': o.model = optarg; break;
        case 's': o.streams = (int)strtol(optarg, NULL, 10); break;
        case 'r': o.rate = (int)strtol(optarg, NULL, 10); break;
        case 'e': o.events = (int)strtol(optarg, NULL, 10); break;
        case 'm': o.ramp_s = strtod(optarg, NULL); break;
        default: return 2;
        }
    }
    read_url();
    size_t events = (size_t)o.streams * (size_t)o.events;
    struct stream *all = calloc((size_t)o.streams, sizeof(*all));
    delays = calloc(events * 2, sizeof(*delays));
    firsts = calloc((size_t)o.streams, sizeof(*firsts));
    if (all == NULL || delays == NULL || firsts == NULL)
        bench_die("out of memory");
    int64_t start = bench_now_us();
    run(all);
    double seconds = (double)(bench_now_us() - start) / 1e6;
    qsort(delays, delay_count, sizeof(*delays), compare);
    qsort(firsts, first_count, sizeof(*firsts), compare);
    printf("{\"streams\":%d,\"events\":%zu,\"lost\":%ld,\"bad\":%ld,\"refused\":%ld,"
           "\"seconds\":%.2f,\"first_p50_ms\":%.2f,\"first_p99_ms\":%.2f,\"event_p50_ms\":%.3f,"
           "\"event_p90_ms\":%.3f,\"event_p99_ms\":%.3f}\n",
           o.streams, delay_count, lost, bad, refused, seconds,
           percentile(firsts, first_count, 0.5), percentile(firsts, first_count, 0.99),
           percentile(delays, delay_count, 0.5), percentile(delays, delay_count, 0.9),
           percentile(delays, delay_count, 0.99));
    free(all);
    free(delays);
    free(firsts);
    return lost > 0 || bad > 0;
}
