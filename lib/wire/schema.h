/* JSON schemas for Messages, which takes a part of the language and closed objects only.
 *
 * Keywords that it does not take are removed, and what they meant is told to the model in the
 * description. Key order and everything else stay as they were. */
#ifndef MG_WIRE_SCHEMA_H
#define MG_WIRE_SCHEMA_H

#include "base/pool.h"
#include "base/str.h"

#include <stdbool.h>

/* Replaces *schema by its adapted form (in `pool`). false when the schema cannot be said: it
 * describes an object whose member names are free, or refers to itself; *schema then stays. */
bool mg_schema_adapt(struct mg_pool *pool, struct mg_span *schema)
    __attribute__((nonnull, warn_unused_result));

#endif
