/* The exchanges of this process that have an upstream at work for them.
 *
 * It is asked once, when the process has to end before they do: each is then told so inside its
 * answer, and what it has generated is charged, as with any answer that breaks off. A process that
 * is killed leaves them unpaid. */
#ifndef MG_INFER_MUSTER_H
#define MG_INFER_MUSTER_H

#include "infer/exchange.h"

#include <stdbool.h>

struct mg_muster;

struct mg_muster *mg_muster_new(void) __attribute__((returns_nonnull, warn_unused_result));
/* Frees it; NULL is allowed. Nobody is listed any more. */
void mg_muster_free(struct mg_muster **muster) __attribute__((nonnull));

/* Lists an exchange, and strikes it out (harmless when it is not listed). On its loop. */
void mg_muster_add(struct mg_muster *muster, struct mg_exchange *x) __attribute__((nonnull));
void mg_muster_remove(struct mg_muster *muster, struct mg_exchange *x) __attribute__((nonnull));

/* Breaks off all that are listed and waits until they are settled and gone, for `patience_ms` at
 * most. From a thread that is no loop's, while the loops run. */
void mg_muster_dismiss(struct mg_muster *muster, struct mg_app *app, int64_t patience_ms)
    __attribute__((nonnull));

#endif
