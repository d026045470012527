/* A request on its way from one format to another: what its decoder and its encoder share.
 *
 * Also the words in which both say no. A value of a wrong type is a 422 with its `loc`; a value
 * that is fine in the client's format and has no equal in the upstream's is a 400 that names
 * the parameter. A member that is left out is noted, never forgotten silently. */
#ifndef MG_WIRE_CROSSING_H
#define MG_WIRE_CROSSING_H

#include "wire/node.h"
#include "wire/turn.h"

struct mg_names;

struct mg_crossing {
    const struct mg_translate_in *in;
    struct mg_pool *pool;          /* lives as long as the translation of the request */
    struct mg_turn *turn;
    struct mg_translation *left;   /* its pool lives as long as the reply */
    struct mg_names *names;
    struct mg_err *err;
    struct mg_str *dropped;        /* names, each followed by a NUL */
    struct mg_map *item_ids;       /* Responses: ids of the input's items, once asked for */
};

/* A place in the body, "messages[3].content", kept in the pool. */
const char *mg_place(struct mg_crossing *x, const char *fmt, ...)
    __attribute__((nonnull, returns_nonnull, format(printf, 2, 3)));

/* 400 `unsupported_value` naming the place. Returns -1. */
int mg_refuse(struct mg_crossing *x, const char *at, const char *fmt, ...)
    __attribute__((nonnull, format(printf, 3, 4)));
/* 400 `invalid_value`: the request contradicts itself. Returns -1. */
int mg_contradiction(struct mg_crossing *x, const char *at, const char *fmt, ...)
    __attribute__((nonnull, format(printf, 3, 4)));
/* 422: the place has to be a `type` (or is missing, when node is NULL). Returns -1. */
int mg_wrong_type(struct mg_crossing *x, const char *at, const struct mg_node *node,
                  enum mg_node_type type) __attribute__((nonnull(1, 2)));
/* 422 with a text of its own: not one of the values that exist. Returns -1. */
int mg_wrong_value(struct mg_crossing *x, const char *at, const char *msg)
    __attribute__((nonnull));
/* 0 when the node is there and of that type, else mg_wrong_type. */
int mg_want(struct mg_crossing *x, const char *at, const struct mg_node *node,
            enum mg_node_type type) __attribute__((nonnull(1, 2), warn_unused_result));
/* The text of a required string member, or a 422 at "<at>.<key>". 0 or -1. */
int mg_want_text(struct mg_crossing *x, const char *at, struct mg_node *object, const char *key,
                 struct mg_span *text) __attribute__((nonnull, warn_unused_result));
/* Reads one element of a content. 0 or -1. */
typedef int mg_part_read(struct mg_crossing *x, struct mg_node *part, struct mg_message *message,
                         const char *at);
/* Reads a content into a message: a text, or a list of parts, each by `read` at "<at>[n]"; none
 * (NULL) is empty. 0; -1, for anything else 422. */
int mg_want_parts(struct mg_crossing *x, struct mg_node *content, struct mg_message *message,
                  const char *at, mg_part_read *read)
    __attribute__((nonnull(1, 3, 4, 5), warn_unused_result));
/* Notes that something was left out. A name is noted once. */
void mg_drop(struct mg_crossing *x, struct mg_span name) __attribute__((nonnull));
void mg_dropz(struct mg_crossing *x, const char *name) __attribute__((nonnull));

#endif
