/* The order of a conversation.
 *
 * Formats agree on what a turn is and differ in how loosely it may be written down. This puts a
 * decoded conversation into the order that all of them take: the results of tool calls stand
 * right behind the turn that made the calls, in the order in which they were given; what is one
 * turn of the model is one message; nothing else changes its place. */
#ifndef MG_WIRE_HISTORY_H
#define MG_WIRE_HISTORY_H

#include "wire/crossing.h"

/* Settles x->turn and gives every call and its result the id that the upstream is told. 0; -1
 * with a 400 that names the call id when a result has no call, a call has no result or two. */
int mg_turn_settle(struct mg_crossing *x) __attribute__((nonnull, warn_unused_result));

#endif
