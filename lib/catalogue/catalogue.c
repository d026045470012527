#include "catalogue/catalogue.h"

#include "base/alloc.h"
#include "base/money.h"
#include "base/vault.h"
#include "catalogue/snapshot.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct mg_catalogue_cache {
    struct mg_vault vault;
    pthread_mutex_t loading;     /* held while one thread reads; the others wait for it */
    pthread_mutex_t lock;        /* guards `current`, never held during I/O */
    struct mg_snapshot *current; /* NULL before the first reading; holds a reference */
};

struct mg_catalogue_cache *
mg_catalogue_cache_new(const struct mg_conf *conf, struct mg_err *err)
{
    struct mg_catalogue_cache *cache = mg_calloc(1, sizeof(*cache));
    if (mg_vault_open(&cache->vault, conf, err) != 0) {
        free(cache);
        return NULL;
    }
    pthread_mutex_init(&cache->loading, NULL);
    pthread_mutex_init(&cache->lock, NULL);
    return cache;
}

void
mg_catalogue_cache_free(struct mg_catalogue_cache **cache)
{
    if (*cache == NULL)
        return;
    mg_snapshot_unref((*cache)->current);
    mg_vault_close(&(*cache)->vault);
    pthread_mutex_destroy(&(*cache)->loading);
    pthread_mutex_destroy(&(*cache)->lock);
    free(*cache);
    *cache = NULL;
}

/* The snapshot at hand with a reference, or NULL when it is older than `version`. */
static struct mg_snapshot *
at_hand(struct mg_catalogue_cache *cache, uint64_t version)
{
    pthread_mutex_lock(&cache->lock);
    struct mg_snapshot *s = cache->current;
    if (s != NULL && s->catalogue.version < version)
        s = NULL;
    if (s != NULL)
        mg_snapshot_ref(s);
    pthread_mutex_unlock(&cache->lock);
    return s;
}

static struct mg_snapshot *
load(struct mg_catalogue_cache *cache, struct mg_db *db, uint64_t version, struct mg_err *err)
{
    struct mg_snapshot *s = mg_snapshot_load(db, &cache->vault, version, err);
    if (s == NULL) {
        err->status = 503; /* whatever the reason: without a catalogue nothing can be served */
        return NULL;
    }
    mg_snapshot_ref(s);
    pthread_mutex_lock(&cache->lock);
    struct mg_snapshot *old = cache->current;
    cache->current = s;
    pthread_mutex_unlock(&cache->lock);
    mg_snapshot_unref(old);
    return s;
}

const struct mg_catalogue *
mg_catalogue_get(struct mg_catalogue_cache *cache, struct mg_db *db, uint64_t version,
                 struct mg_err *err)
{
    struct mg_snapshot *s = at_hand(cache, version);
    if (s == NULL) {
        pthread_mutex_lock(&cache->loading);
        s = at_hand(cache, version); /* another thread may have read it meanwhile */
        if (s == NULL)
            s = load(cache, db, version, err);
        pthread_mutex_unlock(&cache->loading);
    }
    return s != NULL ? &s->catalogue : NULL;
}

const struct mg_catalogue *
mg_catalogue_current(struct mg_catalogue_cache *cache, struct mg_db *db, struct mg_err *err)
{
    uint64_t version = 0;
    int found = mg_db_number(db, "SELECT version FROM catalogue_version WHERE id = 1", NULL, 0,
                             &version, err);
    return found < 0 ? NULL : mg_catalogue_get(cache, db, version, err);
}

void
mg_catalogue_release(const struct mg_catalogue *catalogue)
{
    /* Every catalogue is the first member of its snapshot; callers only see it as constant. */
    mg_snapshot_unref((struct mg_snapshot *)(uintptr_t)catalogue);
}

static int
by_model(const void *id, const void *model)
{
    return strcmp(id, ((const struct mg_model *)model)->id);
}

static int
by_alias(const void *id, const void *alias)
{
    return strcmp(id, ((const struct mg_alias *)alias)->id);
}

const struct mg_model *
mg_catalogue_find(const struct mg_catalogue *c, const char *id)
{
    if (c->model_count == 0)
        return NULL;
    const struct mg_model *model = bsearch(id, c->models, c->model_count, sizeof(*c->models),
                                           by_model);
    if (model != NULL || c->alias_count == 0)
        return model;
    const struct mg_alias *alias = bsearch(id, c->aliases, c->alias_count, sizeof(*c->aliases),
                                           by_alias);
    return alias != NULL ? alias->model : NULL;
}

int64_t
mg_price_charge(const struct mg_price *price, const struct mg_usage *usage)
{
    mg_pico sum = mg_money_cost(usage->input, price->input) +
                  mg_money_cost(usage->cache_read, price->cache_read) +
                  mg_money_cost(usage->cache_write_5m, price->cache_write_5m) +
                  mg_money_cost(usage->cache_write_1h, price->cache_write_1h) +
                  mg_money_cost(usage->output, price->output); /* reasoning is part of it */
    return mg_money_nano(sum);
}

int64_t
mg_price_dearest_input(const struct mg_price *price)
{
    const int64_t all[] = {price->cache_read, price->cache_write_5m, price->cache_write_1h};
    int64_t most = price->input;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        most = all[i] > most ? all[i] : most;
    return most;
}
