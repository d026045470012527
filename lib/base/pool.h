/* Memory that lives as long as one request.
 *
 * Strings and small rows of a request come from its pool and vanish together with it, so that
 * an early return needs no clean-up. Not for buffers that grow (struct mg_str) and not shared
 * between threads at the same time; an exchange hands its pool from worker to event loop. */
#ifndef MG_BASE_POOL_H
#define MG_BASE_POOL_H

#include <stddef.h>

struct mg_pool;

struct mg_pool *mg_pool_new(void) __attribute__((warn_unused_result));
/* Frees the pool and all that came from it; NULL is allowed, *pool becomes NULL. */
void mg_pool_free(struct mg_pool **pool) __attribute__((nonnull));

/* Zeroed memory, aligned for any type. */
void *mg_pool_alloc(struct mg_pool *pool, size_t size)
    __attribute__((nonnull, malloc, warn_unused_result));
/* Room for one more element behind the `count` ones of an array in the pool: the array, which
 * moves when it is full. Starts with NULL and 0; `count` may only go up by one a call. */
void *mg_pool_grow(struct mg_pool *pool, void *array, size_t count, size_t size)
    __attribute__((nonnull(1), warn_unused_result));
/* Copies into the pool, NUL-terminated. */
char *mg_pool_strdup(struct mg_pool *pool, const char *text)
    __attribute__((nonnull, malloc, warn_unused_result));
char *mg_pool_strndup(struct mg_pool *pool, const char *text, size_t len)
    __attribute__((nonnull, malloc, warn_unused_result));
char *mg_pool_printf(struct mg_pool *pool, const char *fmt, ...)
    __attribute__((nonnull(1, 2), format(printf, 2, 3), warn_unused_result));

#endif
