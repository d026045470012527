#include "wire/map.h"

#include <string.h>

struct mg_map_slot {
    struct mg_span key; /* p NULL: free */
    uint64_t hash;
    void *value;
};

void
mg_map_init(struct mg_map *map, struct mg_pool *pool, const uint8_t *secret)
{
    *map = (struct mg_map){.pool = pool};
    memcpy(&map->seed, secret, sizeof(map->seed));
}

static uint64_t
hash_of(uint64_t seed, struct mg_span key)
{
    uint64_t h = seed ^ 0xcbf29ce484222325ULL;
    for (size_t i = 0; i < key.n; i++)
        h = (h ^ (unsigned char)key.p[i]) * 0x100000001b3ULL;
    return (h ^ h >> 29) * (seed | 1);
}

static struct mg_map_slot *
slot_of(struct mg_map_slot *slots, size_t size, struct mg_span key, uint64_t hash)
{
    size_t i = (size_t)(hash >> 7) & (size - 1);
    while (slots[i].key.p != NULL &&
           (slots[i].hash != hash || slots[i].key.n != key.n ||
            memcmp(slots[i].key.p, key.p, key.n) != 0))
        i = (i + 1) & (size - 1);
    return &slots[i];
}

static void
grow(struct mg_map *map)
{
    size_t size = map->size > 0 ? map->size * 2 : 32;
    struct mg_map_slot *slots = mg_pool_alloc(map->pool, size * sizeof(*slots));
    for (size_t i = 0; i < map->size; i++) {
        struct mg_map_slot *old = &map->slots[i];
        if (old->key.p != NULL)
            *slot_of(slots, size, old->key, old->hash) = *old;
    }
    map->slots = slots;
    map->size = size;
}

void **
mg_map_at(struct mg_map *map, struct mg_span key)
{
    if (map->used * 2 >= map->size)
        grow(map);
    if (key.p == NULL)
        key.p = "";
    uint64_t hash = hash_of(map->seed, key);
    struct mg_map_slot *slot = slot_of(map->slots, map->size, key, hash);
    if (slot->key.p == NULL) {
        slot->key = key;
        slot->hash = hash;
        map->used++;
    }
    return &slot->value;
}

void *
mg_map_get(const struct mg_map *map, struct mg_span key)
{
    if (map->size == 0)
        return NULL;
    if (key.p == NULL)
        key.p = "";
    return slot_of(map->slots, map->size, key, hash_of(map->seed, key))->value;
}
