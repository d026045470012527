#include "listen.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 4096 };

static int fail(const char *what)
{
    perror(what);
    return -1;
}

static int open_path(const char *path)
{
    struct sockaddr_un sun = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (strlen(path) >= sizeof sun.sun_path) {
        fprintf(stderr, "mg-sim: the path is too long: %s\n", path);
        return -1;
    }
    memcpy(sun.sun_path, path, strlen(path));
    unlink(path);
    if (fd < 0 || bind(fd, (struct sockaddr *)&sun, sizeof sun) || listen(fd, BACKLOG)) {
        return fail(path);
    }
    return fd;
}

static int open_port(struct sockaddr_in *sin)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    socklen_t n = sizeof *sin;
    int one = 1;

    if (fd < 0) {
        return fail("socket");
    }
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one);
    if (bind(fd, (struct sockaddr *)sin, sizeof *sin) || listen(fd, BACKLOG) ||
        getsockname(fd, (struct sockaddr *)sin, &n)) {
        close(fd);
        return fail("bind");
    }
    return fd;
}

static int read_address(const char *addr, struct sockaddr_in *sin)
{
    const char *colon = strrchr(addr, ':');
    char host[64];
    size_t n = colon ? (size_t)(colon - addr) : 0;

    if (!colon || n >= sizeof host) {
        fprintf(stderr, "mg-sim: no address: %s\n", addr);
        return -1;
    }
    memcpy(host, addr, n);
    host[n] = '\0';
    memset(sin, 0, sizeof *sin);
    sin->sin_family = AF_INET;
    sin->sin_port = htons((uint16_t)strtoul(colon + 1, NULL, 10));
    if (inet_pton(AF_INET, host, &sin->sin_addr) != 1) {
        fprintf(stderr, "mg-sim: no IPv4 address: %s\n", host);
        return -1;
    }
    return 0;
}

int sim_listen(const char *addr, int *fd, int count, char *shown, size_t size)
{
    struct sockaddr_in sin;
    char host[INET_ADDRSTRLEN];
    int i;

    if (strncmp(addr, "unix:", 5) == 0) {
        fd[0] = open_path(addr + 5);
        for (i = 1; i < count; i++) {
            fd[i] = fd[0];
        }
        snprintf(shown, size, "%s", addr);
        return fd[0] < 0 ? -1 : 0;
    }
    if (read_address(addr, &sin)) {
        return -1;
    }
    for (i = 0; i < count; i++) {
        fd[i] = open_port(&sin);
        if (fd[i] < 0) {
            return -1;
        }
    }
    inet_ntop(AF_INET, &sin.sin_addr, host, sizeof host);
    snprintf(shown, size, "%s:%d", host, ntohs(sin.sin_port));
    return ntohs(sin.sin_port);
}
