#include "infer/muster.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>

#define LOOK_MS 20

struct mg_muster {
    pthread_mutex_t lock;
    struct mg_exchange *first;
    size_t count;
};

struct mg_muster *
mg_muster_new(void)
{
    struct mg_muster *muster = mg_calloc(1, sizeof(*muster));
    pthread_mutex_init(&muster->lock, NULL);
    return muster;
}

void
mg_muster_free(struct mg_muster **muster)
{
    if (*muster == NULL)
        return;
    pthread_mutex_destroy(&(*muster)->lock);
    free(*muster);
    *muster = NULL;
}

void
mg_muster_add(struct mg_muster *muster, struct mg_exchange *x)
{
    pthread_mutex_lock(&muster->lock);
    x->next = muster->first;
    if (x->next != NULL)
        x->next->at = &x->next;
    x->at = &muster->first;
    muster->first = x;
    muster->count++;
    pthread_mutex_unlock(&muster->lock);
}

void
mg_muster_remove(struct mg_muster *muster, struct mg_exchange *x)
{
    pthread_mutex_lock(&muster->lock);
    if (x->at != NULL) {
        *x->at = x->next;
        if (x->next != NULL)
            x->next->at = x->at;
        x->at = NULL;
        muster->count--;
    }
    pthread_mutex_unlock(&muster->lock);
}

/* The end of one loop's exchanges. */
struct order {
    struct mg_muster *muster;
    struct mg_loop *loop;
};

/* On that loop, where alone its exchanges are struck out. One without a transfer is not begun, or
 * has got all from its upstream and is about to end by itself. */
static void
break_off(void *arg)
{
    struct order *order = arg;
    struct mg_err err = MG_ERR_INIT;
    mg_err_set(&err, 503, "unavailable", "The service is being restarted; please try again.");
    pthread_mutex_lock(&order->muster->lock);
    for (struct mg_exchange *x = order->muster->first; x != NULL; x = x->next) {
        if (x->loop == order->loop && x->transfer != NULL)
            mg_exchange_stop(x, &err);
    }
    pthread_mutex_unlock(&order->muster->lock);
    mg_err_free(&err);
    free(order);
}

static size_t
count(struct mg_muster *muster)
{
    pthread_mutex_lock(&muster->lock);
    size_t n = muster->count;
    pthread_mutex_unlock(&muster->lock);
    return n;
}

void
mg_muster_dismiss(struct mg_muster *muster, struct mg_app *app, int64_t patience_ms)
{
    int64_t end = mg_mono_ms() + patience_ms;
    size_t n = count(muster);
    if (n == 0)
        return;
    mg_warn("the time to stop is over: breaking off %zu requests", n);
    for (size_t i = 0; i < app->loop_count; i++) {
        struct order *order = mg_calloc(1, sizeof(*order));
        *order = (struct order){muster, app->loops[i]};
        mg_loop_post(app->loops[i], break_off, order);
    }
    while (count(muster) > 0 && mg_mono_ms() < end)
        poll(NULL, 0, LOOK_MS);
}
