#include "catalogue/destination.h"

#include "base/clock.h"
#include "base/log.h"
#include "catalogue/edit.h"
#include "catalogue/words.h"

#include <stdlib.h>
#include <string.h>

enum query { INSERT, BY_NAME, UPDATE, SEAL, MODELS, REMOVE, LIST, READ };

static const char *const sql[] = {
    [INSERT] = "INSERT INTO upstream (name, url, formats, created_ms) VALUES (?, ?, ?, ?)",
    [BY_NAME] = "SELECT id FROM upstream WHERE name = ?",
    [UPDATE] = "UPDATE upstream SET url = COALESCE(?, url), formats = COALESCE(?, formats)"
               " WHERE id = ?",
    [SEAL] = "UPDATE upstream SET sealed = ? WHERE id = ?",
    [MODELS] = "SELECT COUNT(*), MIN(id) FROM model WHERE upstream_id = ?",
    [REMOVE] = "DELETE FROM upstream WHERE id = ?",
    [LIST] = "SELECT u.id, u.name, u.url, u.formats, u.sealed IS NOT NULL, COUNT(m.id),"
             " u.created_ms FROM upstream u LEFT JOIN model m ON m.upstream_id = u.id"
             " GROUP BY u.id ORDER BY u.name",
    [READ] = "SELECT id, name, url, formats, sealed FROM upstream ORDER BY id",
};

/* 1 and the id, 0, -1. */
static int
find(struct mg_db *db, const char *name, uint64_t *id, struct mg_err *err)
{
    struct mg_db_value value = mg_db_text(name);
    return mg_db_number(db, sql[BY_NAME], &value, 1, id, err);
}

static int
find_or_404(struct mg_db *db, const char *name, uint64_t *id, struct mg_err *err)
{
    int found = find(db, name, id, err);
    if (found == 0)
        return mg_err_set(err, 404, "not_found", "there is no upstream '%.63s'", name);
    return found < 0 ? -1 : 0;
}

static struct mg_vault_place
place_of(uint64_t id)
{
    return (struct mg_vault_place){"upstream-key", id, 0};
}

/* A credential sealed under another master key than the stored ones would make the service
 * lose this destination, so the key at hand has to open what is there. */
static int
check_vault(struct mg_db *db, const struct mg_vault *vault, struct mg_err *err)
{
    struct mg_err why = MG_ERR_INIT;
    if (mg_db_query(db, sql[READ], NULL, 0, err) != 0)
        return -1;
    int rc = 0, more;
    while ((more = mg_db_next(db, err)) == 1 && rc == 0) {
        size_t n;
        const char *sealed = mg_db_get_bytes(db, 4, &n);
        if (mg_db_is_null(db, 4))
            continue;
        char *key = mg_vault_unseal(vault, place_of(mg_db_get_u64(db, 0)), sealed, n, &why);
        if (key == NULL)
            rc = mg_err_internal(err, "upstream '%s': %s", mg_db_get_bytes(db, 1, NULL),
                                 why.detail);
        else
            mg_wipe(key, strlen(key));
        free(key);
    }
    mg_db_done(db);
    mg_err_free(&why);
    return more < 0 ? -1 : rc;
}

static int
seal(struct mg_db *db, const struct mg_vault *vault, uint64_t id, const char *key,
     struct mg_err *err)
{
    uint8_t sealed[MG_DESTINATION_KEY + MG_VAULT_OVERHEAD];
    size_t n = strlen(key);
    if (n > 0)
        mg_vault_seal(vault, place_of(id), key, n, sealed);
    const struct mg_db_value values[] = {
        n > 0 ? mg_db_bytes(sealed, n + MG_VAULT_OVERHEAD) : mg_db_null(), mg_db_u64(id)};
    return mg_db_exec(db, sql[SEAL], values, 2, err);
}

struct change {
    const struct mg_vault *vault;
    const struct mg_destination *spec;
    const char *url;
};

static int
add(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct change *c = arg;
    uint64_t id;
    int found = find(db, c->spec->name, &id, err);
    if (found == 1)
        return mg_err_set(err, 409, "taken",
                          "there is an upstream '%s' already; `upstream set` changes it",
                          c->spec->name);
    const struct mg_db_value values[] = {mg_db_text(c->spec->name), mg_db_text(c->url),
                                         mg_db_text(c->spec->formats), mg_db_i64(mg_now_ms())};
    if (found < 0 || mg_db_exec(db, sql[INSERT], values, 4, err) != 0)
        return -1;
    if (c->spec->key == NULL || *c->spec->key == '\0')
        return 0;
    id = mg_db_insert_id(db);
    return check_vault(db, c->vault, err) == 0 ? seal(db, c->vault, id, c->spec->key, err) : -1;
}

static int
set(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct change *c = arg;
    uint64_t id;
    if (find_or_404(db, c->spec->name, &id, err) != 0)
        return -1;
    const struct mg_db_value values[] = {mg_db_text(c->url), mg_db_text(c->spec->formats),
                                         mg_db_u64(id)};
    if (mg_db_exec(db, sql[UPDATE], values, 3, err) != 0)
        return -1;
    if (c->spec->key == NULL)
        return 0;
    /* The old credential may be the one that does not open: it goes before the others are
     * tried, so that a damaged row can be mended. */
    if (seal(db, c->vault, id, "", err) != 0 || check_vault(db, c->vault, err) != 0)
        return -1;
    return seal(db, c->vault, id, c->spec->key, err);
}

/* A header line carries the credential: only visible ASCII can stand in one. */
static int
check_key(const char *key, struct mg_err *err)
{
    size_t n = strlen(key);
    bool good = n <= MG_DESTINATION_KEY;
    for (const char *c = key; *c != '\0'; c++)
        good = good && *c > 0x20 && *c < 0x7f;
    if (good)
        return 0;
    return mg_err_set(err, 422, "invalid_key",
                      "the credential has to be one line of at most %d visible ASCII characters "
                      "without spaces",
                      MG_DESTINATION_KEY);
}

static int
check(const struct mg_destination *spec, char url[MG_WORDS_URL], struct mg_err *err)
{
    unsigned formats;
    enum mg_family preferred;
    if (mg_words_check_id(spec->name, 63, "upstream name", err) != 0 ||
        (spec->url != NULL && mg_words_url(spec->url, url, err) != 0) ||
        (spec->formats != NULL &&
         mg_words_formats(spec->formats, &formats, &preferred, err) != 0) ||
        (spec->key != NULL && check_key(spec->key, err) != 0))
        return -1;
    return 0;
}

int
mg_destination_add(struct mg_db *db, const struct mg_vault *vault,
                   const struct mg_destination *spec, struct mg_err *err)
{
    char url[MG_WORDS_URL];
    if (spec->url == NULL || spec->formats == NULL)
        return mg_err_set(err, 422, "missing", "an upstream needs a URL and its formats");
    if (check(spec, url, err) != 0)
        return -1;
    struct change c = {vault, spec, url};
    return mg_edit_run(db, "upstream add", add, &c, err);
}

int
mg_destination_set(struct mg_db *db, const struct mg_vault *vault,
                   const struct mg_destination *spec, struct mg_err *err)
{
    char url[MG_WORDS_URL];
    if (check(spec, url, err) != 0)
        return -1;
    struct change c = {vault, spec, spec->url != NULL ? url : NULL};
    return mg_edit_run(db, "upstream set", set, &c, err);
}

static int
drop(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct change *c = arg;
    const char *name = c->spec->name;
    uint64_t id;
    if (find_or_404(db, name, &id, err) != 0)
        return -1;
    struct mg_db_value value = mg_db_u64(id);
    if (mg_db_query(db, sql[MODELS], &value, 1, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    int64_t models = found == 1 ? mg_db_get_i64(db, 0) : 0;
    if (models > 0)
        mg_err_set(err, 409, "in_use",
                   "%lld model%s served by '%s' (%s%s); move or remove them first",
                   (long long)models, models == 1 ? " is" : "s are", name,
                   mg_db_get_bytes(db, 1, NULL), models > 1 ? ", …" : "");
    mg_db_done(db);
    if (found != 1 || models > 0)
        return -1;
    return mg_db_exec(db, sql[REMOVE], &value, 1, err);
}

int
mg_destination_remove(struct mg_db *db, const char *name, struct mg_err *err)
{
    const struct mg_destination spec = {.name = name};
    struct change c = {NULL, &spec, NULL};
    return mg_edit_run(db, "upstream remove", drop, &c, err);
}

int
mg_destination_list(struct mg_db *db, struct mg_pool *pool, struct mg_destination_row **rows,
                    size_t *count, struct mg_err *err)
{
    struct mg_destination_row *list = NULL;
    size_t n = 0;
    if (mg_db_query(db, sql[LIST], NULL, 0, err) != 0)
        return -1;
    int more;
    while ((more = mg_db_next(db, err)) == 1) {
        list = mg_pool_grow(pool, list, n, sizeof(*list));
        list[n++] = (struct mg_destination_row){
            .id = mg_db_get_u64(db, 0),
            .name = mg_pool_strdup(pool, mg_db_get_bytes(db, 1, NULL)),
            .url = mg_pool_strdup(pool, mg_db_get_bytes(db, 2, NULL)),
            .formats = mg_pool_strdup(pool, mg_db_get_bytes(db, 3, NULL)),
            .has_key = mg_db_get_i64(db, 4) != 0,
            .models = mg_db_get_i64(db, 5),
            .created_ms = mg_db_get_i64(db, 6),
        };
    }
    mg_db_done(db);
    *count = more == 0 ? n : 0;
    *rows = list;
    return more;
}

/* The current row of READ. What cannot be used gets formats 0; one bad row must not take the
 * others away. */
static void
read_row(struct mg_db *db, const struct mg_vault *vault, struct mg_pool *pool,
         struct mg_upstream *u)
{
    struct mg_err err = MG_ERR_INIT;
    size_t n;
    *u = (struct mg_upstream){
        .id = mg_db_get_u64(db, 0),
        .name = mg_pool_strdup(pool, mg_db_get_bytes(db, 1, NULL)),
        .url = mg_pool_strdup(pool, mg_db_get_bytes(db, 2, NULL)),
        .key = "",
    };
    int rc = mg_words_formats(mg_db_get_bytes(db, 3, NULL), &u->formats, &u->preferred, &err);
    if (rc == 0 && vault != NULL && !mg_db_is_null(db, 4)) {
        const char *sealed = mg_db_get_bytes(db, 4, &n);
        char *key = mg_vault_unseal(vault, place_of(u->id), sealed, n, &err);
        if (key != NULL) {
            u->key = mg_pool_strdup(pool, key);
            mg_wipe(key, strlen(key));
        }
        rc = key != NULL ? 0 : -1;
        free(key);
    }
    if (rc != 0) {
        u->formats = 0;
        mg_error("upstream '%s' and its models are out of service: %s", u->name,
                 *err.detail ? err.detail : err.message);
    }
    mg_err_free(&err);
}

int
mg_destination_read(struct mg_db *db, const struct mg_vault *vault, struct mg_pool *pool,
                    struct mg_upstream **list, size_t *count, struct mg_err *err)
{
    struct mg_upstream *found = NULL;
    size_t n = 0;
    if (mg_db_query(db, sql[READ], NULL, 0, err) != 0)
        return -1;
    int more;
    while ((more = mg_db_next(db, err)) == 1) {
        found = mg_pool_grow(pool, found, n, sizeof(*found));
        read_row(db, vault, pool, &found[n++]);
    }
    mg_db_done(db);
    *count = n;
    *list = found;
    return more;
}

void
mg_destination_wipe(struct mg_upstream *list, size_t count)
{
    /* The pool's memory behind the constant pointer is writable; "" stands in a constant. */
    for (size_t i = 0; i < count; i++)
        if (*list[i].key != '\0')
            mg_wipe((char *)(uintptr_t)list[i].key, strlen(list[i].key));
}
