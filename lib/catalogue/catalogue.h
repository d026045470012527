/* The catalogue: models, their prices, and the upstream destinations behind them.
 *
 * Read whole from the database into an immutable snapshot; a request keeps the snapshot it
 * began with, so a price or an alias that changes meanwhile never mixes into its bill. */
#ifndef MG_CATALOGUE_CATALOGUE_H
#define MG_CATALOGUE_CATALOGUE_H

#include "base/conf.h"
#include "base/err.h"
#include "db/db.h"
#include "wire/family.h"
#include "wire/levels.h"
#include "wire/usage.h"

#include <stdbool.h>
#include <stdint.h>

/* What a model can take (bits). */
enum {
    MG_CAP_IMAGE = 1,
    MG_CAP_PDF = 2,
    MG_CAP_TOOLS = 4,
    MG_CAP_STRUCTURED = 8,
    MG_CAP_REASONING = 16,
    MG_CAP_SAMPLING = 32,      /* temperature, top_p, top_k */
    MG_CAP_SYSTEM_MIDWAY = 64, /* Messages: role system inside the conversation */
    /* What is assumed of a model of which nothing is stated: it can take whatever clients ask
     * for, but for what has a harmless substitute. */
    MG_CAP_ANY = MG_CAP_IMAGE | MG_CAP_PDF | MG_CAP_TOOLS | MG_CAP_STRUCTURED |
                 MG_CAP_REASONING | MG_CAP_SAMPLING
};

#define MG_FACTOR_ONE 1000 /* a token_factor that changes nothing */

/* Prices in pico-credits per token. */
struct mg_price {
    int64_t input, output, cache_read, cache_write_5m, cache_write_1h;
    uint64_t version; /* id of the price row: goes into every ledger row */
};

struct mg_upstream {
    uint64_t id;
    const char *name;
    const char *url;      /* base, e.g. https://api.example.com/v1; without a trailing slash */
    const char *key;      /* credential toward it, "" = none; never logged, never sent elsewhere */
    unsigned formats;     /* bit 1 << enum mg_family for each format it speaks */
    enum mg_family preferred; /* the one to translate to */
};

struct mg_model {
    const char *id;              /* what clients ask for */
    const char *upstream_model;  /* what the upstream is asked for */
    const struct mg_upstream *upstream;
    struct mg_price price;
    const char *label;           /* customer-facing label, "" = none */
    bool premium;
    int64_t context;             /* tokens, 0 = not stated */
    int64_t max_output;          /* tokens, 0 = not stated */
    int64_t token_factor;        /* thousandths: its provider's tokens for a thousand of ours */
    unsigned capabilities;       /* MG_CAP_ bits */
    enum mg_thinking_style thinking; /* stated, or else adaptive if efforts are */
    unsigned efforts;            /* bits 1 << enum mg_effort, 0 = not stated */
    int64_t created_ms;
};

/* An alias is a model id that resolves to another; it has a row of its own in lists. */
struct mg_alias {
    const char *id;
    const struct mg_model *model;
    int64_t created_ms;
};

struct mg_catalogue {
    uint64_t version;
    const struct mg_model *models; /* sorted by id */
    size_t model_count;
    const struct mg_alias *aliases;
    size_t alias_count;
};

/* The holder of the current snapshot of a process. */
struct mg_catalogue_cache;
struct mg_catalogue_cache *mg_catalogue_cache_new(const struct mg_conf *conf, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result)); /* reads the master key */
void mg_catalogue_cache_free(struct mg_catalogue_cache **cache) __attribute__((nonnull));

/* A reference to a snapshot of at least `version` (as mg_principal_of_key reported it), read
 * with `db` when the one at hand is older. NULL with err (503) when that fails. Give it back
 * with mg_catalogue_release. Thread-safe. */
const struct mg_catalogue *mg_catalogue_get(struct mg_catalogue_cache *cache, struct mg_db *db,
                                            uint64_t version, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* The same of the version that the database has now: for who was not told one. */
const struct mg_catalogue *mg_catalogue_current(struct mg_catalogue_cache *cache, struct mg_db *db,
                                                struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
void mg_catalogue_release(const struct mg_catalogue *catalogue);

/* The model an id means, aliases resolved; NULL when there is none. */
const struct mg_model *mg_catalogue_find(const struct mg_catalogue *catalogue, const char *id)
    __attribute__((nonnull));

/* Charge of a usage at a price: nano-credits, rounded up once. */
int64_t mg_price_charge(const struct mg_price *price, const struct mg_usage *usage)
    __attribute__((nonnull));
/* The dearest of the input categories, for holds. Pico-credits per token. */
int64_t mg_price_dearest_input(const struct mg_price *price) __attribute__((nonnull));

#endif
