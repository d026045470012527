#include "ledger/beat.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "ledger/journal.h"
#include "ledger/sweep.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REPLAY_CHUNK 256 /* settles that wait for their commit together */

static const char say_sql[] =
    "INSERT INTO proc (owner, role, host, place, pid, birth, started_ms, beat, heartbeat_ms)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?)"
    " ON DUPLICATE KEY UPDATE beat = beat + 1, heartbeat_ms = VALUES(heartbeat_ms)";

struct mg_beat {
    const struct mg_conf *conf;
    const struct mg_proc *self;
    const char *role;
    struct mg_writer *writer;
    struct mg_sweeper *sweeper;
    struct mg_db *db;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t turn; /* a poke, the end, or answers of a replay */
    bool poked, stop;
    size_t waiting;      /* settles of a replay without an answer */
    bool unsafe;         /* one of them is not even on disk */
};

int
mg_beat_say(struct mg_db *db, const struct mg_proc *self, const char *role, struct mg_err *err)
{
    int64_t now = mg_now_ms();
    const struct mg_db_value values[] = {
        mg_db_u64(self->owner), mg_db_text(role), mg_db_text(self->host),
        mg_db_text(self->place), mg_db_i64(self->pid), mg_db_u64(self->birth),
        mg_db_i64(now), mg_db_i64(now)};
    return mg_db_exec(db, say_sql, values, sizeof(values) / sizeof(values[0]), err);
}

static void
replayed(void *arg, const struct mg_settled *result)
{
    struct mg_beat *beat = arg;
    pthread_mutex_lock(&beat->lock);
    beat->unsafe |= !result->durable;
    if (--beat->waiting == 0)
        pthread_cond_signal(&beat->turn);
    pthread_mutex_unlock(&beat->lock);
}

/* Hands up to REPLAY_CHUNK settles to the writer and waits for all. How many there were; fewer
 * than a chunk: the file is at its end. */
static size_t
replay_chunk(struct mg_beat *beat, struct mg_replay *replay)
{
    struct mg_job *jobs[REPLAY_CHUNK];
    size_t n = 0;
    for (; n < REPLAY_CHUNK; n++) {
        struct mg_job *job = mg_calloc(1, sizeof(*job));
        if (mg_replay_next(replay, &job->settle) != 1) {
            free(job);
            break;
        }
        job->kind = MG_JOB_SETTLE;
        job->owned = true;
        job->done.settled = replayed;
        job->arg = beat;
        jobs[n] = job;
    }
    pthread_mutex_lock(&beat->lock);
    beat->waiting = n;
    pthread_mutex_unlock(&beat->lock);
    for (size_t i = 0; i < n; i++)
        mg_writer_submit(beat->writer, jobs[i]);
    pthread_mutex_lock(&beat->lock);
    while (beat->waiting > 0)
        pthread_cond_wait(&beat->turn, &beat->lock);
    pthread_mutex_unlock(&beat->lock);
    return n;
}

/* Lands what journals hold, of this process and of any that ended. A settle that still cannot
 * land is in the writer's own journal afterwards, so the file can go in any case but one. */
static void
replay_journals(struct mg_beat *beat)
{
    struct mg_replay *replay;
    beat->unsafe = false;
    while (!beat->unsafe && mg_writer_state(beat->writer) == MG_WRITER_UP &&
           (replay = mg_replay_take(beat->conf->state_dir)) != NULL) {
        size_t total = 0, n = REPLAY_CHUNK;
        while (n == REPLAY_CHUNK && !beat->unsafe)
            total += n = replay_chunk(beat, replay);
        mg_replay_end(&replay, !beat->unsafe);
        if (total > 0)
            mg_info("ledger: %zu journalled settles replayed", total);
    }
}

static void
make_round(struct mg_beat *beat)
{
    struct mg_err err = MG_ERR_INIT;
    if (beat->db == NULL)
        beat->db = mg_db_open(beat->conf, MG_DB_WRITER, &err);
    if (beat->db == NULL || mg_beat_say(beat->db, beat->self, beat->role, &err) != 0) {
        mg_sweeper_restart(beat->sweeper);
        mg_writer_doubt(beat->writer);
    } else if (mg_writer_state(beat->writer) == MG_WRITER_UP) {
        /* What a dead process had settled is charged before its holds are swept. */
        replay_journals(beat);
        if (mg_sweeper_pass(beat->sweeper, beat->db, &err) != 0)
            mg_warn("ledger: sweeping failed: %s", err.detail);
    }
    mg_err_free(&err);
}

static bool
wait_for_turn(struct mg_beat *beat)
{
    int64_t at = mg_mono_ms() + beat->conf->heartbeat_ms;
    struct timespec until = {.tv_sec = at / 1000, .tv_nsec = at % 1000 * 1000000};
    pthread_mutex_lock(&beat->lock);
    while (!beat->poked && !beat->stop)
        if (pthread_cond_timedwait(&beat->turn, &beat->lock, &until) != 0)
            break;
    beat->poked = false;
    bool stop = beat->stop;
    pthread_mutex_unlock(&beat->lock);
    return !stop;
}

static void *
run(void *arg)
{
    struct mg_beat *beat = arg;
    do {
        make_round(beat);
    } while (wait_for_turn(beat));
    mg_db_close(&beat->db);
    return NULL;
}

struct mg_beat *
mg_beat_start(const struct mg_conf *conf, const struct mg_proc *self, const char *role,
              struct mg_writer *writer)
{
    struct mg_beat *beat = mg_calloc(1, sizeof(*beat));
    pthread_condattr_t attr;
    beat->conf = conf;
    beat->self = self;
    beat->role = role;
    beat->writer = writer;
    beat->sweeper = mg_sweeper_new(self, conf->stale_ms);
    pthread_mutex_init(&beat->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&beat->turn, &attr);
    pthread_condattr_destroy(&attr);
    if (pthread_create(&beat->thread, NULL, run, beat) != 0)
        abort();
    return beat;
}

void
mg_beat_stop(struct mg_beat *beat)
{
    pthread_mutex_lock(&beat->lock);
    beat->stop = true;
    pthread_cond_broadcast(&beat->turn);
    pthread_mutex_unlock(&beat->lock);
    pthread_join(beat->thread, NULL);
}

void
mg_beat_free(struct mg_beat **beat)
{
    struct mg_beat *b = *beat;
    if (b == NULL)
        return;
    mg_sweeper_free(&b->sweeper);
    pthread_cond_destroy(&b->turn);
    pthread_mutex_destroy(&b->lock);
    free(b);
    *beat = NULL;
}

void
mg_beat_poke(struct mg_beat *beat)
{
    pthread_mutex_lock(&beat->lock);
    beat->poked = true;
    pthread_cond_signal(&beat->turn);
    pthread_mutex_unlock(&beat->lock);
}
