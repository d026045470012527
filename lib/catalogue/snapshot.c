#include "catalogue/snapshot.h"

#include "base/alloc.h"
#include "base/digest.h"
#include "catalogue/destination.h"
#include "catalogue/words.h"

#include <stdlib.h>
#include <string.h>

enum query { VERSION, MODELS, ALIASES };

static const char *const sql[] = {
    [VERSION] = "SELECT version FROM catalogue_version WHERE id = 1",
    [MODELS] = "SELECT m.id, m.upstream_id, m.upstream_model, m.label, m.premium, m.context,"
               " m.max_output, m.capabilities, m.created_ms, p.id, p.input, p.output,"
               " p.cache_read, p.cache_write_5m, p.cache_write_1h, m.thinking, m.efforts,"
               " m.token_factor"
               " FROM model m"
               " JOIN price p ON p.id = (SELECT MAX(q.id) FROM price q WHERE q.model = m.id)"
               " ORDER BY m.id",
    [ALIASES] = "SELECT id, model, created_ms FROM alias ORDER BY id",
};

static int
read_version(struct mg_db *db, uint64_t *version, struct mg_err *err)
{
    int found = mg_db_number(db, sql[VERSION], NULL, 0, version, err);
    if (found == 0)
        return mg_err_internal(err, "the table catalogue_version has no row; run mgctl migrate");
    return found < 0 ? -1 : 0;
}

static const struct mg_upstream *
upstream_of(const struct mg_snapshot *s, uint64_t id)
{
    for (size_t i = 0; i < s->upstream_count; i++)
        if (s->upstreams[i].id == id && s->upstreams[i].formats != 0)
            return &s->upstreams[i];
    return NULL;
}

/* What the operator stated of the model, in words. A word of a newer version ends its list: those
 * before it stand. */
static void
read_facts(struct mg_db *db, struct mg_model *m)
{
    struct mg_err ignored = MG_ERR_INIT;
    if (mg_words_capabilities(mg_db_get_bytes(db, 7, NULL), &m->capabilities, &ignored) != 0)
        mg_err_free(&ignored);
    if (mg_words_efforts(mg_db_get_bytes(db, 16, NULL), &m->efforts, &ignored) != 0)
        mg_err_free(&ignored);
    m->thinking = m->efforts != 0 ? MG_THINKING_EFFORT : MG_THINKING_BUDGET;
    if (mg_words_thinking(mg_db_get_bytes(db, 15, NULL), &m->thinking, &ignored) != 0)
        mg_err_free(&ignored);
}

/* The current row of MODELS; 1, or 0 when its upstream is out of service. */
static int
read_model(struct mg_db *db, const struct mg_snapshot *s, struct mg_model *m)
{
    const struct mg_upstream *upstream = upstream_of(s, mg_db_get_u64(db, 1));
    if (upstream == NULL)
        return 0;
    *m = (struct mg_model){
        .id = mg_pool_strdup(s->pool, mg_db_get_bytes(db, 0, NULL)),
        .upstream = upstream,
        .upstream_model = mg_pool_strdup(s->pool, mg_db_get_bytes(db, 2, NULL)),
        .label = mg_pool_strdup(s->pool, mg_db_get_bytes(db, 3, NULL)),
        .premium = mg_db_get_i64(db, 4) != 0,
        .context = mg_db_get_i64(db, 5),
        .max_output = mg_db_get_i64(db, 6),
        .token_factor = mg_db_get_i64(db, 17),
        .created_ms = mg_db_get_i64(db, 8),
        .price = {.version = mg_db_get_u64(db, 9),
                  .input = mg_db_get_i64(db, 10),
                  .output = mg_db_get_i64(db, 11),
                  .cache_read = mg_db_get_i64(db, 12),
                  .cache_write_5m = mg_db_get_i64(db, 13),
                  .cache_write_1h = mg_db_get_i64(db, 14)},
    };
    read_facts(db, m);
    return 1;
}

static int
read_models(struct mg_db *db, struct mg_snapshot *s, struct mg_err *err)
{
    struct mg_model *models = NULL, model;
    size_t n = 0;
    if (mg_db_query(db, sql[MODELS], NULL, 0, err) != 0)
        return -1;
    int more;
    while ((more = mg_db_next(db, err)) == 1) {
        if (!read_model(db, s, &model))
            continue;
        models = mg_pool_grow(s->pool, models, n, sizeof(*models));
        models[n++] = model;
    }
    mg_db_done(db);
    s->catalogue.models = models;
    s->catalogue.model_count = n;
    return more;
}

static int
read_aliases(struct mg_db *db, struct mg_snapshot *s, struct mg_err *err)
{
    struct mg_alias *aliases = NULL;
    size_t n = 0;
    if (mg_db_query(db, sql[ALIASES], NULL, 0, err) != 0)
        return -1;
    int more;
    while ((more = mg_db_next(db, err)) == 1) {
        const struct mg_model *model = mg_catalogue_find(&s->catalogue,
                                                         mg_db_get_bytes(db, 1, NULL));
        if (model == NULL)
            continue;
        aliases = mg_pool_grow(s->pool, aliases, n, sizeof(*aliases));
        aliases[n++] = (struct mg_alias){
            .id = mg_pool_strdup(s->pool, mg_db_get_bytes(db, 0, NULL)),
            .model = model,
            .created_ms = mg_db_get_i64(db, 2),
        };
    }
    mg_db_done(db);
    s->catalogue.aliases = aliases;
    s->catalogue.alias_count = n;
    return more;
}

struct reading {
    const struct mg_vault *vault;
    struct mg_snapshot *snapshot; /* of the last attempt */
};

/* Everything is read from one consistent view of the tables. */
static int
read_all(struct mg_db *db, void *arg, struct mg_err *err)
{
    struct reading *r = arg;
    mg_snapshot_unref(r->snapshot);
    struct mg_snapshot *s = r->snapshot = mg_calloc(1, sizeof(*s));
    s->pool = mg_pool_new();
    atomic_init(&s->refs, 1);
    if (read_version(db, &s->catalogue.version, err) != 0 ||
        mg_destination_read(db, r->vault, s->pool, &s->upstreams, &s->upstream_count, err) != 0 ||
        read_models(db, s, err) != 0)
        return -1;
    return read_aliases(db, s, err);
}

struct mg_snapshot *
mg_snapshot_load(struct mg_db *db, const struct mg_vault *vault, uint64_t version,
                 struct mg_err *err)
{
    struct reading r = {vault, NULL};
    int rc = mg_db_snapshot(db, "catalogue", read_all, &r, err);
    if (rc == 0 && r.snapshot->catalogue.version < version)
        rc = mg_err_set(err, 503, "unavailable",
                        "The model catalogue is not up to date on this server; try again.");
    if (rc == 0)
        return r.snapshot;
    mg_snapshot_unref(r.snapshot);
    return NULL;
}

void
mg_snapshot_ref(struct mg_snapshot *s)
{
    atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
}

void
mg_snapshot_unref(struct mg_snapshot *s)
{
    if (s == NULL || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
        return;
    mg_destination_wipe(s->upstreams, s->upstream_count);
    mg_pool_free(&s->pool);
    free(s);
}
