/*
 * Memory of the simulated provider: allocation that never returns NULL, and a pool for everything
 * that lives exactly as long as one exchange. It knows nothing about HTTP, JSON or the scripts.
 */
#ifndef SIM_MEM_H
#define SIM_MEM_H

#include <stddef.h>

/* Zeroed memory of n bytes; aborts the program when there is none. Free with free(). */
void *sim_alloc(size_t n);

/* Resizes p to n bytes; aborts when there is no memory. Free with free(). */
void *sim_resize(void *p, size_t n);

/* A private copy of the string s. Free with free(). */
char *sim_strdup(const char *s);

struct sim_pool_block;

/* A pool: memory is taken piece by piece and given back all at once. Zero-initialise before use. */
struct sim_pool {
    struct sim_pool_block *head;
};

/* n zeroed bytes that live until sim_pool_free(). */
void *sim_pool_alloc(struct sim_pool *pool, size_t n);

/* A NUL-terminated copy of n bytes. */
char *sim_pool_copy(struct sim_pool *pool, const char *s, size_t n);

/* A formatted string. */
char *sim_pool_fmt(struct sim_pool *pool, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Gives all memory of the pool back; the pool is empty and usable again. */
void sim_pool_free(struct sim_pool *pool);

#endif
