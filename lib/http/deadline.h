/* A limit on how long a worker may be busy with one connection.
 *
 * A worker that reads or writes a socket blocks; time-outs of the socket bound each wait, but
 * not their sum. The worker notes here until when it means to be done, and the server's main
 * thread shuts the socket down under it when that time has passed. */
#ifndef MG_HTTP_DEADLINE_H
#define MG_HTTP_DEADLINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct mg_deadline {
    pthread_mutex_t lock;
    int fd;          /* -1: nothing to watch */
    int64_t due_ms;  /* monotonic */
    bool cut;        /* the watcher struck */
};

void mg_deadline_init(struct mg_deadline *deadline) __attribute__((nonnull));
/* Watches fd for `ms` from now. */
void mg_deadline_set(struct mg_deadline *deadline, int fd, int64_t ms) __attribute__((nonnull));
/* Ends the watch; must be called before the descriptor is closed or handed on. True when the
 * watcher has shut it down. */
bool mg_deadline_clear(struct mg_deadline *deadline) __attribute__((nonnull));
/* The watcher's side: shuts the descriptor down when its time is over. */
void mg_deadline_check(struct mg_deadline *deadline, int64_t now_ms) __attribute__((nonnull));

#endif
