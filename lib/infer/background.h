/* Generations that wait for no client (`background: true` of Responses).
 *
 * Such a generation is an exchange like any other whose client may leave: it opens its object
 * before it begins (store/running.h), puts its stream away piece by piece while it runs, and
 * closes the object at its end. A process knows its own by a list, asks the database in one
 * statement several times a second which of them are to be stopped, and stops asking when the
 * list is empty. What a process leaves behind when it is killed is told from the table of
 * processes. */
#ifndef MG_INFER_BACKGROUND_H
#define MG_INFER_BACKGROUND_H

#include "infer/exchange.h"
#include "store/object.h"

/* The generations of a process. */
struct mg_backgrounds;
struct mg_backgrounds *mg_backgrounds_new(void) __attribute__((returns_nonnull));
void mg_backgrounds_free(struct mg_backgrounds **list) __attribute__((nonnull));

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

/* Stops a generation if it is one of this process: true. From any thread. */
bool mg_background_cancel(struct mg_app *app, uint64_t seq) __attribute__((nonnull));

#endif
