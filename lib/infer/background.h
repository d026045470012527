/* Generations that wait for no client (`background: true` of Responses).
 *
 * Such a generation is an exchange like any other whose client may leave: it opens its object
 * before it begins (store/running.h), puts its stream away piece by piece while it runs, and
 * closes the object at its end. While it runs it is on the roster of its process (infer/roster.h),
 * through which it can be cancelled. What a process leaves behind when it is killed is told from
 * the table of processes. */
#ifndef MG_INFER_BACKGROUND_H
#define MG_INFER_BACKGROUND_H

#include "infer/exchange.h"
#include "store/object.h"

/* Prepares it from the request, whose body is still there. */
struct mg_background *mg_background_new(struct mg_exchange *x)
    __attribute__((nonnull, returns_nonnull));
void mg_background_free(struct mg_background **background) __attribute__((nonnull));
/* The response object that the client gets first (JSON). */
const char *mg_background_reply(const struct mg_background *background)
    __attribute__((nonnull, returns_nonnull));
/* Opens the object, answers a client that wants no stream, and launches the exchange. */
void mg_background_open(struct mg_exchange *x) __attribute__((nonnull));
/* Has the object closed when what runs at the moment is done. On the loop; mg_keep_filed
 * follows. */
void mg_background_close(struct mg_exchange *x) __attribute__((nonnull));

#endif
