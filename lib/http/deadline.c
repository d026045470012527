#include "http/deadline.h"

#include "base/clock.h"

#include <sys/socket.h>

void
mg_deadline_init(struct mg_deadline *deadline)
{
    *deadline = (struct mg_deadline){.fd = -1};
    pthread_mutex_init(&deadline->lock, NULL);
}

void
mg_deadline_set(struct mg_deadline *deadline, int fd, int64_t ms)
{
    pthread_mutex_lock(&deadline->lock);
    deadline->fd = fd;
    deadline->due_ms = mg_mono_ms() + ms;
    deadline->cut = false;
    pthread_mutex_unlock(&deadline->lock);
}

bool
mg_deadline_clear(struct mg_deadline *deadline)
{
    pthread_mutex_lock(&deadline->lock);
    deadline->fd = -1;
    bool cut = deadline->cut;
    pthread_mutex_unlock(&deadline->lock);
    return cut;
}

void
mg_deadline_check(struct mg_deadline *deadline, int64_t now_ms)
{
    pthread_mutex_lock(&deadline->lock);
    if (deadline->fd >= 0 && now_ms >= deadline->due_ms) {
        shutdown(deadline->fd, SHUT_RDWR);
        deadline->fd = -1;
        deadline->cut = true;
    }
    pthread_mutex_unlock(&deadline->lock);
}
