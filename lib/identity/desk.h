/* The desk where a process asks whose keys it was shown.
 *
 * Every request is looked up, none is answered from memory, so a revoked key is refused by the
 * very next request. What is saved is the round trip: the first thread that comes asks for
 * itself; those who come while it waits for the database are asked for together by the next
 * of them, with one statement. */
#ifndef MG_IDENTITY_DESK_H
#define MG_IDENTITY_DESK_H

#include "identity/principal.h"

struct mg_desk;

/* The desk connects when it is first asked. */
struct mg_desk *mg_desk_new(const struct mg_conf *conf)
    __attribute__((nonnull, warn_unused_result));
/* When nobody asks any more; NULL is allowed, *desk becomes NULL. */
void mg_desk_free(struct mg_desk **desk) __attribute__((nonnull));

/* As mg_principal_of_key, from any thread. */
int mg_desk_ask(struct mg_desk *desk, const char *secret, struct mg_principal *who,
                struct mg_err *err) __attribute__((nonnull(1, 3, 4), warn_unused_result));

#endif
