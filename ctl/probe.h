/* Trying an upstream out: real requests, one at a time, and what came back. */
#ifndef MG_CTL_PROBE_H
#define MG_CTL_PROBE_H

#include "base/err.h"
#include "base/pool.h"
#include "catalogue/catalogue.h"

/* One request and its outcome. */
struct mg_probe {
    const char *what; /* "GET /models", "POST /chat/completions" */
    bool good;        /* a 2xx came whole */
    int status;       /* HTTP status, 0 = none */
    int64_t ms;
    const char *text; /* the beginning of the reply, or what went wrong; in the pool */
};

/* Asks for the list of models; with `model` also for one short answer in every format. Fills
 * up to 1 + MG_FAMILIES probes. `seconds` bounds each. */
void mg_probe_run(const struct mg_upstream *upstream, const char *model, int64_t seconds,
                  struct mg_pool *pool, struct mg_probe *probes, size_t *count)
    __attribute__((nonnull(1, 4, 5, 6)));

#endif
