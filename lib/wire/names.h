/* Names and ids that are valid on both sides.
 *
 * Formats differ in which tool names and call ids they take. What is valid stays byte for byte;
 * what is not is changed by a rule that depends on the name alone, so that the next turn comes
 * to the same result and the upstream's prompt cache holds. Two names never become one. */
#ifndef MG_WIRE_NAMES_H
#define MG_WIRE_NAMES_H

#include "wire/map.h"
#include "wire/translate.h"

/* The tools of one request by both names. */
struct mg_names {
    struct mg_pool *pool;   /* of the translation: the reply needs the names */
    enum mg_family upstream;
    struct mg_map by_client, by_upstream;
    struct mg_name_row *first, *last;
    size_t count;
};

void mg_names_init(struct mg_names *names, struct mg_pool *pool, enum mg_family upstream,
                   const uint8_t *secret) __attribute__((nonnull));
/* The entry of a client's tool; made when it is new. `space` may be empty. `custom` and
 * `wrapped` count for a new entry only. */
const struct mg_translated_tool *mg_names_tool(struct mg_names *names, struct mg_span name,
                                               struct mg_span space, bool custom, bool wrapped)
    __attribute__((nonnull));
/* A name for a tool of our own, not taken by any of the client's. */
const char *mg_names_own(struct mg_names *names, const char *wish) __attribute__((nonnull));
/* All entries as one array of names->count. */
const struct mg_translated_tool *mg_names_all(const struct mg_names *names)
    __attribute__((nonnull));

/* The id of a call in the words of `family`: unchanged when valid there, else "mgid_" and the
 * base64url text of the id, or of its hash when that is too long. An id that was changed this
 * way earlier is turned back first. In `pool`. */
const char *mg_names_call_id(enum mg_family family, struct mg_span id, struct mg_pool *pool)
    __attribute__((nonnull));

#endif
