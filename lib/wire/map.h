/* A small map from byte strings to pointers, in a pool. Its hash is seeded with a secret, so
 * that a client cannot choose keys that fall on one place. */
#ifndef MG_WIRE_MAP_H
#define MG_WIRE_MAP_H

#include "base/pool.h"
#include "base/str.h"

#include <stdint.h>

struct mg_map {
    struct mg_pool *pool;
    uint64_t seed;
    struct mg_map_slot *slots;
    size_t size, used;
};

/* An empty map whose memory comes from `pool`; `secret` has 8 bytes. */
void mg_map_init(struct mg_map *map, struct mg_pool *pool, const uint8_t *secret)
    __attribute__((nonnull));
/* The place of the value under `key`, made (NULL) when the key is new. The key is borrowed.
 * Valid until the next call. */
void **mg_map_at(struct mg_map *map, struct mg_span key) __attribute__((nonnull));
/* The value, or NULL. */
void *mg_map_get(const struct mg_map *map, struct mg_span key) __attribute__((nonnull));

#endif
