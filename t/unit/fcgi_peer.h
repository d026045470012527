/* The web server's side of FastCGI, as small as tests need it: build a request, read a reply. */
#ifndef MG_TEST_FCGI_PEER_H
#define MG_TEST_FCGI_PEER_H

#include "base/str.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { PEER_BEGIN = 1, PEER_ABORT = 2, PEER_END = 3, PEER_PARAMS = 4, PEER_STDIN = 5,
       PEER_STDOUT = 6 };

static inline void
peer_record(struct mg_str *out, int type, const void *bytes, size_t n)
{
    unsigned char head[8] = {1, (unsigned char)type, 0, 1, (unsigned char)(n >> 8),
                             (unsigned char)n, 0, 0};
    mg_str_add(out, head, sizeof(head));
    mg_str_add(out, bytes, n);
}

static inline void
peer_length(struct mg_str *out, size_t n)
{
    unsigned char four[4] = {(unsigned char)(0x80 | n >> 24), (unsigned char)(n >> 16),
                             (unsigned char)(n >> 8), (unsigned char)n};
    if (n < 128)
        mg_str_addc(out, (char)n);
    else
        mg_str_add(out, four, 4);
}

/* BEGIN_REQUEST and the parameters, given as "NAME=value" and ended by NULL. */
static inline void
peer_begin(struct mg_str *out, const char *const *params)
{
    static const unsigned char begin[8] = {0, 1, 0, 0, 0, 0, 0, 0}; /* responder, close after */
    struct mg_str pairs;
    mg_str_init(&pairs, (size_t)1 << 20);
    peer_record(out, PEER_BEGIN, begin, sizeof(begin));
    for (; *params != NULL; params++) {
        const char *value = strchr(*params, '=') + 1;
        peer_length(&pairs, (size_t)(value - *params - 1));
        peer_length(&pairs, strlen(value));
        mg_str_add(&pairs, *params, (size_t)(value - *params - 1));
        mg_str_addz(&pairs, value);
    }
    for (size_t at = 0; at < pairs.len; at += 60000)
        peer_record(out, PEER_PARAMS, pairs.p + at,
                    pairs.len - at < 60000 ? pairs.len - at : 60000);
    peer_record(out, PEER_PARAMS, "", 0);
    mg_str_free(&pairs);
}

static inline void
peer_body(struct mg_str *out, const void *bytes, size_t n)
{
    for (size_t at = 0; at < n; at += 32000)
        peer_record(out, PEER_STDIN, (const char *)bytes + at, n - at < 32000 ? n - at : 32000);
    peer_record(out, PEER_STDIN, "", 0);
}

/* Sends everything; stops when the other side does not want more. */
static inline bool
peer_send(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        bytes += sent;
        n -= (size_t)sent;
    }
    return true;
}

static inline int
peer_connect(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
        return close(fd), -1;
    return fd;
}

static inline bool
peer_read_exactly(int fd, void *buf, size_t n)
{
    char *p = buf;
    while (n > 0) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        if (poll(&ready, 1, 20000) <= 0) /* a test must not hang */
            return false;
        ssize_t got = recv(fd, p, n, 0);
        if (got <= 0)
            return false;
        p += got;
        n -= (size_t)got;
    }
    return true;
}

/* Reads one record; its type, or 0 at the end of the connection. Content goes to `content`. */
static inline int
peer_read(int fd, struct mg_str *content)
{
    unsigned char head[8], bytes[65536 + 256];
    if (!peer_read_exactly(fd, head, sizeof(head)))
        return 0;
    size_t n = (size_t)head[4] << 8 | head[5];
    if (head[0] != 1 || head[3] != 1 || !peer_read_exactly(fd, bytes, n + head[6]))
        return 0;
    mg_str_add(content, bytes, n);
    return head[1];
}

/* Reads a whole reply into `reply` (headers and body); true when it ended in order. */
static inline bool
peer_reply(int fd, struct mg_str *reply)
{
    mg_str_reset(reply);
    int type;
    while ((type = peer_read(fd, reply)) == PEER_STDOUT)
        continue;
    if (type != PEER_END)
        return false;
    reply->len -= 8; /* the content of END_REQUEST */
    reply->p[reply->len] = '\0';
    return true;
}

/* The status of a reply that was read. */
static inline int
peer_status(const struct mg_str *reply)
{
    return strncmp(reply->p, "Status: ", 8) == 0 ? (int)strtol(reply->p + 8, NULL, 10) : 0;
}

/* What is behind the headers. */
static inline const char *
peer_content(const struct mg_str *reply)
{
    const char *empty = strstr(reply->p, "\r\n\r\n");
    return empty != NULL ? empty + 4 : "";
}

#endif
