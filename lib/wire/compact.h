/* The compaction endpoint of the Responses format: its request as a Responses request, and the
 * reply to that as a `response.compaction` object.
 *
 * Where an upstream compacts by itself, the client's body goes there. Elsewhere the model is
 * asked for a summary by a `compaction_trigger` at the end of the input (wire/request.c), and
 * the user's messages, which no summary should paraphrase, are put before it unchanged. */
#ifndef MG_WIRE_COMPACT_H
#define MG_WIRE_COMPACT_H

#include "base/err.h"
#include "base/str.h"

#include <json-c/json_object.h>
#include <stdbool.h>

/* Checks the body. `whole`: model and a conversation are required; else both come from a stored
 * response. 0, or -1 with a 422 that lists every problem. */
int mg_compact_check(struct json_object *tree, bool whole, struct mg_err *err)
    __attribute__((nonnull(3), warn_unused_result));
/* Appends the body of an equal Responses request that is neither streamed nor stored, with
 * `input` (JSON: a list, a string or nothing) as its input; with a compaction_trigger behind it
 * when `trigger` is set. 0 or -1 (too large). */
int mg_compact_ask(struct mg_span body, struct mg_span input, bool trigger, struct mg_str *out)
    __attribute__((nonnull, warn_unused_result));
/* Appends the user's messages of an input as elements of a list, commas between, each one
 * complete as an output item (type, id, status, a list of parts); `seed` makes the ids. */
void mg_compact_keep(struct mg_span input, const char *seed, struct mg_str *out)
    __attribute__((nonnull));
/* Appends the response.compaction of a Responses reply whose output is one compaction, with the
 * kept messages before it. 0, or -1 when the reply holds no compaction. */
int mg_compact_reply(struct mg_span response, struct mg_span kept, struct mg_str *out)
    __attribute__((nonnull, warn_unused_result));

/* True when the last item of a Responses request's input asks for a compaction. */
bool mg_compact_asked(struct json_object *tree);

#endif
