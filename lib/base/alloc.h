/* Memory that is either there or the process is not.
 *
 * A responder that cannot get a few kilobytes cannot serve anybody; it says so on stderr and
 * aborts, the supervisor starts a fresh one and the sweeper cleans up. Buffers whose size a
 * stranger decides are bounded by struct mg_str or by the caller before they come here. */
#ifndef MG_BASE_ALLOC_H
#define MG_BASE_ALLOC_H

#include <stddef.h>

/* malloc/calloc/realloc that never return NULL. Free with free(). */
void *mg_malloc(size_t size) __attribute__((malloc, warn_unused_result));
void *mg_calloc(size_t count, size_t size) __attribute__((malloc, warn_unused_result));
void *mg_realloc(void *old, size_t size) __attribute__((warn_unused_result));

/* Copies of a string, or of its first `len` bytes plus a NUL. `text` must not be NULL. */
char *mg_strdup(const char *text) __attribute__((malloc, nonnull, warn_unused_result));
char *mg_strndup(const char *text, size_t len)
    __attribute__((malloc, nonnull, warn_unused_result));

#endif
