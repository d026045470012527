#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *
check(void *p, size_t size)
{
    if (p == NULL) {
        fprintf(stderr, "out of memory: %zu bytes refused\n", size);
        abort();
    }
    return p;
}

void *
mg_malloc(size_t size)
{
    return check(malloc(size ? size : 1), size);
}

void *
mg_calloc(size_t count, size_t size)
{
    return check(calloc(count ? count : 1, size ? size : 1), count * size);
}

void *
mg_realloc(void *old, size_t size)
{
    return check(realloc(old, size ? size : 1), size);
}

char *
mg_strndup(const char *text, size_t len)
{
    char *copy = mg_malloc(len + 1);
    memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

char *
mg_strdup(const char *text)
{
    return mg_strndup(text, strlen(text));
}
