#include "store/clerk.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "store/object.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#define CLERKS 4            /* commits go to the disk together, a large body holds up nobody */
#define SLOW_MS 200         /* a database that needs longer to refuse does not answer at all */
#define AWAY_MS 1000        /* and for so long it is not asked again, since each job would wait */
#define PURGE_EVERY_MS 60000
#define PURGE_GROUP 512     /* objects; between groups jobs are looked for */

struct mg_clerks {
    const struct mg_conf *conf;
    pthread_mutex_t lock;
    pthread_cond_t work;
    struct mg_clerk_job *first, **last;
    bool stopping;
    int64_t away_until_ms, purge_ms; /* monotonic */
    pthread_t threads[CLERKS];
};

static int64_t
mono_ms(void)
{
    return mg_mono_us() / 1000;
}

/* A connection that works, or NULL. */
static struct mg_db *
connection(struct mg_clerks *clerks, struct mg_db **db)
{
    struct mg_err err = MG_ERR_INIT;
    pthread_mutex_lock(&clerks->lock);
    bool away = mono_ms() < clerks->away_until_ms;
    pthread_mutex_unlock(&clerks->lock);
    if (away)
        return NULL;
    int64_t asked_ms = mono_ms();
    if (*db == NULL)
        *db = mg_db_open(clerks->conf, MG_DB_WRITER, &err);
    else if (mg_db_wake(*db, &err) != 0)
        mg_db_close(db);
    if (*db != NULL)
        return *db;
    mg_warn("the object store has no database: %s", err.detail);
    mg_err_free(&err);
    if (mono_ms() - asked_ms < SLOW_MS)
        return NULL;
    pthread_mutex_lock(&clerks->lock);
    clerks->away_until_ms = mono_ms() + AWAY_MS;
    pthread_mutex_unlock(&clerks->lock);
    return NULL;
}

static bool
has_work(struct mg_clerks *clerks)
{
    pthread_mutex_lock(&clerks->lock);
    bool has = clerks->first != NULL || clerks->stopping;
    pthread_mutex_unlock(&clerks->lock);
    return has;
}

static void
purge(struct mg_clerks *clerks, struct mg_db *db)
{
    struct mg_err err = MG_ERR_INIT;
    int64_t now = mg_now_ms();
    size_t deleted = 0, all = 0;
    int rc = mg_object_purge_turn(db, now, now + PURGE_EVERY_MS, &err);
    while (rc == 1) {
        rc = mg_object_purge(db, now, PURGE_GROUP, &deleted, &err) != 0 ? -1 : 1;
        all += deleted;
        if (deleted < PURGE_GROUP || has_work(clerks))
            break; /* what is left has time until the next turn */
    }
    if (all > 0)
        mg_info("removed %zu stored objects whose time is over", all);
    if (rc < 0)
        mg_warn("cannot remove stored objects: %s", err.detail);
    mg_err_free(&err);
}

/* Waits for a job; NULL: it is time to tidy up, or to go. */
static struct mg_clerk_job *
next_job(struct mg_clerks *clerks, bool *stop)
{
    struct mg_clerk_job *job = NULL;
    struct timespec until;
    pthread_mutex_lock(&clerks->lock);
    for (;;) {
        int64_t left = clerks->purge_ms - mono_ms();
        *stop = clerks->stopping && clerks->first == NULL;
        if (*stop || clerks->first != NULL || left <= 0)
            break;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += left / 1000 + 1;
        pthread_cond_timedwait(&clerks->work, &clerks->lock, &until);
    }
    if (clerks->first != NULL) {
        job = clerks->first;
        clerks->first = job->next;
        if (clerks->first == NULL)
            clerks->last = &clerks->first;
    } else {
        clerks->purge_ms = mono_ms() + PURGE_EVERY_MS;
    }
    pthread_mutex_unlock(&clerks->lock);
    return job;
}

static void *
serve(void *arg)
{
    struct mg_clerks *clerks = arg;
    struct mg_db *db = NULL;
    for (;;) {
        bool stop;
        struct mg_clerk_job *job = next_job(clerks, &stop);
        if (stop)
            break;
        struct mg_db *good = connection(clerks, &db);
        if (job != NULL)
            job->run(job, good);
        else if (good != NULL)
            purge(clerks, good);
    }
    mg_db_close(&db);
    return NULL;
}

struct mg_clerks *
mg_clerks_start(const struct mg_conf *conf)
{
    struct mg_clerks *clerks = mg_calloc(1, sizeof(*clerks));
    clerks->conf = conf;
    clerks->last = &clerks->first;
    clerks->purge_ms = mono_ms() + PURGE_EVERY_MS;
    pthread_mutex_init(&clerks->lock, NULL);
    pthread_cond_init(&clerks->work, NULL);
    for (int i = 0; i < CLERKS; i++) {
        if (pthread_create(&clerks->threads[i], NULL, serve, clerks) != 0)
            abort();
    }
    return clerks;
}

void
mg_clerks_stop(struct mg_clerks **clerks)
{
    struct mg_clerks *c = *clerks;
    if (c == NULL)
        return;
    pthread_mutex_lock(&c->lock);
    c->stopping = true;
    pthread_cond_broadcast(&c->work);
    pthread_mutex_unlock(&c->lock);
    for (int i = 0; i < CLERKS; i++)
        pthread_join(c->threads[i], NULL);
    pthread_cond_destroy(&c->work);
    pthread_mutex_destroy(&c->lock);
    free(c);
    *clerks = NULL;
}

void
mg_clerks_do(struct mg_clerks *clerks, struct mg_clerk_job *job)
{
    job->next = NULL;
    pthread_mutex_lock(&clerks->lock);
    *clerks->last = job;
    clerks->last = &job->next;
    pthread_cond_signal(&clerks->work);
    pthread_mutex_unlock(&clerks->lock);
}
