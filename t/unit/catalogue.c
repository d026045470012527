/* The catalogue: words, prices, the operator's changes, and the snapshots that requests see. */
#include "catalogue/catalogue.h"

#include "catalogue/destination.h"
#include "catalogue/edit.h"
#include "catalogue/words.h"
#include "scratch.h"
#include "tap.h"

#include <pthread.h>
#include <stdatomic.h>

static struct scratch scratch;
static struct mg_db *db;
static struct mg_vault vault;

static void
test_words(void)
{
    struct mg_err err = MG_ERR_INIT;
    enum mg_family preferred = MG_CHAT;
    char text[MG_CAPABILITIES_SIZE];
    unsigned bits;
    is_int(mg_words_formats("messages, chat", &bits, &preferred, &err), 0, "a list of formats");
    ok(bits == (1u << MG_MESSAGES | 1u << MG_CHAT) && preferred == MG_MESSAGES,
       "has its bits, the first one is preferred");
    static const char all[] = "image,pdf,tools,structured,reasoning,sampling,system-midway";
    is_int(mg_words_capabilities(all, &bits, &err), 0, "words");
    is_int(bits, 127, "are bits");
    is_str(mg_words_of_capabilities(127, text), all, "and back");
    is_str(mg_words_of_capabilities(0, text), "", "none is empty");
    ok(mg_words_capabilities("none", &bits, &err) == 0 && bits == 0, "none is a word");
    ok(mg_words_capabilities("any", &bits, &err) == 0 && bits == MG_CAP_ANY,
       "any is everything that an upstream could refuse by itself");
    is_int(mg_words_capabilities("image,,pdf", &bits, &err), -1, "an empty word is none");
    is_int(mg_words_capabilities("image,any", &bits, &err), -1, "any stands alone");
    mg_err_free(&err);
}

static void
test_effort_words(void)
{
    struct mg_err err = MG_ERR_INIT;
    enum mg_thinking_style style = MG_THINKING_EFFORT;
    char text[MG_EFFORTS_SIZE];
    unsigned bits = 9;
    static const char all[] = "none,minimal,low,medium,high,xhigh,max";
    ok(mg_words_efforts("", &bits, &err) == 0 && bits == 0, "no efforts are efforts not stated");
    is_int(mg_words_efforts("max, none,high,low ,medium,xhigh,minimal", &bits, &err), 0,
           "efforts in any order");
    is_str(mg_words_of_efforts(bits, text), all, "are listed from low to high");
    is_int(mg_words_efforts("low,huge", &bits, &err), -1, "an unknown effort is refused");
    ok(mg_words_thinking("", &style, &err) == 0 && style == MG_THINKING_EFFORT,
       "a way to think that is not stated changes nothing");
    ok(mg_words_thinking("budget", &style, &err) == 0 && style == MG_THINKING_BUDGET &&
           mg_words_thinking("adaptive", &style, &err) == 0 && style == MG_THINKING_EFFORT,
       "there are two ways to think");
    is_int(mg_words_thinking("hard", &style, &err), -1, "and no third");
    mg_err_free(&err);
}

static void
charge(struct mg_price price, struct mg_usage usage, int64_t want, const char *what)
{
    is_int(mg_price_charge(&price, &usage), want, what);
}

static void
test_charge(void)
{
    const struct mg_price odd = {.input = 546875, .output = 75001, .cache_read = 1,
                                 .cache_write_5m = 3750000, .cache_write_1h = 6000000};
    charge(odd, (struct mg_usage){0}, 0, "nothing used costs nothing");
    charge(odd, (struct mg_usage){.input = 1}, 547, "one token is rounded up");
    charge(odd, (struct mg_usage){.cache_read = 1}, 1, "the smallest charge is one nano-credit");
    charge(odd, (struct mg_usage){.input = 1, .output = 1, .cache_read = 1}, 622,
           "categories are added before the one rounding (621.877)");
    charge(odd, (struct mg_usage){.cache_write_5m = 2, .cache_write_1h = 3}, 25500,
           "cache writes of both lives");
    charge(odd, (struct mg_usage){.output = 1000, .reasoning = 900}, 75001,
           "reasoning is part of the output and not paid twice");
    charge(odd, (struct mg_usage){.input = -5, .output = -7}, 0, "absurd figures cost nothing");
    charge((struct mg_price){.input = INT64_C(1000000000000)},
           (struct mg_usage){.input = INT64_MAX}, INT64_MAX, "a huge one saturates");
    is_int(mg_price_dearest_input(&odd), 6000000, "the dearest input is the long cache write");
    is_int(mg_price_dearest_input(&(struct mg_price){.input = 3, .cache_read = 2}), 3,
           "or plain input");
}

static void
test_price_words(void)
{
    struct mg_err err = MG_ERR_INIT;
    struct mg_price p;
    is_int(mg_edit_price_read(&(struct mg_edit_price){.input = "3", .output = "15"}, &p, &err), 0,
           "a price of two figures");
    ok(p.input == 3000000 && p.output == 15000000 && p.cache_read == p.input &&
           p.cache_write_5m == p.input && p.cache_write_1h == p.input,
       "has the input price for every cache category");
    is_int(mg_edit_price_read(&(struct mg_edit_price){.input = "3", .output = "15",
                                                      .cache_read = "0.3",
                                                      .cache_write_5m = "3.75"}, &p, &err), 0,
           "one of four");
    ok(p.cache_read == 300000 && p.cache_write_5m == 3750000 && p.cache_write_1h == 3750000,
       "has the short write price for the long one");
    is_int(mg_edit_price_read(&(struct mg_edit_price){.input = "0", .output = "0"}, &p, &err), 0,
           "free is a price");
    is_int(mg_edit_price_read(&(struct mg_edit_price){.input = "-0", .output = "0"}, &p, &err), -1,
           "less than free is none");
    is_int(mg_edit_price_read(&(struct mg_edit_price){.input = "3"}, &p, &err), -1,
           "nor is half a one");
    mg_err_free(&err);
}

static void
must(int rc, struct mg_err *err)
{
    if (rc == 0)
        return;
    printf("Bail out! %s %s\n", err->message, err->detail);
    exit(1);
}

static void
add_upstream(const char *name, const char *formats, const char *key)
{
    struct mg_err err = MG_ERR_INIT;
    const struct mg_destination spec = {name, "https://up.example", formats, key};
    must(mg_destination_add(db, &vault, &spec, &err), &err);
}

static void
add_model(const char *id, const char *upstream)
{
    struct mg_err err = MG_ERR_INIT;
    const struct mg_edit_model model = {.id = id, .upstream = upstream, .premium = -1,
                                        .context = -1, .max_output = -1,
                                        .token_factor = -1};
    const struct mg_price price = {.input = 10, .output = 20, .cache_read = 1,
                                   .cache_write_5m = 2, .cache_write_1h = 3};
    must(mg_edit_model_add(db, &model, &price, &err), &err);
}

static uint64_t
version(void)
{
    return (uint64_t)scratch_number(&scratch, "SELECT version FROM catalogue_version");
}

static void
test_snapshot(struct mg_catalogue_cache *cache)
{
    struct mg_err err = MG_ERR_INIT;
    const struct mg_catalogue *c = mg_catalogue_get(cache, db, version(), &err);
    ok(c != NULL && c->model_count == 0 && c->alias_count == 0, "an empty catalogue can be read");
    ok(mg_catalogue_find(c, "x") == NULL, "and has nothing in it");
    add_upstream("a", "messages,chat", "sk-a-secret");
    add_upstream("b", "chat", NULL);
    static const char *const ids[] = {"zeta", "Alpha", "mid/dle:1", "alpha", "0"};
    for (size_t i = 0; i < 5; i++)
        add_model(ids[i], i % 2 ? "b" : "a");
    must(mg_edit_alias_set(db, "power-ai", "zeta", &err), &err);
    is_int((long long)c->model_count, 0, "a snapshot does not change");
    const struct mg_catalogue *same = mg_catalogue_get(cache, db, c->version, &err);
    ok(same == c, "who needs no newer one gets the one at hand");
    mg_catalogue_release(same);
    const struct mg_catalogue *now = mg_catalogue_get(cache, db, version(), &err);
    ok(now != NULL && now->version == version() && now->model_count == 5, "a newer one is read");
    bool found = true;
    for (size_t i = 0; i < 5; i++) {
        const struct mg_model *m = mg_catalogue_find(now, ids[i]);
        found = found && m != NULL && strcmp(m->id, ids[i]) == 0;
    }
    ok(found, "every model is found, letter case counts");
    ok(mg_catalogue_find(now, "ALPHA") == NULL && mg_catalogue_find(now, "") == NULL &&
           mg_catalogue_find(now, "zeta ") == NULL,
       "what is not there is not found");
    const struct mg_model *m = mg_catalogue_find(now, "power-ai");
    ok(m != NULL && strcmp(m->id, "zeta") == 0, "an alias is resolved");
    ok(strcmp(m->upstream->url, "https://up.example/v1") == 0 &&
           strcmp(m->upstream->key, "sk-a-secret") == 0 && m->upstream->preferred == MG_MESSAGES &&
           m->upstream->formats == (1u << MG_MESSAGES | 1u << MG_CHAT),
       "the destination is known with its credential");
    ok(m->price.input == 10 && m->price.cache_write_1h == 3 && m->price.version > 0 &&
           m->capabilities == MG_CAP_ANY && m->thinking == MG_THINKING_BUDGET &&
           m->efforts == 0 && !m->premium && m->context == 0,
       "and the model as it was added");
    is_str(mg_catalogue_find(now, "alpha")->upstream->key, "", "one without a credential has none");
    mg_catalogue_release(c);
    mg_catalogue_release(now);
    mg_catalogue_release(NULL);
    ok(mg_catalogue_get(cache, db, version() + 5, &err) == NULL && err.status == 503,
       "a version that does not exist yet is refused");
    mg_err_free(&err);
}

static void
set_facts(const char *capabilities, const char *thinking, const char *efforts)
{
    struct mg_err err = MG_ERR_INIT;
    const struct mg_edit_model model = {.id = "zeta", .capabilities = capabilities,
                                        .thinking = thinking, .efforts = efforts, .premium = -1,
                                        .context = -1, .max_output = -1,
                                        .token_factor = -1};
    must(mg_edit_model_set(db, &model, &err), &err);
}

static void
has_facts(struct mg_catalogue_cache *cache, unsigned capabilities,
          enum mg_thinking_style thinking, unsigned efforts, const char *what)
{
    struct mg_err err = MG_ERR_INIT;
    const struct mg_catalogue *c = mg_catalogue_get(cache, db, version(), &err);
    const struct mg_model *m = mg_catalogue_find(c, "power-ai");
    ok(m->capabilities == capabilities && m->thinking == thinking && m->efforts == efforts, "%s",
       what);
    mg_catalogue_release(c);
}

static void
test_facts(struct mg_catalogue_cache *cache)
{
    const unsigned two = 1u << MG_EFFORT_LOW | 1u << MG_EFFORT_MAX;
    set_facts("tools,system-midway", NULL, NULL);
    has_facts(cache, MG_CAP_TOOLS | MG_CAP_SYSTEM_MIDWAY, MG_THINKING_BUDGET, 0,
              "a list of capabilities is all there is");
    set_facts(NULL, NULL, "low,max");
    has_facts(cache, MG_CAP_TOOLS | MG_CAP_SYSTEM_MIDWAY, MG_THINKING_EFFORT, two,
              "a model that takes efforts thinks by them");
    set_facts(NULL, "budget", NULL);
    has_facts(cache, MG_CAP_TOOLS | MG_CAP_SYSTEM_MIDWAY, MG_THINKING_BUDGET, two,
              "unless it is said otherwise");
    set_facts("any", "", "");
    has_facts(cache, MG_CAP_ANY, MG_THINKING_BUDGET, 0, "everything can be taken back");
}

static void
test_prices(struct mg_catalogue_cache *cache)
{
    struct mg_err err = MG_ERR_INIT;
    uint64_t id = 0, old_version;
    const struct mg_price dear = {.input = 1000, .output = 2000};
    const struct mg_catalogue *before = mg_catalogue_get(cache, db, version(), &err);
    old_version = mg_catalogue_find(before, "zeta")->price.version;
    must(mg_edit_price_set(db, "zeta", &dear, &id, &err), &err);
    const struct mg_catalogue *after = mg_catalogue_get(cache, db, version(), &err);
    ok(mg_catalogue_find(before, "zeta")->price.input == 10, "a request keeps its price");
    const struct mg_price *p = &mg_catalogue_find(after, "zeta")->price;
    ok(p->input == 1000 && p->version == id && id > old_version, "the next one has the new one");
    is_int(mg_catalogue_find(after, "alpha")->price.input, 10, "of this model alone");
    mg_catalogue_release(before);
    mg_catalogue_release(after);
}

/* A credential that does not open takes its own models away, not the others. */
static void
test_damage(struct mg_catalogue_cache *cache)
{
    struct mg_err err = MG_ERR_INIT;
    scratch_sql(&scratch, "USE scratch;"
                          "UPDATE upstream SET sealed = REVERSE(sealed) WHERE name = 'a';"
                          "UPDATE catalogue_version SET version = version + 1");
    const struct mg_catalogue *c = mg_catalogue_get(cache, db, version(), &err);
    ok(c != NULL && mg_catalogue_find(c, "zeta") == NULL &&
           mg_catalogue_find(c, "power-ai") == NULL,
       "models behind a damaged credential are gone, their aliases too");
    ok(mg_catalogue_find(c, "alpha") != NULL, "the others are served");
    mg_catalogue_release(c);
    const struct mg_destination mend = {.name = "a", .key = "sk-new"};
    must(mg_destination_set(db, &vault, &mend, &err), &err);
    c = mg_catalogue_get(cache, db, version(), &err);
    ok(c != NULL && mg_catalogue_find(c, "zeta") != NULL, "a new credential mends it");
    is_str(mg_catalogue_find(c, "zeta")->upstream->key, "sk-new", "and is used");
    mg_catalogue_release(c);
}

/* Readers against an operator who changes a model and its upstream in one transaction: whoever
 * reads sees both of one version. */
#define READERS 3
#define VERSIONS 20 /* that each of them sees go by */

struct reader {
    struct mg_catalogue_cache *cache;
    int mixed, failed, versions;
    atomic_bool over;
};

static void *
read_often(void *arg)
{
    struct reader *r = arg;
    struct mg_err err = MG_ERR_INIT;
    struct mg_db *own = mg_db_open(&scratch.conf, MG_DB_SERVICE, &err);
    uint64_t last = 0;
    for (int i = 0; own != NULL && i < 100000 && r->versions < VERSIONS; i++) {
        uint64_t at_least = 0;
        if (mg_db_query(own, "SELECT version FROM catalogue_version", NULL, 0, &err) == 0 &&
            mg_db_next(own, &err) == 1)
            at_least = mg_db_get_u64(own, 0);
        mg_db_done(own);
        const struct mg_catalogue *c = mg_catalogue_get(r->cache, own, at_least, &err);
        if (c == NULL || c->version < at_least) {
            r->failed++;
            continue;
        }
        const struct mg_model *m = mg_catalogue_find(c, "both");
        r->mixed += m == NULL || m->context != strtoll(m->upstream->url, NULL, 10);
        r->versions += c->version != last;
        last = c->version;
        mg_catalogue_release(c);
    }
    r->failed += own == NULL;
    mg_db_close(&own);
    mg_err_free(&err);
    atomic_store(&r->over, true);
    return NULL;
}

static int
change_both(struct mg_db *conn, void *arg, struct mg_err *err)
{
    const struct mg_db_value n[] = {mg_db_i64(*(int64_t *)arg)};
    if (mg_db_exec(conn, "UPDATE model SET context = ? WHERE id = 'both'", n, 1, err) != 0)
        return -1;
    return mg_db_exec(conn, "UPDATE upstream SET url = ? WHERE name = 'b'", n, 1, err);
}

static void
test_together(struct mg_catalogue_cache *cache)
{
    struct reader readers[READERS];
    pthread_t threads[READERS];
    struct mg_err err = MG_ERR_INIT;
    int64_t n = 10;
    int mixed = 0, failed = 0, versions = 0;
    add_model("both", "b");
    must(mg_edit_run(db, "test", change_both, &n, &err), &err);
    for (int i = 0; i < READERS; i++) {
        readers[i] = (struct reader){.cache = cache};
        pthread_create(&threads[i], NULL, read_often, &readers[i]);
    }
    for (int i = 0; i < READERS; i++)
        for (; !atomic_load(&readers[i].over); n++)
            must(mg_edit_run(db, "test", change_both, &n, &err), &err);
    for (int i = 0; i < READERS; i++) {
        pthread_join(threads[i], NULL);
        mixed += readers[i].mixed;
        failed += readers[i].failed;
        versions += readers[i].versions;
    }
    is_int(failed, 0, "every reader gets a catalogue at least as new as it asked for");
    is_int(mixed, 0, "and none in which two versions are mixed");
    is_int(versions, READERS * VERSIONS, "while many versions go by");
}

int
main(void)
{
    struct mg_err err = MG_ERR_INIT;
    char key_file[128];
    plan(0);
    test_words();
    test_effort_words();
    test_charge();
    test_price_words();
    scratch_start(&scratch);
    scratch_tables(&scratch, "0002-catalogue.sql");
    scratch_tables(&scratch, "0009-background.sql");
    snprintf(key_file, sizeof(key_file), "%s/master.key", scratch.dir);
    FILE *out = fopen(key_file, "we");
    fputs("0123456789abcdef0123456789abcdef", out);
    fclose(out);
    chmod(key_file, 0600);
    scratch_set(&scratch.conf.master_key_file, key_file);
    db = mg_db_open(&scratch.conf, MG_DB_ADMIN, &err);
    struct mg_catalogue_cache *cache = mg_catalogue_cache_new(&scratch.conf, &err);
    if (db == NULL || cache == NULL || mg_vault_open(&vault, &scratch.conf, &err) != 0) {
        printf("Bail out! %s\n", err.detail);
        return 1;
    }
    test_snapshot(cache);
    test_facts(cache);
    test_prices(cache);
    test_damage(cache);
    test_together(cache);
    mg_catalogue_cache_free(&cache);
    mg_db_close(&db);
    scratch_stop(&scratch);
    return done();
}
