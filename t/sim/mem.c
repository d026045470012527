#include "mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 8192 };

struct sim_pool_block {
    struct sim_pool_block *next;
    size_t used;
    size_t size;
    max_align_t data[];
};

static void out_of_memory(size_t n)
{
    fprintf(stderr, "mg-sim: out of memory (%zu bytes)\n", n);
    abort();
}

void *sim_alloc(size_t n)
{
    void *p = calloc(1, n ? n : 1);

    if (!p) {
        out_of_memory(n);
    }
    return p;
}

void *sim_resize(void *p, size_t n)
{
    p = realloc(p, n ? n : 1);
    if (!p) {
        out_of_memory(n);
    }
    return p;
}

char *sim_strdup(const char *s)
{
    size_t n = strlen(s) + 1;

    return memcpy(sim_alloc(n), s, n);
}

static struct sim_pool_block *new_block(struct sim_pool *pool, size_t n)
{
    size_t size = n > BLOCK_BYTES ? n : BLOCK_BYTES;
    struct sim_pool_block *b = sim_resize(NULL, sizeof *b + size);

    b->used = 0;
    b->size = size;
    b->next = pool->head;
    pool->head = b;
    return b;
}

void *sim_pool_alloc(struct sim_pool *pool, size_t n)
{
    struct sim_pool_block *b = pool->head;
    void *p;

    n = (n + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (!b || b->size - b->used < n) {
        b = new_block(pool, n);
    }
    p = (char *)b->data + b->used;
    b->used += n;
    return memset(p, 0, n);
}

char *sim_pool_copy(struct sim_pool *pool, const char *s, size_t n)
{
    char *p = sim_pool_alloc(pool, n + 1);

    if (n) {
        memcpy(p, s, n);
    }
    p[n] = '\0';
    return p;
}

char *sim_pool_fmt(struct sim_pool *pool, const char *fmt, ...)
{
    va_list ap;
    char *p;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0) {
        n = 0;
    }
    p = sim_pool_alloc(pool, (size_t)n + 1);
    va_start(ap, fmt);
    vsnprintf(p, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return p;
}

void sim_pool_free(struct sim_pool *pool)
{
    while (pool->head) {
        struct sim_pool_block *b = pool->head;

        pool->head = b->next;
        free(b);
    }
}
