/* Tools: declarations, choices, and the calls of the conversation by their upstream names.
 *
 * Functions go over as they are. A custom (freeform) tool becomes a function with one string
 * where the upstream has none of its kind. Hosted tools run at a provider and have no equal
 * elsewhere: a request that needs one is refused; those that coding clients attach to every
 * request are left out when there are tools of the client's own beside them. */
#ifndef MG_WIRE_TOOLS_H
#define MG_WIRE_TOOLS_H

#include "json/writer.h"
#include "wire/crossing.h"

/* Read `tools`, the choice and the parallel flag of a body, and check that they fit together.
 * 0, or -1 with err. */
int mg_tools_read_chat(struct mg_crossing *x, struct mg_node *body)
    __attribute__((nonnull, warn_unused_result));
int mg_tools_read_responses(struct mg_crossing *x, struct mg_node *body)
    __attribute__((nonnull, warn_unused_result));
int mg_tools_read_messages(struct mg_crossing *x, struct mg_node *body)
    __attribute__((nonnull, warn_unused_result));
/* Adds a list of Responses tools that stands elsewhere (additional_tools). */
int mg_tools_add_responses(struct mg_crossing *x, struct mg_node *list, const char *at)
    __attribute__((nonnull(1, 3), warn_unused_result));

/* Write tools, choice and parallel flag. 0, or -1 with err. */
int mg_tools_write_chat(struct mg_crossing *x, struct mg_jw *w)
    __attribute__((nonnull, warn_unused_result));
int mg_tools_write_responses(struct mg_crossing *x, struct mg_jw *w)
    __attribute__((nonnull, warn_unused_result));
int mg_tools_write_messages(struct mg_crossing *x, struct mg_jw *w)
    __attribute__((nonnull, warn_unused_result));

/* Gives every declared tool its upstream name. Before any write. */
void mg_tools_name(struct mg_crossing *x) __attribute__((nonnull));
/* The upstream's name for the tool that a call of the conversation names. */
const struct mg_translated_tool *mg_tools_of_call(struct mg_crossing *x,
                                                  const struct mg_call *call)
    __attribute__((nonnull));
/* The arguments of a call as JSON text that is an object: a function's own, `{}` for none, and
 * a frame around what is no object. In the pool. */
struct mg_span mg_tools_arguments(struct mg_crossing *x, const struct mg_call *call)
    __attribute__((nonnull));
/* True when the choice forces a call. */
bool mg_tools_forced(const struct mg_crossing *x) __attribute__((nonnull));

#endif
