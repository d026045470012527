#include "ledger/writer.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "ledger/beat.h"
#include "ledger/record.h"
#include "ledger/sweep.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FIRST_PAUSE_MS 100   /* between attempts to connect … */
#define LONGEST_PAUSE_MS 1000
#define TRIES 4              /* of a batch whose end is not known */
#define KEPT_PAUSE_MS 250    /* between attempts to place what no disk took */
#define JOURNAL_MS 60000     /* settles put aside while the database answered wait so long */
#define LAST_TRIES 8         /* for kept jobs when the process ends */

struct mg_writer {
    const struct mg_conf *conf;
    const struct mg_proc *self;
    const char *role;
    struct mg_journal *journal;
    void (*up)(void *);
    void *arg;
    pthread_t thread;
    pthread_mutex_t lock;    /* guards the queue and the two flags below it */
    pthread_cond_t more;
    struct mg_job *first, *last;
    bool stop, doubt;
    int state;               /* enum mg_writer_state; atomic */
    /* The rest belongs to the thread. */
    struct mg_db *db;
    struct mg_batch *batch;
    int64_t retry_ms;        /* monotonic: when to connect again */
    int64_t pause_ms;
    struct mg_job *kept;     /* settles in memory only */
    int64_t kept_ms;         /* monotonic: when to try them again */
    struct mg_job *jobs[MG_BATCH_MOST];
};

enum mg_writer_state
mg_writer_state(const struct mg_writer *writer)
{
    return (enum mg_writer_state)__atomic_load_n(&writer->state, __ATOMIC_ACQUIRE);
}

static void
set_state(struct mg_writer *w, enum mg_writer_state state)
{
    __atomic_store_n(&w->state, state, __ATOMIC_RELEASE);
}

void
mg_writer_submit(struct mg_writer *w, struct mg_job *job)
{
    job->next = NULL;
    pthread_mutex_lock(&w->lock);
    bool idle = w->first == NULL;
    if (idle)
        w->first = job;
    else
        w->last->next = job;
    w->last = job;
    if (idle)
        pthread_cond_signal(&w->more);
    pthread_mutex_unlock(&w->lock);
}

void
mg_writer_doubt(struct mg_writer *w)
{
    pthread_mutex_lock(&w->lock);
    w->doubt = true;
    pthread_cond_signal(&w->more);
    pthread_mutex_unlock(&w->lock);
}

/* When the thread has something to do even if nobody asks, monotonic ms; INT64_MAX = never. */
static int64_t
next_duty(const struct mg_writer *w)
{
    int64_t at = INT64_MAX, journal;
    if (mg_writer_state(w) != MG_WRITER_UP)
        at = w->retry_ms;
    else if (mg_journal_age(w->journal) > 0 &&
             (journal = mg_mono_ms() + JOURNAL_MS - mg_journal_age(w->journal)) < at)
        at = journal;
    return w->kept != NULL && w->kept_ms < at ? w->kept_ms : at;
}

/* Waits for jobs, a duty, a doubt or the end, and takes at most MG_BATCH_MOST jobs. */
static size_t
take(struct mg_writer *w, bool *doubt, bool *stop)
{
    size_t n = 0;
    int64_t duty = next_duty(w);
    struct timespec until = {.tv_sec = duty / 1000, .tv_nsec = duty % 1000 * 1000000};
    pthread_mutex_lock(&w->lock);
    while (w->first == NULL && !w->doubt && !w->stop) {
        if (duty == INT64_MAX)
            pthread_cond_wait(&w->more, &w->lock);
        else if (pthread_cond_timedwait(&w->more, &w->lock, &until) != 0)
            break;
    }
    while (n < MG_BATCH_MOST && w->first != NULL) {
        w->jobs[n++] = w->first;
        w->first = w->first->next;
    }
    *doubt = w->doubt;
    w->doubt = false;
    *stop = w->stop;
    pthread_mutex_unlock(&w->lock);
    return n;
}

static void
go_away(struct mg_writer *w, const struct mg_err *err)
{
    if (mg_writer_state(w) != MG_WRITER_AWAY)
        mg_warn("ledger: the database is away: %s", err->detail);
    set_state(w, MG_WRITER_AWAY);
    w->retry_ms = mg_mono_ms() + w->pause_ms;
    w->pause_ms = 2 * w->pause_ms < LONGEST_PAUSE_MS ? 2 * w->pause_ms : LONGEST_PAUSE_MS;
}

/* Lets go of the journal, so that it is replayed, and tells the keeper. */
static void
release_journal(struct mg_writer *w)
{
    mg_journal_close(w->journal);
    w->up(w->arg);
}

/* Connects (or finds the connection alive) and registers this process: no hold is ever made
 * whose owner the sweepers do not know. */
static void
connect_now(struct mg_writer *w)
{
    struct mg_err err = MG_ERR_INIT;
    bool good = w->db != NULL ? mg_db_wake(w->db, &err) == 0
                              : (w->db = mg_db_open(w->conf, MG_DB_WRITER, &err)) != NULL;
    if (good && mg_writer_state(w) != MG_WRITER_UP)
        good = mg_beat_say(w->db, w->self, w->role, &err) == 0;
    if (!good) {
        go_away(w, &err);
    } else if (mg_writer_state(w) != MG_WRITER_UP) {
        if (mg_writer_state(w) == MG_WRITER_AWAY)
            mg_info("ledger: the database is back");
        set_state(w, MG_WRITER_UP);
        w->pause_ms = FIRST_PAUSE_MS;
        release_journal(w);
    }
    mg_err_free(&err);
}

/* A reserve that is refused although it may have landed has to be taken back some time. */
static struct mg_job *
undo(const struct mg_job *job)
{
    struct mg_job *back = mg_calloc(1, sizeof(*back));
    back->kind = MG_JOB_SETTLE;
    back->owned = true;
    memcpy(back->settle.request_id, job->reserve.request_id, MG_ID_BYTES);
    back->settle.wallet_id = job->reserve.wallet_id;
    back->settle.release = true;
    return back;
}

static void
keep(struct mg_writer *w, struct mg_job *job)
{
    job->kept = true;
    job->next = w->kept;
    w->kept = job;
    w->kept_ms = mg_mono_ms() + KEPT_PAUSE_MS;
}

/* Puts settles into the journal, or keeps them. */
static void
store(struct mg_writer *w, struct mg_job **settles, size_t count)
{
    const struct mg_settle *lines[MG_BATCH_MOST];
    for (size_t i = 0; i < count; i++)
        lines[i] = &settles[i]->settle;
    bool good = count == 0 || mg_journal_append(w->journal, lines, count) == 0;
    for (size_t i = 0; i < count; i++) {
        settles[i]->settled.durable = good;
        if (!good)
            keep(w, settles[i]);
    }
}

/* Gives jobs that did not land their results. `again`: reserves may have landed all the same. */
static void
put_aside(struct mg_writer *w, struct mg_job **jobs, size_t count, bool again)
{
    struct mg_job *settles[MG_BATCH_MOST], *undone[MG_BATCH_MOST];
    size_t n = 0, u = 0;
    for (size_t i = 0; i < count; i++) {
        struct mg_job *job = jobs[i];
        job->reserved = (struct mg_reserved){.outcome = MG_RESERVE_UNAVAILABLE};
        job->settled = (struct mg_settled){.charge = job->settle.charge};
        if (job->kind == MG_JOB_SETTLE)
            settles[n++] = job;
        else if (job->kind == MG_JOB_RESERVE && again)
            undone[u++] = undo(job);
    }
    store(w, settles, n);
    store(w, undone, u);
    for (size_t i = 0; i < u; i++)
        if (!undone[i]->kept)
            free(undone[i]);
}

/* Carries out a batch: all of it, or in halves when one job spoils it for the others. */
static void
land(struct mg_writer *w, struct mg_job **jobs, size_t count)
{
    struct mg_err err = MG_ERR_INIT;
    enum mg_db_why why = MG_DB_FINE;
    bool again = false;
    if (count == 0)
        return;
    if (mg_writer_state(w) != MG_WRITER_UP) {
        put_aside(w, jobs, count, false);
        return;
    }
    for (int attempt = 0; attempt < TRIES; attempt++) {
        mg_err_free(&err);
        if (mg_batch_run(w->batch, w->db, jobs, count, again, &err) == 0)
            return;
        why = mg_db_why(w->db);
        again |= why == MG_DB_UNCERTAIN || why == MG_DB_DUPLICATE;
        if (why == MG_DB_UNCERTAIN)
            mg_warn("ledger: a commit ended without an answer, looking whether it landed");
        else if (why != MG_DB_DUPLICATE)
            break;
    }
    if (why == MG_DB_LOST || why == MG_DB_UNCERTAIN) {
        go_away(w, &err);
        put_aside(w, jobs, count, again);
    } else if (why == MG_DB_CONFLICT || count == 1) {
        mg_error("ledger: %zu jobs put aside: %s", count, err.detail);
        put_aside(w, jobs, count, again);
    } else {
        land(w, jobs, count / 2);
        land(w, jobs + count / 2, count - count / 2);
    }
    mg_err_free(&err);
}

/* Tells whoever asked. The job may be gone when its callback returns. */
static void
answer(struct mg_job *job)
{
    bool settles = job->kind == MG_JOB_SETTLE, release = job->owned && !job->kept;
    mg_settle_done *settled = settles ? job->done.settled : NULL;
    mg_reserve_done *reserved = settles ? NULL : job->done.reserved;
    struct mg_settled result = job->settled;
    if (settles)
        job->done.settled = NULL;
    if (settled != NULL)
        settled(job->arg, &result);
    if (reserved != NULL)
        reserved(job->arg, &job->reserved);
    if (release)
        free(job);
}

/* Tries to place what could not be placed before; nobody waits for it. */
static void
place_kept(struct mg_writer *w)
{
    struct mg_job *jobs[MG_BATCH_MOST];
    size_t n = 0;
    while (n < MG_BATCH_MOST && w->kept != NULL) {
        jobs[n] = w->kept;
        w->kept = w->kept->next;
        jobs[n++]->kept = false;
    }
    land(w, jobs, n);
    for (size_t i = 0; i < n; i++)
        answer(jobs[i]);
}

static void
do_duties(struct mg_writer *w, bool doubt)
{
    bool up = mg_writer_state(w) == MG_WRITER_UP;
    if (doubt || (!up && mg_mono_ms() >= w->retry_ms))
        connect_now(w);
    if (up && mg_journal_age(w->journal) > JOURNAL_MS)
        release_journal(w);
    if (w->kept != NULL && mg_mono_ms() >= w->kept_ms)
        place_kept(w);
}

/* The end: what is still only in memory is tried a few times more and then at least said. */
static void
give_up_kept(struct mg_writer *w)
{
    for (int i = 0; i < LAST_TRIES && w->kept != NULL; i++) {
        nanosleep(&(struct timespec){.tv_nsec = KEPT_PAUSE_MS * 1000000L}, NULL);
        connect_now(w);
        place_kept(w);
    }
    while (w->kept != NULL) {
        struct mg_job *job = w->kept;
        struct mg_str line;
        w->kept = job->next;
        mg_str_init(&line, MG_RECORD_MOST + 64);
        mg_record_write(&line, &job->settle);
        mg_error("ledger: LOST, neither database nor disk took it: %.*s", (int)line.len - 1,
                 line.p);
        mg_str_free(&line);
        free(job);
    }
}

static void
leave(struct mg_writer *w)
{
    struct mg_err err = MG_ERR_INIT;
    give_up_kept(w);
    if (mg_writer_state(w) == MG_WRITER_UP && mg_sweep_owner(w->db, w->self->owner, &err) != 0)
        mg_warn("ledger: the process row stays for the sweepers: %s", err.detail);
    mg_err_free(&err);
    mg_db_close(&w->db);
}

static void *
run(void *arg)
{
    struct mg_writer *w = arg;
    bool doubt = false, stop = false;
    connect_now(w);
    for (;;) {
        size_t n = take(w, &doubt, &stop);
        if (n == 0 && stop)
            break;
        land(w, w->jobs, n);
        for (size_t i = 0; i < n; i++)
            answer(w->jobs[i]);
        do_duties(w, doubt); /* may have to wait for a host that is silent: nobody else should */
    }
    leave(w);
    return NULL;
}

struct mg_writer *
mg_writer_start(const struct mg_conf *conf, const struct mg_proc *self, const char *role,
                struct mg_journal *journal, void (*up)(void *), void *arg)
{
    struct mg_writer *w = mg_calloc(1, sizeof(*w));
    pthread_condattr_t attr;
    w->conf = conf;
    w->self = self;
    w->role = role;
    w->journal = journal;
    w->up = up;
    w->arg = arg;
    w->pause_ms = FIRST_PAUSE_MS;
    w->batch = mg_batch_new(self);
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&w->more, &attr);
    pthread_condattr_destroy(&attr);
    if (pthread_create(&w->thread, NULL, run, w) != 0)
        abort();
    return w;
}

void
mg_writer_stop(struct mg_writer **writer)
{
    struct mg_writer *w = *writer;
    if (w == NULL)
        return;
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_signal(&w->more);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    mg_batch_free(&w->batch);
    mg_journal_free(&w->journal);
    pthread_cond_destroy(&w->more);
    pthread_mutex_destroy(&w->lock);
    free(w);
    *writer = NULL;
}
