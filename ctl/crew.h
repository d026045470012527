/* The processes behind the sockets: who runs, who is due to be started, who is on the way out.
 *
 * Each post is one of `processes` places of a family and should always have a process. One that
 * dies is replaced at once; if its successors die young too, ever later. A roll fills every post
 * a second time and lets the old ones go when the new ones have shown that they stay up; if one
 * of the new ones does not, they all go and the old ones stay. A process that was told to go
 * drains its streams and is killed when it takes too long.
 *
 * Time comes from outside (monotonic ms), so everything here can be tested without waiting. */
#ifndef MG_CTL_CREW_H
#define MG_CTL_CREW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define MG_CREW_STEADY_MS 10000 /* who lives so long is no quick death */
#define MG_CREW_PROOF_MS 1000   /* who lives so long has started well */
#define MG_CREW_LONGEST_DELAY_MS 30000

struct mg_crew;

struct mg_crew_hands { /* what the crew can do, given so that it can be tested */
    void *self;
    pid_t (*start)(void *self, int family); /* -1 = not now */
    void (*signal)(void *self, pid_t pid, int signo);
    const char *(*name)(void *self, int family);
};

enum mg_crew_roll { MG_CREW_NO_ROLL, MG_CREW_ROLLING, MG_CREW_ROLLED, MG_CREW_ROLL_FAILED };

/* An empty crew for `families` families. Free with mg_crew_free, which accepts NULL. */
struct mg_crew *mg_crew_new(int families, const struct mg_crew_hands *hands)
    __attribute__((nonnull, warn_unused_result));
void mg_crew_free(struct mg_crew *crew);
/* Makes `processes` posts a family and fills them; `grace_ms` is how long a process that is
 * told to go may take from now on. Called again it is a roll: see above. */
void mg_crew_fill(struct mg_crew *crew, int processes, int64_t grace_ms, int64_t now)
    __attribute__((nonnull));
/* A child of this pid has ended with this wait status. */
void mg_crew_died(struct mg_crew *crew, pid_t pid, int status, int64_t now)
    __attribute__((nonnull));
/* Does what is due: restarts, the end of a roll, kills. Says how the roll stands; ROLLED and
 * ROLL_FAILED are reported once. */
enum mg_crew_roll mg_crew_work(struct mg_crew *crew, int64_t now) __attribute__((nonnull));
/* When something will be due next (monotonic ms), INT64_MAX = nothing is. */
int64_t mg_crew_next_due(const struct mg_crew *crew) __attribute__((nonnull));
/* Tells everybody to go; nobody is started any more. Called again: SIGKILL. */
void mg_crew_stop(struct mg_crew *crew, int64_t now) __attribute__((nonnull));
/* Processes that have not ended yet. */
int mg_crew_alive(const struct mg_crew *crew) __attribute__((nonnull));

#endif
