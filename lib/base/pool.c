#include "base/pool.h"

#include "base/alloc.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE 4096

struct block {
    struct block *next;
    size_t used, size;
    alignas(max_align_t) char bytes[];
};

struct mg_pool {
    struct block *blocks; /* the newest first: the only one with room */
};

struct mg_pool *
mg_pool_new(void)
{
    return mg_calloc(1, sizeof(struct mg_pool));
}

void
mg_pool_free(struct mg_pool **pool)
{
    if (*pool == NULL)
        return;
    for (struct block *b = (*pool)->blocks, *next; b != NULL; b = next) {
        next = b->next;
        free(b);
    }
    free(*pool);
    *pool = NULL;
}

void *
mg_pool_alloc(struct mg_pool *pool, size_t size)
{
    const size_t align = alignof(max_align_t);
    size = (size + align - 1) / align * align;
    struct block *b = pool->blocks;
    if (b == NULL || b->size - b->used < size) {
        size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        b = mg_malloc(sizeof(*b) + room);
        b->used = 0;
        b->size = room;
        b->next = pool->blocks;
        pool->blocks = b;
    }
    void *p = b->bytes + b->used;
    b->used += size;
    return memset(p, 0, size);
}

void *
mg_pool_grow(struct mg_pool *pool, void *array, size_t count, size_t size)
{
    const size_t first = 8;
    if (count > 0 && (count < first || (count & (count - 1)) != 0))
        return array; /* full only when the count is a power of two */
    void *grown = mg_pool_alloc(pool, (count < first ? first : 2 * count) * size);
    if (count > 0)
        memcpy(grown, array, count * size);
    return grown;
}

char *
mg_pool_strndup(struct mg_pool *pool, const char *text, size_t len)
{
    char *copy = mg_pool_alloc(pool, len + 1);
    memcpy(copy, text, len);
    return copy;
}

char *
mg_pool_strdup(struct mg_pool *pool, const char *text)
{
    return mg_pool_strndup(pool, text, strlen(text));
}

char *
mg_pool_printf(struct mg_pool *pool, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    size_t len = n > 0 ? (size_t)n : 0;
    char *text = mg_pool_alloc(pool, len + 1);
    if (len > 0)
        vsnprintf(text, len + 1, fmt, again);
    va_end(again);
    return text;
}
