/* libcurl's multi interface on an event loop; private to this room.
 *
 * One a loop, made when its first transfer starts: the connection cache, the sockets and timers
 * that libcurl asks for, and handles kept for the next transfers. */
#ifndef MG_UPSTREAM_MULTI_H
#define MG_UPSTREAM_MULTI_H

#include "upstream/loop.h"

#include <curl/curl.h>

struct mg_multi;

/* Told when libcurl is done with a handle (its CURLOPT_PRIVATE is `owner`); never from inside a
 * libcurl function. */
typedef void mg_multi_done(void *owner, CURLcode code);
/* Told for every member that is left when the loop stops; must leave and take its handle away. */
typedef void mg_multi_drop(void *owner);

/* A transfer's place in the list of all of them. */
struct mg_multi_member {
    struct mg_multi_member *next, **at;
    void *owner;
};

/* The loop's; made at the first call. On the loop's thread. */
struct mg_multi *mg_multi_of(struct mg_loop *loop, mg_multi_done *done, mg_multi_drop *drop)
    __attribute__((nonnull, returns_nonnull));
/* A used handle of the pool, with the options of its last transfer; NULL: make a new one. */
CURL *mg_multi_take(struct mg_multi *multi) __attribute__((nonnull));
/* Keeps a handle for later, or frees it when there are plenty. */
void mg_multi_give(struct mg_multi *multi, CURL *easy) __attribute__((nonnull));

/* Puts a transfer into the list of those to be dropped when the loop stops. */
void mg_multi_join(struct mg_multi *multi, struct mg_multi_member *member, void *owner)
    __attribute__((nonnull));
/* Takes a member out of its list. */
void mg_multi_leave(struct mg_multi_member *member) __attribute__((nonnull));

/* Starts, and ends, the work on a handle. mg_multi_remove must not be called while
 * mg_multi_busy(). */
CURLMcode mg_multi_add(struct mg_multi *multi, CURL *easy)
    __attribute__((nonnull, warn_unused_result));
void mg_multi_remove(struct mg_multi *multi, CURL *easy) __attribute__((nonnull));
/* Lets a paused handle go on; not while mg_multi_busy(). */
void mg_multi_unpause(struct mg_multi *multi, CURL *easy) __attribute__((nonnull));
/* True inside a callback of libcurl. */
bool mg_multi_busy(const struct mg_multi *multi) __attribute__((nonnull));

#endif
