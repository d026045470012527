/* Usage: what an exchange consumed, in tokens by category, and how each format reports it.
 *
 * The neutral form keeps the categories apart that are billed apart. OpenAI-style formats count
 * cached input inside their input figure, Messages counts it outside: reading brings both to
 * the same five numbers, so that no token is ever billed twice or lost. */
#ifndef MG_WIRE_USAGE_H
#define MG_WIRE_USAGE_H

#include "base/str.h"
#include "json/writer.h"
#include "wire/family.h"

#include <stdbool.h>
#include <stdint.h>

struct mg_usage {
    int64_t input;          /* input tokens that touched no cache */
    int64_t cache_read;     /* input tokens served from a cache */
    int64_t cache_write_5m; /* input tokens written to a cache: short (and default) life */
    int64_t cache_write_1h; /* … and long life */
    int64_t output;         /* output tokens, reasoning included */
    int64_t reasoning;      /* the part of output that is reasoning */
    bool has_input;         /* the upstream stated its input figures (an explicit 0 counts) */
    bool has_output;        /* the upstream stated the final output figure */
};

/* All input categories together. */
int64_t mg_usage_input_total(const struct mg_usage *usage) __attribute__((nonnull));

/* Reads a `usage` object (JSON text) of `family` into *usage. Figures that are present replace
 * what is there, others stay: Messages splits its usage over two events. Negative or absurd
 * numbers are ignored. Returns true when the object held at least one figure. */
bool mg_usage_read(enum mg_family family, struct mg_span json, struct mg_usage *usage)
    __attribute__((nonnull));

/* Writes the usage object of `family` under `key` (NULL: as the value itself), every key that
 * the official schema requires. */
void mg_usage_write(enum mg_family family, struct mg_jw *w, const char *key,
                    const struct mg_usage *usage) __attribute__((nonnull(2, 4)));

#endif
