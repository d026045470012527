/* Pools: zeroed, aligned, everything gone at once. */
#include "base/pool.h"

#include "tap.h"

#include <stdalign.h>
#include <stdint.h>

static bool
is_zero(const char *p, size_t n)
{
    while (n > 0 && p[n - 1] == 0)
        n--;
    return n == 0;
}

static void
test_alloc(void)
{
    struct mg_pool *pool = mg_pool_new();
    bool aligned = true, zero = true;
    for (size_t i = 0; i < 3000; i++) {
        char *p = mg_pool_alloc(pool, i);
        aligned = aligned && (uintptr_t)p % alignof(max_align_t) == 0;
        zero = zero && is_zero(p, i);
        memset(p, 0xa5, i);
    }
    ok(aligned, "whatever is allocated is aligned for any type");
    ok(zero, "and zeroed, also behind memory that was written");
    char *big = mg_pool_alloc(pool, 10000000);
    ok(is_zero(big, 10000000), "something larger than a block has a block of its own");
    ok(mg_pool_alloc(pool, 0) != NULL, "nothing is something");
    mg_pool_free(&pool);
    ok(pool == NULL, "freeing clears the pointer");
    mg_pool_free(&pool);
    ok(pool == NULL, "freeing nothing does no harm");
}

static void
test_text(void)
{
    struct mg_pool *pool = mg_pool_new();
    is_str(mg_pool_strdup(pool, "abc"), "abc", "a text is copied");
    is_str(mg_pool_strndup(pool, "abcdef", 3), "abc", "part of a text is copied and ended");
    is_bytes(mg_pool_strndup(pool, "a\0b", 3), 4, "a\0b\0", 4, "NUL bytes are copied");
    is_str(mg_pool_printf(pool, "%s-%05d", "x", 42), "x-00042", "a text is formatted");
    is_str(mg_pool_printf(pool, "%s", ""), "", "an empty one too");
    char *wide = mg_pool_printf(pool, "%*d", 100000, 1);
    ok(strlen(wide) == 100000, "a long one is not cut");
    mg_pool_free(&pool);
}

static void
test_grow(void)
{
    struct mg_pool *pool = mg_pool_new();
    int *numbers = NULL;
    size_t n = 0;
    for (int i = 0; i < 10000; i++) {
        numbers = mg_pool_grow(pool, numbers, n, sizeof(*numbers));
        numbers[n++] = i;
    }
    bool good = true;
    for (int i = 0; i < 10000; i++)
        good = good && numbers[i] == i;
    ok(good, "an array grows element by element and keeps what is in it");
    mg_pool_free(&pool);
}

int
main(void)
{
    plan(0);
    test_alloc();
    test_text();
    test_grow();
    return done();
}
