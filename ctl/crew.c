#include "ctl/crew.h"

#include "base/alloc.h"
#include "base/log.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum state { WAITING, RUNNING, LEAVING }; /* a post to fill, a process, one told to go */

struct post {
    enum state state;
    int family;
    int generation;
    pid_t pid;        /* RUNNING and LEAVING */
    int64_t started;  /* RUNNING */
    int64_t due;      /* WAITING: start then; LEAVING: SIGKILL then */
    int64_t delay_ms; /* of the next restart after a quick death */
};

struct mg_crew {
    struct mg_crew_hands hands;
    int families;
    int64_t grace_ms;
    int generation;      /* of the posts that are to stay */
    int64_t proof_due;   /* a roll ends well then; 0 = no roll */
    bool roll_failed;
    bool stopping;
    struct post *posts;
    size_t used, room;
};

struct mg_crew *
mg_crew_new(int families, const struct mg_crew_hands *hands)
{
    struct mg_crew *crew = mg_calloc(1, sizeof(*crew));
    crew->hands = *hands;
    crew->families = families;
    return crew;
}

void
mg_crew_free(struct mg_crew *crew)
{
    if (crew == NULL)
        return;
    free(crew->posts);
    free(crew);
}

static void
start(struct mg_crew *crew, struct post *post, int64_t now)
{
    post->pid = crew->hands.start(crew->hands.self, post->family);
    if (post->pid > 0) {
        post->state = RUNNING;
        post->started = now;
        return;
    }
    post->state = WAITING; /* no process to be had: the machine is short of something */
    post->due = now + 1000;
}

static void
add(struct mg_crew *crew, int family, int64_t now)
{
    if (crew->used == crew->room) {
        crew->room = crew->room == 0 ? 16 : crew->room * 2;
        crew->posts = mg_realloc(crew->posts, crew->room * sizeof(*crew->posts));
    }
    struct post *post = &crew->posts[crew->used++];
    *post = (struct post){.family = family, .generation = crew->generation};
    start(crew, post, now);
    if (post->state == WAITING)
        crew->roll_failed = true;
}

static void
remove_at(struct mg_crew *crew, size_t i)
{
    crew->posts[i] = crew->posts[--crew->used];
}

void
mg_crew_fill(struct mg_crew *crew, int processes, int64_t grace_ms, int64_t now)
{
    crew->grace_ms = grace_ms;
    if (crew->used > 0)
        crew->proof_due = now + MG_CREW_PROOF_MS;
    crew->roll_failed = false;
    crew->generation++;
    for (int family = 0; family < crew->families; family++)
        for (int i = 0; i < processes; i++)
            add(crew, family, now);
}

/* Tells the processes of some generations to go and gives up their empty posts. */
static void
dismiss(struct mg_crew *crew, int from, int to, int64_t now)
{
    for (size_t i = crew->used; i-- > 0;) {
        struct post *post = &crew->posts[i];
        if (post->state == LEAVING || post->generation < from || post->generation > to)
            continue;
        if (post->state == WAITING) {
            remove_at(crew, i);
            continue;
        }
        crew->hands.signal(crew->hands.self, post->pid, SIGTERM);
        post->state = LEAVING;
        post->due = now + crew->grace_ms;
    }
}

static void
say_how(const struct mg_crew *crew, const struct post *post, int status, int64_t age_ms)
{
    const char *name = crew->hands.name(crew->hands.self, post->family);
    enum mg_log_level level = post->state == LEAVING ? MG_LOG_INFO : MG_LOG_WARN;
    if (WIFSIGNALED(status))
        mg_log(level, "%s[%d] ended by signal %d (%s) after %lld ms", name, (int)post->pid,
               WTERMSIG(status), strsignal(WTERMSIG(status)), (long long)age_ms);
    else
        mg_log(level, "%s[%d] ended with status %d after %lld ms", name, (int)post->pid,
               WEXITSTATUS(status), (long long)age_ms);
}

/* A place has become free: when is it filled? The first quick death costs nothing, a row of
 * them doubles the wait from a quarter of a second up to half a minute. */
static void
schedule(struct post *post, int64_t age_ms, int64_t now)
{
    if (age_ms >= MG_CREW_STEADY_MS)
        post->delay_ms = 0;
    post->state = WAITING;
    post->due = now + post->delay_ms;
    post->delay_ms = post->delay_ms == 0 ? 250 : post->delay_ms * 2;
    if (post->delay_ms > MG_CREW_LONGEST_DELAY_MS)
        post->delay_ms = MG_CREW_LONGEST_DELAY_MS;
}

void
mg_crew_died(struct mg_crew *crew, pid_t pid, int status, int64_t now)
{
    size_t i = 0;
    while (i < crew->used && (crew->posts[i].state == WAITING || crew->posts[i].pid != pid))
        i++;
    if (i == crew->used)
        return;
    struct post *post = &crew->posts[i];
    int64_t age_ms = now - post->started;
    say_how(crew, post, status, age_ms);
    if (post->state == LEAVING || crew->stopping) {
        remove_at(crew, i);
    } else if (crew->proof_due != 0 && post->generation == crew->generation) {
        crew->roll_failed = true;
        remove_at(crew, i);
    } else {
        schedule(post, age_ms, now);
        if (post->due > now)
            mg_warn("%s: next start in %lld ms",
                    crew->hands.name(crew->hands.self, post->family),
                    (long long)(post->due - now));
    }
}

/* Ends a roll one way or the other. */
static enum mg_crew_roll
judge_roll(struct mg_crew *crew, int64_t now)
{
    if (crew->proof_due == 0)
        return MG_CREW_NO_ROLL;
    if (crew->roll_failed) {
        dismiss(crew, crew->generation, crew->generation, now);
        crew->generation--;
        crew->proof_due = 0;
        return MG_CREW_ROLL_FAILED;
    }
    if (now < crew->proof_due)
        return MG_CREW_ROLLING;
    dismiss(crew, 0, crew->generation - 1, now);
    crew->proof_due = 0;
    return MG_CREW_ROLLED;
}

enum mg_crew_roll
mg_crew_work(struct mg_crew *crew, int64_t now)
{
    enum mg_crew_roll roll = crew->stopping ? MG_CREW_NO_ROLL : judge_roll(crew, now);
    for (size_t i = 0; i < crew->used; i++) {
        struct post *post = &crew->posts[i];
        if (post->state == WAITING && post->due <= now) {
            start(crew, post, now);
        } else if (post->state == LEAVING && post->due <= now) {
            mg_warn("%s[%d] did not drain in time: killed",
                    crew->hands.name(crew->hands.self, post->family), (int)post->pid);
            crew->hands.signal(crew->hands.self, post->pid, SIGKILL);
            post->due = INT64_MAX;
        }
    }
    return roll;
}

int64_t
mg_crew_next_due(const struct mg_crew *crew)
{
    int64_t due = crew->proof_due != 0 ? crew->proof_due : INT64_MAX;
    for (size_t i = 0; i < crew->used; i++)
        if (crew->posts[i].state != RUNNING && crew->posts[i].due < due)
            due = crew->posts[i].due;
    return due;
}

void
mg_crew_stop(struct mg_crew *crew, int64_t now)
{
    if (!crew->stopping) {
        crew->stopping = true;
        crew->proof_due = 0;
        dismiss(crew, 0, crew->generation, now);
        return;
    }
    for (size_t i = 0; i < crew->used; i++)
        crew->posts[i].due = now;
}

int
mg_crew_alive(const struct mg_crew *crew)
{
    int alive = 0;
    for (size_t i = 0; i < crew->used; i++)
        alive += crew->posts[i].state != WAITING;
    return alive;
}
