/* A JSON body as a tree of spans.
 *
 * Translation must hand on numbers, key order and escapes of some parts exactly as they came
 * (schemas, tool arguments, marks), so it works on this view: every node knows its own bytes.
 * Children are found when they are asked for first, so a part that is only handed on costs one
 * scan. The bytes must be valid JSON (json/parse said so) and outlive the nodes, which live in
 * a pool. */
#ifndef MG_WIRE_NODE_H
#define MG_WIRE_NODE_H

#include "base/pool.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum mg_node_type {
    MG_NODE_NULL,
    MG_NODE_BOOL,
    MG_NODE_NUMBER,
    MG_NODE_STRING,
    MG_NODE_ARRAY,
    MG_NODE_OBJECT
};

struct mg_node {
    struct mg_pool *pool;
    enum mg_node_type type;
    bool split, decoded;
    struct mg_span raw;          /* the bytes of the value */
    struct mg_span key;          /* as a member: its name, escapes not decoded */
    struct mg_node *first, *next;
    struct mg_span text;
};

/* The node of a whole value. */
struct mg_node *mg_node_new(struct mg_pool *pool, struct mg_span json)
    __attribute__((nonnull, warn_unused_result));
/* First element or member (then follow `next`); NULL when there is none or it is no list. */
struct mg_node *mg_node_first(struct mg_node *node);
/* The member `key`, the last one when it stands twice. NULL when it is absent or null, or when
 * `node` is NULL or no object. */
struct mg_node *mg_node_get(struct mg_node *node, const char *key) __attribute__((nonnull(2)));
/* How many elements or members there are. */
size_t mg_node_count(struct mg_node *node);

/* The text of a string, escapes decoded; of anything else an empty span. May hold NUL bytes. */
struct mg_span mg_node_text(struct mg_node *node);
/* True when the node is this very string. */
bool mg_node_says(struct mg_node *node, const char *text) __attribute__((nonnull(2)));
/* The text of the string member `key`; an empty span when there is none. */
struct mg_span mg_node_text_at(struct mg_node *node, const char *key)
    __attribute__((nonnull(2)));
/* The bytes of the member `key`; an empty span when it is absent or null. */
struct mg_span mg_node_raw_at(struct mg_node *node, const char *key)
    __attribute__((nonnull(2)));
/* -1 when the member is no boolean, else its value. */
int mg_node_flag_at(struct mg_node *node, const char *key) __attribute__((nonnull(2)));
/* A whole number that is not negative (also written 12.0 or 1.2e1), or -1. */
int64_t mg_node_count_at(struct mg_node *node, const char *key) __attribute__((nonnull(2)));
bool mg_node_is(const struct mg_node *node, enum mg_node_type type);

#endif
