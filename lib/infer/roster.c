#include "infer/roster.h"

#include "base/alloc.h"
#include "base/log.h"
#include "store/running.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#define ASK_MS 300 /* how often the wish to cancel is looked for */
#define CANCELS 64 /* of one look; the next ones are seen at the next */

struct mg_roster {
    pthread_mutex_t lock;
    struct mg_roster_entry *first;
    bool asking;           /* the timer runs, or a clerk looks */
    struct mg_timer timer; /* the side loop's */
    struct mg_clerk_job job;
    struct mg_app *app;
};

/* A wish on its way to the loop of what it names. */
struct wish {
    struct mg_roster *roster;
    uint64_t seq;
};

struct mg_roster *
mg_roster_new(struct mg_app *app)
{
    struct mg_roster *roster = mg_calloc(1, sizeof(*roster));
    pthread_mutex_init(&roster->lock, NULL);
    roster->app = app;
    return roster;
}

void
mg_roster_free(struct mg_roster **roster)
{
    if (*roster == NULL)
        return;
    pthread_mutex_destroy(&(*roster)->lock);
    free(*roster);
    *roster = NULL;
}

/* ---- wishes ---- */

static struct mg_roster_entry *
find(struct mg_roster *roster, uint64_t seq)
{
    struct mg_roster_entry *entry = roster->first;
    while (entry != NULL && entry->seq != seq)
        entry = entry->next;
    return entry;
}

/* On the loop of the entry, where alone it can be struck out. */
static void
stop(void *arg)
{
    struct wish *wish = arg;
    pthread_mutex_lock(&wish->roster->lock);
    struct mg_roster_entry *entry = find(wish->roster, wish->seq);
    pthread_mutex_unlock(&wish->roster->lock);
    if (entry != NULL)
        entry->stop(entry->arg);
    free(wish);
}

bool
mg_roster_cancel(struct mg_roster *roster, uint64_t seq)
{
    struct wish *wish = mg_calloc(1, sizeof(*wish));
    *wish = (struct wish){roster, seq};
    pthread_mutex_lock(&roster->lock);
    struct mg_roster_entry *entry = find(roster, seq);
    if (entry != NULL)
        mg_loop_post(entry->loop, stop, wish);
    pthread_mutex_unlock(&roster->lock);
    if (entry == NULL)
        free(wish);
    return entry != NULL;
}

/* ---- wishes of other processes ---- */

static void on_ask(void *arg);

/* Back on the side loop. */
static void
looked(void *arg)
{
    struct mg_roster *roster = arg;
    pthread_mutex_lock(&roster->lock);
    roster->asking = roster->first != NULL;
    if (roster->asking)
        mg_timer_set(roster->app->side_loop, &roster->timer, ASK_MS, on_ask, roster);
    pthread_mutex_unlock(&roster->lock);
}

/* On a clerk's thread: which of ours are to be stopped? */
static void
look(struct mg_clerk_job *job, struct mg_db *db)
{
    struct mg_roster *roster =
        (struct mg_roster *)((char *)job - offsetof(struct mg_roster, job));
    struct mg_err err = MG_ERR_INIT;
    uint64_t seq[CANCELS];
    size_t count = 0;
    if (db != NULL && mg_running_cancelled(db, mg_ledger_owner(roster->app->ledger), seq, CANCELS,
                                           &count, &err) != 0)
        mg_warn("cannot look for cancelled responses: %s", err.detail);
    for (size_t i = 0; i < count; i++)
        (void)mg_roster_cancel(roster, seq[i]);
    mg_err_free(&err);
    mg_loop_post(roster->app->side_loop, looked, roster);
}

static void
on_ask(void *arg)
{
    struct mg_roster *roster = arg;
    roster->job.run = look;
    mg_clerks_do(roster->app->clerks, &roster->job);
}

/* ---- entries ---- */

void
mg_roster_add(struct mg_roster *roster, struct mg_roster_entry *entry)
{
    pthread_mutex_lock(&roster->lock);
    entry->next = roster->first;
    if (entry->next != NULL)
        entry->next->at = &entry->next;
    roster->first = entry;
    entry->at = &roster->first;
    entry->listed = true;
    if (!roster->asking) {
        roster->asking = true;
        mg_loop_post(roster->app->side_loop, on_ask, roster);
    }
    pthread_mutex_unlock(&roster->lock);
}

void
mg_roster_remove(struct mg_roster *roster, struct mg_roster_entry *entry)
{
    if (!entry->listed)
        return;
    pthread_mutex_lock(&roster->lock);
    *entry->at = entry->next;
    if (entry->next != NULL)
        entry->next->at = entry->at;
    entry->listed = false;
    pthread_mutex_unlock(&roster->lock);
}
