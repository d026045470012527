#include "ctl/listener.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 4096
#define FIRST_PASSED_FD 3 /* where systemd's sockets begin */
#define MOST_PASSED_FDS 64

int
mg_listener_lock(const char *run_dir, struct mg_err *err)
{
    char path[512];
    if (snprintf(path, sizeof(path), "%s/serve.lock", run_dir) >= (int)sizeof(path))
        return mg_err_internal(err, "run_dir is too long");
    if (mkdir(run_dir, 0750) != 0 && errno != EEXIST)
        return mg_err_internal(err, "%s: %s", run_dir, strerror(errno));
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0640);
    if (fd < 0)
        return mg_err_internal(err, "%s: %s", path, strerror(errno));
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    int reason = errno;
    close(fd);
    if (reason == EWOULDBLOCK)
        return mg_err_internal(err, "%s: another mgctl serve is running here", run_dir);
    return mg_err_internal(err, "%s: %s", path, strerror(reason));
}

/* How many descriptors systemd passed to this very process. */
static int
passed_fds(void)
{
    const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
    if (pid == NULL || count == NULL || strtol(pid, NULL, 10) != (long)getpid())
        return 0;
    long n = strtol(count, NULL, 10);
    return n < 0 ? 0 : n > MOST_PASSED_FDS ? MOST_PASSED_FDS : (int)n;
}

static bool
is_bound_to(int fd, const char *path)
{
    struct sockaddr_un addr = {0};
    socklen_t len = sizeof(addr);
    return getsockname(fd, (struct sockaddr *)&addr, &len) == 0 && addr.sun_family == AF_UNIX &&
           strncmp(addr.sun_path, path, sizeof(addr.sun_path)) == 0;
}

static int
find_passed(const char *path)
{
    for (int fd = FIRST_PASSED_FD; fd < FIRST_PASSED_FD + passed_fds(); fd++)
        if (is_bound_to(fd, path))
            return fd;
    return -1;
}

/* A socket under `path` with mode 0660, made under another name and moved into place. */
static int
create(const char *path, struct mg_err *err)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    size_t room = sizeof(addr.sun_path);
    if (snprintf(addr.sun_path, room, "%s.new", path) >= (int)room)
        return mg_err_internal(err, "%s: too long for a unix socket", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return mg_err_internal(err, "socket: %s", strerror(errno));
    unlink(addr.sun_path);
    mode_t mask = umask(0117);
    int rc = bind(fd, (struct sockaddr *)&addr, sizeof(addr));
    umask(mask);
    if (rc == 0 && listen(fd, BACKLOG) == 0 && rename(addr.sun_path, path) == 0)
        return fd;
    mg_err_internal(err, "%s: %s", path, strerror(errno));
    unlink(addr.sun_path);
    close(fd);
    return -1;
}

static int
make_private(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 ||
                   fcntl(fd, F_SETFD, FD_CLOEXEC) != 0
               ? -1
               : 0;
}

int
mg_listener_open(struct mg_listener *listener, const char *run_dir, const char *family,
                 struct mg_err *err)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s.sock", run_dir, family);
    int fd = find_passed(path);
    *listener = (struct mg_listener){.fd = fd, .inherited = fd >= 0};
    if (fd < 0)
        listener->fd = create(path, err);
    else if (make_private(fd) != 0)
        return mg_err_internal(err, "%s: %s", path, strerror(errno));
    if (listener->fd < 0)
        return -1;
    listener->path = mg_strdup(path);
    return 0;
}

void
mg_listener_close(struct mg_listener *listener)
{
    if (listener->path != NULL && !listener->inherited)
        unlink(listener->path);
    if (listener->fd >= 0)
        close(listener->fd);
    free(listener->path);
    *listener = (struct mg_listener){.fd = -1};
}
