#include "upstream_script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#define STREAM "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Trace: t1\r\n" \
               "Transfer-Encoding: chunked\r\n\r\n"

int script_nothings;

static bool
nothing(int fd, const struct origin_request *r)
{
    (void)fd, (void)r;
    __atomic_add_fetch(&script_nothings, 1, __ATOMIC_SEQ_CST);
    return false;
}

static bool
reset(int fd, const struct origin_request *r)
{
    struct linger hard = {.l_onoff = 1, .l_linger = 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
    return nothing(fd, r);
}

static bool
chunked(int fd, const struct origin_request *r)
{
    (void)r;
    origin_say(fd, STREAM "3\r\nabc\r\n");
    usleep(30000);
    origin_say(fd, "3\r\ndef\r\n0\r\n\r\n");
    return true;
}

static bool
gzipped(int fd, const struct origin_request *r)
{
    unsigned char packed[256], text[] = "{\"packed\":true}";
    z_stream z = {.next_in = text, .avail_in = sizeof(text) - 1, .next_out = packed,
                  .avail_out = sizeof(packed)};
    (void)r;
    deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
    deflate(&z, Z_FINISH);
    char head[128];
    snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
                                 "Content-Length: %lu\r\n\r\n", z.total_out);
    origin_say(fd, head);
    bool sent = send(fd, packed, z.total_out, MSG_NOSIGNAL) > 0;
    deflateEnd(&z);
    return sent;
}

static bool
shortened(int fd, const struct origin_request *r)
{
    (void)r;
    origin_say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789");
    return false;
}

static bool
cut(int fd, const struct origin_request *r)
{
    (void)r;
    origin_say(fd, STREAM "3\r\nabc\r\n");
    return false;
}

static bool
until_eof(int fd, const struct origin_request *r)
{
    (void)r;
    origin_say(fd, "HTTP/1.0 200 OK\r\n\r\nuntil the end");
    return false;
}

/* Says no more until the client gives up. */
static bool
mute(int fd, const struct origin_request *r)
{
    char byte;
    (void)r;
    return recv(fd, &byte, 1, 0) > 0;
}

static bool
stall(int fd, const struct origin_request *r)
{
    origin_say(fd, STREAM "3\r\nabc\r\n");
    return mute(fd, r);
}

static bool
drip(int fd, const struct origin_request *r)
{
    char byte;
    (void)r;
    origin_say(fd, STREAM);
    for (int i = 0; i < 60; i++) {
        if (recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
            break;
        origin_say(fd, "1\r\nd\r\n");
        usleep(50000);
    }
    return false;
}

/* 4 MB less 4 bytes. */
static bool
large(int fd, const struct origin_request *r)
{
    size_t size = (size_t)1 << 20;
    char *block = calloc(1, size), head[128];
    (void)r;
    memset(block, 'x', size - 1);
    snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n",
             4 * (size - 1));
    origin_say(fd, head);
    for (int i = 0; i < 4; i++)
        origin_say(fd, block);
    free(block);
    return true;
}

static bool
big_head(int fd, const struct origin_request *r)
{
    char line[1024];
    (void)r;
    origin_say(fd, "HTTP/1.1 200 OK\r\n");
    memset(line, 'h', sizeof(line));
    memcpy(line, "X-Big: ", 7);
    memcpy(line + sizeof(line) - 3, "\r\n", 3);
    for (int i = 0; i < 300; i++)
        origin_say(fd, line);
    origin_say(fd, "Content-Length: 2\r\n\r\n{}");
    return true;
}

static bool
moved(int fd, const struct origin_request *r)
{
    (void)r;
    origin_say(fd, "HTTP/1.1 302 Found\r\nLocation: /ok\r\nContent-Length: 0\r\n\r\n");
    return true;
}

static bool
interim(int fd, const struct origin_request *r)
{
    (void)r;
    origin_say(fd, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\n"
                   "Content-Length: 2\r\n\r\n{}");
    return true;
}

static bool
early(int fd, const struct origin_request *r)
{
    (void)r;
    origin_say(fd, "HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}");
    usleep(100000);
    return false;
}

static bool
junk(int fd, const struct origin_request *r)
{
    (void)r;
    origin_say(fd, "SSH-2.0-OpenSSH_9.2\r\n");
    return false;
}

static bool
say_back(int fd, const char *text)
{
    char head[128];
    snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", strlen(text));
    origin_say(fd, head);
    origin_say(fd, text);
    return true;
}

static bool
echo_head(int fd, const struct origin_request *r)
{
    return say_back(fd, r->head);
}

static bool
then_close(int fd, const struct origin_request *r)
{
    return !say_back(fd, r->body);
}

bool
script_serve(int fd, const struct origin_request *r)
{
    static const struct {
        const char *path;
        origin_serve *serve;
    } scripts[] = {
        {"/nothing", nothing}, {"/reset", reset}, {"/chunked", chunked}, {"/gzip", gzipped},
        {"/short", shortened}, {"/cut", cut}, {"/eof", until_eof}, {"/mute", mute},
        {"/stall", stall}, {"/drip", drip}, {"/large", large}, {"/head", big_head},
        {"/moved", moved}, {"/continue", interim}, {"/early", early}, {"/junk", junk},
        {"/echo", echo_head}, {"/ok-then-close", then_close},
    };
    for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
        if (strcmp(scripts[i].path, r->path) == 0)
            return scripts[i].serve(fd, r);
    return say_back(fd, r->body); /* "/ok" and others */
}
