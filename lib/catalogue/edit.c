#include "catalogue/edit.h"

#include "base/clock.h"
#include "catalogue/words.h"

#include <string.h>

#define TOKENS_MOST 1000000000LL

enum query {
    BUMP, UPSTREAM, MODEL, ALIAS, INSERT_MODEL, UPDATE_MODEL, REMOVE_MODEL, ALIASES_OF,
    INSERT_PRICE, PRICES, PRICES_OF, SET_ALIAS, REMOVE_ALIAS
};

#define FACTOR_LEAST 100
#define FACTOR_MOST 10000
#define PRICE_COLUMNS "SELECT id, model, input, output, cache_read, cache_write_5m," \
                      " cache_write_1h, created_ms FROM price "

static const char *const sql[] = {
    [BUMP] = "UPDATE catalogue_version SET version = version + 1, changed_ms = ? WHERE id = 1",
    [UPSTREAM] = "SELECT id FROM upstream WHERE name = ?",
    [MODEL] = "SELECT 1 FROM model WHERE id = ?",
    [ALIAS] = "SELECT 1 FROM alias WHERE id = ?",
    [INSERT_MODEL] = "INSERT INTO model (id, upstream_id, upstream_model, label, premium, context,"
                     " max_output, capabilities, thinking, efforts, token_factor, created_ms)"
                     " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [UPDATE_MODEL] = "UPDATE model SET upstream_id = COALESCE(?, upstream_id),"
                     " upstream_model = COALESCE(?, upstream_model), label = COALESCE(?, label),"
                     " premium = COALESCE(?, premium), context = COALESCE(?, context),"
                     " max_output = COALESCE(?, max_output),"
                     " capabilities = COALESCE(?, capabilities),"
                     " thinking = COALESCE(?, thinking), efforts = COALESCE(?, efforts),"
                     " token_factor = COALESCE(?, token_factor)"
                     " WHERE id = ?",
    [REMOVE_MODEL] = "DELETE FROM model WHERE id = ?",
    [ALIASES_OF] = "SELECT id FROM alias WHERE model = ? LIMIT 1",
    [INSERT_PRICE] = "INSERT INTO price (model, input, output, cache_read, cache_write_5m,"
                     " cache_write_1h, created_ms) VALUES (?, ?, ?, ?, ?, ?, ?)",
    [PRICES] = PRICE_COLUMNS "ORDER BY id DESC",
    [PRICES_OF] = PRICE_COLUMNS "WHERE model = ? ORDER BY id DESC",
    [SET_ALIAS] = "INSERT INTO alias (id, model, created_ms) VALUES (?, ?, ?)"
                  " ON DUPLICATE KEY UPDATE model = VALUES(model)",
    [REMOVE_ALIAS] = "DELETE FROM alias WHERE id = ?",
};

struct run {
    mg_db_work *fn;
    void *arg;
};

static int
bump(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct run *run = arg;
    struct mg_db_value now = mg_db_i64(mg_now_ms());
    if (mg_db_exec(db, sql[BUMP], &now, 1, err) != 0)
        return -1;
    if (mg_db_affected(db) != 1)
        return mg_err_internal(err, "the table catalogue_version has no row; run mgctl migrate");
    return run->fn(db, run->arg, err);
}

int
mg_edit_run(struct mg_db *db, const char *name, mg_db_work *fn, void *arg, struct mg_err *err)
{
    struct run run = {fn, arg};
    return mg_db_txn(db, name, bump, &run, err);
}

/* Looks one thing up by its name: 1 and its number, 0, -1. */
static int
find(struct mg_db *db, enum query query, const char *name, uint64_t *number, struct mg_err *err)
{
    struct mg_db_value value = mg_db_text(name);
    return mg_db_number(db, sql[query], &value, 1, number, err);
}

/* 0 when it is there, else -1 with a 404 that says what is missing. */
static int
need(struct mg_db *db, enum query query, const char *what, const char *name, uint64_t *number,
     struct mg_err *err)
{
    int found = find(db, query, name, number, err);
    if (found == 0)
        return mg_err_set(err, 404, "not_found", "there is no %s '%.127s'", what, name);
    return found < 0 ? -1 : 0;
}

static int
price_part(const char *typed, const char *what, int64_t otherwise, int64_t *pico,
           struct mg_err *err)
{
    *pico = otherwise;
    return typed == NULL ? 0 : mg_words_price(typed, what, pico, err);
}

int
mg_edit_price_read(const struct mg_edit_price *typed, struct mg_price *price, struct mg_err *err)
{
    if (typed->input == NULL || typed->output == NULL)
        return mg_err_set(err, 422, "missing", "a price needs at least input and output");
    *price = (struct mg_price){0};
    if (price_part(typed->input, "input", 0, &price->input, err) != 0 ||
        price_part(typed->output, "output", 0, &price->output, err) != 0 ||
        price_part(typed->cache_read, "cache read", price->input, &price->cache_read, err) != 0 ||
        price_part(typed->cache_write_5m, "cache write 5m", price->input, &price->cache_write_5m,
                   err) != 0)
        return -1;
    return price_part(typed->cache_write_1h, "cache write 1h", price->cache_write_5m,
                      &price->cache_write_1h, err);
}

static int
insert_price(struct mg_db *db, const char *model, const struct mg_price *price,
             struct mg_err *err)
{
    const struct mg_db_value values[] = {
        mg_db_text(model), mg_db_i64(price->input), mg_db_i64(price->output),
        mg_db_i64(price->cache_read), mg_db_i64(price->cache_write_5m),
        mg_db_i64(price->cache_write_1h), mg_db_i64(mg_now_ms())};
    return mg_db_exec(db, sql[INSERT_PRICE], values, 7, err);
}

static int
check_model(const struct mg_edit_model *m, struct mg_err *err)
{
    unsigned bits;
    enum mg_thinking_style style;
    if (mg_words_check_id(m->id, 127, "model id", err) != 0 ||
        (m->upstream_model != NULL &&
         mg_words_check_id(m->upstream_model, 255, "model id", err) != 0) ||
        (m->label != NULL && mg_words_check_text(m->label, 63, "label", err) != 0) ||
        (m->capabilities != NULL && mg_words_capabilities(m->capabilities, &bits, err) != 0) ||
        (m->thinking != NULL && mg_words_thinking(m->thinking, &style, err) != 0) ||
        (m->efforts != NULL && mg_words_efforts(m->efforts, &bits, err) != 0))
        return -1;
    if (m->context > TOKENS_MOST || m->max_output > TOKENS_MOST)
        return mg_err_set(err, 422, "invalid_tokens",
                          "context and max output are tokens, at most %lld", TOKENS_MOST);
    if (m->token_factor >= 0 && (m->token_factor < FACTOR_LEAST || m->token_factor > FACTOR_MOST))
        return mg_err_set(err, 422, "invalid_factor", "a token factor is between 0.1 and 10");
    return 0;
}

struct model_change {
    const struct mg_edit_model *model;
    const struct mg_price *price;
};

static int
add_model(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct model_change *c = arg;
    const struct mg_edit_model *m = c->model;
    uint64_t upstream, number;
    int found = find(db, MODEL, m->id, &number, err);
    if (found == 1)
        return mg_err_set(err, 409, "taken",
                          "there is a model '%s' already; `model set` changes it", m->id);
    if (found == 0 && (found = find(db, ALIAS, m->id, &number, err)) == 1)
        return mg_err_set(err, 409, "taken", "'%s' is an alias; remove it first", m->id);
    if (found < 0 || need(db, UPSTREAM, "upstream", m->upstream, &upstream, err) != 0)
        return -1;
    const struct mg_db_value values[] = {
        mg_db_text(m->id),
        mg_db_u64(upstream),
        mg_db_text(m->upstream_model ? m->upstream_model : m->id),
        mg_db_text(m->label ? m->label : ""),
        mg_db_i64(m->premium > 0),
        mg_db_i64(m->context > 0 ? m->context : 0),
        mg_db_i64(m->max_output > 0 ? m->max_output : 0),
        mg_db_text(m->capabilities ? m->capabilities : "any"),
        mg_db_text(m->thinking ? m->thinking : ""),
        mg_db_text(m->efforts ? m->efforts : ""),
        mg_db_i64(m->token_factor > 0 ? m->token_factor : MG_FACTOR_ONE),
        mg_db_i64(mg_now_ms()),
    };
    if (mg_db_exec(db, sql[INSERT_MODEL], values, sizeof(values) / sizeof(values[0]), err) != 0)
        return -1;
    return insert_price(db, m->id, c->price, err);
}

int
mg_edit_model_add(struct mg_db *db, const struct mg_edit_model *model,
                  const struct mg_price *price, struct mg_err *err)
{
    if (model->upstream == NULL)
        return mg_err_set(err, 422, "missing", "a model needs the name of its upstream");
    if (check_model(model, err) != 0)
        return -1;
    struct model_change c = {model, price};
    return mg_edit_run(db, "model add", add_model, &c, err);
}

static int
set_model(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct model_change *c = arg;
    const struct mg_edit_model *m = c->model;
    uint64_t upstream = 0, one;
    if (need(db, MODEL, "model", m->id, &one, err) != 0 ||
        (m->upstream != NULL &&
         need(db, UPSTREAM, "upstream", m->upstream, &upstream, err) != 0))
        return -1;
    const struct mg_db_value values[] = {
        m->upstream != NULL ? mg_db_u64(upstream) : mg_db_null(),
        mg_db_text(m->upstream_model),
        mg_db_text(m->label),
        m->premium >= 0 ? mg_db_i64(m->premium) : mg_db_null(),
        m->context >= 0 ? mg_db_i64(m->context) : mg_db_null(),
        m->max_output >= 0 ? mg_db_i64(m->max_output) : mg_db_null(),
        mg_db_text(m->capabilities),
        mg_db_text(m->thinking),
        mg_db_text(m->efforts),
        m->token_factor >= 0 ? mg_db_i64(m->token_factor) : mg_db_null(),
        mg_db_text(m->id),
    };
    return mg_db_exec(db, sql[UPDATE_MODEL], values, sizeof(values) / sizeof(values[0]), err);
}

int
mg_edit_model_set(struct mg_db *db, const struct mg_edit_model *model, struct mg_err *err)
{
    if (check_model(model, err) != 0)
        return -1;
    struct model_change c = {model, NULL};
    return mg_edit_run(db, "model set", set_model, &c, err);
}

/* What the small changes are about. */
struct target {
    const char *id, *model;
    const struct mg_price *price;
    uint64_t *version;
};

static int
remove_model(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct target *t = arg;
    struct mg_db_value value = mg_db_text(t->id);
    uint64_t one;
    if (need(db, MODEL, "model", t->id, &one, err) != 0 ||
        mg_db_query(db, sql[ALIASES_OF], &value, 1, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1)
        mg_err_set(err, 409, "in_use",
                   "the alias '%s' means this model; point it elsewhere or remove it first",
                   mg_db_get_bytes(db, 0, NULL));
    mg_db_done(db);
    return found != 0 ? -1 : mg_db_exec(db, sql[REMOVE_MODEL], &value, 1, err);
}

int
mg_edit_model_remove(struct mg_db *db, const char *id, struct mg_err *err)
{
    struct target t = {.id = id};
    return mg_edit_run(db, "model remove", remove_model, &t, err);
}

static int
set_price(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct target *t = arg;
    uint64_t one;
    if (need(db, MODEL, "model", t->model, &one, err) != 0 ||
        insert_price(db, t->model, t->price, err) != 0)
        return -1;
    *t->version = mg_db_insert_id(db);
    return 0;
}

int
mg_edit_price_set(struct mg_db *db, const char *model, const struct mg_price *price,
                  uint64_t *version, struct mg_err *err)
{
    struct target t = {.model = model, .price = price, .version = version};
    return mg_edit_run(db, "price set", set_price, &t, err);
}

static int
set_alias(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct target *t = arg;
    uint64_t one;
    int found = find(db, MODEL, t->id, &one, err);
    if (found == 1)
        return mg_err_set(err, 409, "taken",
                          "'%s' is a model itself; an alias needs an id of its own", t->id);
    if (found < 0 || need(db, MODEL, "model", t->model, &one, err) != 0)
        return -1;
    const struct mg_db_value values[] = {mg_db_text(t->id), mg_db_text(t->model),
                                         mg_db_i64(mg_now_ms())};
    return mg_db_exec(db, sql[SET_ALIAS], values, 3, err);
}

int
mg_edit_alias_set(struct mg_db *db, const char *id, const char *model, struct mg_err *err)
{
    struct target t = {.id = id, .model = model};
    if (mg_words_check_id(id, 127, "model id", err) != 0)
        return -1;
    return mg_edit_run(db, "alias set", set_alias, &t, err);
}

static int
remove_alias(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct target *t = arg;
    struct mg_db_value value = mg_db_text(t->id);
    uint64_t one;
    if (need(db, ALIAS, "alias", t->id, &one, err) != 0)
        return -1;
    return mg_db_exec(db, sql[REMOVE_ALIAS], &value, 1, err);
}

int
mg_edit_alias_remove(struct mg_db *db, const char *id, struct mg_err *err)
{
    struct target t = {.id = id};
    return mg_edit_run(db, "alias remove", remove_alias, &t, err);
}

int
mg_edit_price_list(struct mg_db *db, const char *model, struct mg_pool *pool,
                   struct mg_edit_price_row **rows, size_t *count, struct mg_err *err)
{
    struct mg_db_value value = mg_db_text(model);
    struct mg_edit_price_row *list = NULL;
    size_t n = 0;
    if (mg_db_query(db, sql[model ? PRICES_OF : PRICES], &value, model != NULL, err) != 0)
        return -1;
    int more;
    while ((more = mg_db_next(db, err)) == 1) {
        list = mg_pool_grow(pool, list, n, sizeof(*list));
        list[n++] = (struct mg_edit_price_row){
            .model = mg_pool_strdup(pool, mg_db_get_bytes(db, 1, NULL)),
            .price = {.version = mg_db_get_u64(db, 0),
                      .input = mg_db_get_i64(db, 2),
                      .output = mg_db_get_i64(db, 3),
                      .cache_read = mg_db_get_i64(db, 4),
                      .cache_write_5m = mg_db_get_i64(db, 5),
                      .cache_write_1h = mg_db_get_i64(db, 6)},
            .created_ms = mg_db_get_i64(db, 7),
        };
    }
    mg_db_done(db);
    *rows = list;
    *count = n;
    return more;
}
