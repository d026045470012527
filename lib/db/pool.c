/* Connections shared by the worker threads of a process, first come, first served. */
#include "db/connect.h"
#include "db/fault.h"
#include "db/statement.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define PATIENCE_MS 30000 /* longest wait for a connection */
#define DOWN_MS 200       /* after a failed attempt to connect nobody tries for so long */

struct waiter {
    struct waiter *next;
    pthread_cond_t turn;
    bool go;              /* a place is yours */
};

struct mg_db_pool {
    const struct mg_conf *conf;
    pthread_mutex_t lock;
    struct mg_db **idle;  /* connections nobody uses, a stack of idle_count */
    unsigned idle_count;
    unsigned most, used;  /* places */
    struct waiter *first, *last;
    int64_t down_until_ms;/* monotonic */
};

struct mg_db_pool *
mg_db_pool_new(const struct mg_conf *conf, unsigned connections)
{
    struct mg_db_pool *pool = mg_calloc(1, sizeof(*pool));
    pool->conf = conf;
    pool->most = connections > 0 ? connections : 1;
    pool->idle = mg_calloc(pool->most, sizeof(*pool->idle));
    pthread_mutex_init(&pool->lock, NULL);
    return pool;
}

void
mg_db_pool_free(struct mg_db_pool **pool)
{
    struct mg_db_pool *p = *pool;
    if (p == NULL)
        return;
    for (unsigned i = 0; i < p->idle_count; i++)
        mg_db_close(&p->idle[i]);
    pthread_mutex_destroy(&p->lock);
    free(p->idle);
    free(p);
    *pool = NULL;
}

static void
append(struct mg_db_pool *pool, struct waiter *w)
{
    if (pool->last != NULL)
        pool->last->next = w;
    else
        pool->first = w;
    pool->last = w;
}

static void
leave(struct mg_db_pool *pool, struct waiter *w)
{
    struct waiter *before = NULL, **at = &pool->first;
    while (*at != w) {
        before = *at;
        at = &(*at)->next;
    }
    *at = w->next;
    if (pool->last == w)
        pool->last = before;
}

/* Waits, holding the lock, until a place is free for this thread and takes it. */
static bool
take_place(struct mg_db_pool *pool)
{
    if (pool->first == NULL && pool->used < pool->most) {
        pool->used++;
        return true;
    }
    struct waiter w = {.next = NULL};
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&w.turn, &attr);
    pthread_condattr_destroy(&attr);
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += PATIENCE_MS / 1000;
    append(pool, &w);
    int rc = 0;
    while (!w.go && rc == 0)
        rc = pthread_cond_timedwait(&w.turn, &pool->lock, &until);
    if (!w.go)
        leave(pool, &w);
    pthread_cond_destroy(&w.turn);
    return w.go;
}

/* Gives a place, holding the lock, to who waits longest, or frees it. */
static void
give_place(struct mg_db_pool *pool)
{
    struct waiter *w = pool->first;
    if (w == NULL) {
        pool->used--;
        return;
    }
    pool->first = w->next;
    if (pool->first == NULL)
        pool->last = NULL;
    w->go = true;
    pthread_cond_signal(&w->turn);
}

/* Has a place, not the lock: finds out whether the connection is alive, or makes one. */
static struct mg_db *
revive(const struct mg_db_pool *pool, struct mg_db *db, struct mg_err *err)
{
    if (db == NULL)
        return mg_db_open(pool->conf, MG_DB_SERVICE, err);
    if (mg_db_ensure(db, err) != 0)
        mg_db_close(&db);
    return db;
}

struct mg_db *
mg_db_pool_get(struct mg_db_pool *pool, struct mg_err *err)
{
    struct mg_db *db = NULL;
    pthread_mutex_lock(&pool->lock);
    bool place = take_place(pool);
    bool down = mg_mono_ms() < pool->down_until_ms;
    if (place && pool->idle_count > 0)
        db = pool->idle[--pool->idle_count];
    pthread_mutex_unlock(&pool->lock);
    if (!place) {
        mg_fault_away(err, "no free connection for 30 s");
        return NULL;
    }
    if (db != NULL || !down)
        db = revive(pool, db, err);
    else
        mg_fault_away(err, "an attempt a moment ago failed");
    if (db == NULL) {
        pthread_mutex_lock(&pool->lock);
        if (!down)
            pool->down_until_ms = mg_mono_ms() + DOWN_MS;
        give_place(pool);
        pthread_mutex_unlock(&pool->lock);
    }
    return db;
}

void
mg_db_pool_put(struct mg_db_pool *pool, struct mg_db *db)
{
    mg_stmt_end_reading(db);
    pthread_mutex_lock(&pool->lock);
    pool->idle[pool->idle_count++] = db;
    give_place(pool);
    pthread_mutex_unlock(&pool->lock);
}
