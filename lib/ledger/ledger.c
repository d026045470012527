#include "ledger/ledger.h"

#include "base/alloc.h"
#include "base/utf8.h"
#include "ledger/beat.h"
#include "ledger/journal.h"
#include "ledger/proc.h"
#include "ledger/writer.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROLE_BYTES 32

struct mg_ledger {
    struct mg_proc self;
    char role[ROLE_BYTES];
    struct mg_writer *writer;
    struct mg_beat *beat; /* atomic: the writer may ask for it before it is there */
};

/* On the writer's thread: journals can be replayed. */
static void
database_is_up(void *arg)
{
    struct mg_ledger *ledger = arg;
    struct mg_beat *beat = __atomic_load_n(&ledger->beat, __ATOMIC_ACQUIRE);
    if (beat != NULL)
        mg_beat_poke(beat);
}

struct mg_ledger *
mg_ledger_start(const struct mg_conf *conf, const char *role, struct mg_err *err)
{
    struct mg_journal *journal = mg_journal_new(conf->state_dir, err);
    if (journal == NULL)
        return NULL;
    struct mg_ledger *ledger = mg_calloc(1, sizeof(*ledger));
    mg_proc_self(&ledger->self);
    snprintf(ledger->role, sizeof(ledger->role), "%s", role);
    /* Signals are for the threads of the program, not for these. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    ledger->writer = mg_writer_start(conf, &ledger->self, ledger->role, journal, database_is_up,
                                     ledger);
    struct mg_beat *beat = mg_beat_start(conf, &ledger->self, ledger->role, ledger->writer);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    __atomic_store_n(&ledger->beat, beat, __ATOMIC_RELEASE);
    return ledger;
}

void
mg_ledger_stop(struct mg_ledger **ledger)
{
    struct mg_ledger *l = *ledger;
    if (l == NULL)
        return;
    /* First the thread that gives the writer work, last the object that the writer pokes. */
    mg_beat_stop(l->beat);
    mg_writer_stop(&l->writer);
    mg_beat_free(&l->beat);
    free(l);
    *ledger = NULL;
}

bool
mg_ledger_healthy(struct mg_ledger *ledger)
{
    return mg_writer_state(ledger->writer) == MG_WRITER_UP;
}

/* A wish that cannot be misread: nothing negative, the least not above the most. */
static void
copy_reserve(struct mg_job *job, const struct mg_reserve *reserve)
{
    struct mg_reserve *r = &job->reserve;
    *r = *reserve;
    r->want = r->want < 0 ? 0 : r->want > MG_BOOK_MOST ? MG_BOOK_MOST : r->want;
    r->least = r->least < 0 ? 0 : r->least > r->want ? r->want : r->least;
}

struct waiter {
    sem_t done;
    struct mg_reserved *result;
};

static void
wake(void *arg, const struct mg_reserved *result)
{
    struct waiter *w = arg;
    *w->result = *result;
    sem_post(&w->done);
}

void
mg_ledger_reserve(struct mg_ledger *ledger, const struct mg_reserve *reserve,
                  struct mg_reserved *result)
{
    struct waiter w = {.result = result};
    struct mg_job job = {.kind = MG_JOB_RESERVE, .done.reserved = wake, .arg = &w};
    if (mg_writer_state(ledger->writer) == MG_WRITER_AWAY) {
        *result = (struct mg_reserved){.outcome = MG_RESERVE_UNAVAILABLE};
        return;
    }
    copy_reserve(&job, reserve);
    sem_init(&w.done, 0, 0);
    mg_writer_submit(ledger->writer, &job);
    while (sem_wait(&w.done) != 0 && errno == EINTR)
        continue;
    sem_destroy(&w.done);
}

/* A job that nobody waits for and that frees itself. */
static void
queue(struct mg_ledger *ledger, enum mg_job_kind kind, const struct mg_reserve *reserve,
      mg_reserve_done *done, void *arg)
{
    struct mg_job *job = mg_calloc(1, sizeof(*job));
    job->kind = kind;
    job->owned = true;
    job->done.reserved = done;
    job->arg = arg;
    copy_reserve(job, reserve);
    mg_writer_submit(ledger->writer, job);
}

void
mg_ledger_hold(struct mg_ledger *ledger, const struct mg_reserve *reserve,
               mg_reserve_done *done, void *arg)
{
    if (mg_writer_state(ledger->writer) == MG_WRITER_AWAY)
        done(arg, &(struct mg_reserved){.outcome = MG_RESERVE_UNAVAILABLE});
    else
        queue(ledger, MG_JOB_RESERVE, reserve, done, arg);
}

void
mg_ledger_extend(struct mg_ledger *ledger, const struct mg_reserve *reserve,
                 mg_reserve_done *done, void *arg)
{
    queue(ledger, MG_JOB_EXTEND, reserve, done, arg);
}

/* A settle must never be refused for what its texts hold: no NUL is missing and bytes that are
 * not what the column takes become '?'. */
static void
clean(char *text, size_t size, bool ascii)
{
    size_t n = strnlen(text, size - 1);
    text[n] = '\0';
    if (!ascii && mg_utf8_valid(text, n))
        return;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] >= 0x80)
            text[i] = '?';
}

static int64_t
no_less_than_zero(int64_t value)
{
    return value > 0 ? value : 0;
}

static void
copy_settle(struct mg_job *job, const struct mg_settle *settle)
{
    struct mg_settle *s = &job->settle;
    *s = *settle;
    clean(s->model, sizeof(s->model), false);
    clean(s->served_by, sizeof(s->served_by), false);
    clean(s->label, sizeof(s->label), false);
    clean(s->family, sizeof(s->family), true);
    s->charge = no_less_than_zero(s->charge);
    if (s->charge > MG_BOOK_MOST)
        s->charge = MG_BOOK_MOST;
    s->input = no_less_than_zero(s->input);
    s->cache_read = no_less_than_zero(s->cache_read);
    s->cache_write_5m = no_less_than_zero(s->cache_write_5m);
    s->cache_write_1h = no_less_than_zero(s->cache_write_1h);
    s->output = no_less_than_zero(s->output);
    s->reasoning = no_less_than_zero(s->reasoning);
}

void
mg_ledger_settle(struct mg_ledger *ledger, const struct mg_settle *settle, mg_settle_done *done,
                 void *arg)
{
    struct mg_job *job = mg_calloc(1, sizeof(*job));
    job->kind = MG_JOB_SETTLE;
    job->owned = true;
    job->done.settled = done;
    job->arg = arg;
    copy_settle(job, settle);
    mg_writer_submit(ledger->writer, job);
}

uint64_t
mg_ledger_owner(const struct mg_ledger *ledger)
{
    return ledger->self.owner;
}
