/* The members of a request body, one table a format: which type each has, and what becomes of
 * it on the way to each upstream format. The tables in lib/wire/README.md say the same. */
#ifndef MG_WIRE_MEMBERS_H
#define MG_WIRE_MEMBERS_H

#include "wire/crossing.h"

/* Checks the types of all known members (422 that lists every problem), refuses those that the
 * upstream's format cannot say and that must not be lost, carries those that both formats write
 * alike, and notes those that are left out. Members that a decoder reads are left to it. 0 or
 * -1. */
int mg_members_sort(struct mg_crossing *x, struct mg_node *body)
    __attribute__((nonnull, warn_unused_result));

#endif
