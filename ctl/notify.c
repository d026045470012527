#include "ctl/notify.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void
mg_notify(const char *state)
{
    const char *where = getenv("NOTIFY_SOCKET");
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    if (where == NULL || (where[0] != '/' && where[0] != '@') ||
        strlen(where) >= sizeof(addr.sun_path))
        return;
    memcpy(addr.sun_path, where, strlen(where));
    if (addr.sun_path[0] == '@') /* the abstract name space */
        addr.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(where));
    ssize_t sent =
        sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&addr, len);
    (void)sent; /* a manager that does not listen must not stop the service */
    close(fd);
}

void
mg_notify_reloading(void)
{
    char state[80];
    snprintf(state, sizeof(state), "RELOADING=1\nMONOTONIC_USEC=%" PRId64, mg_mono_us());
    mg_notify(state);
}
