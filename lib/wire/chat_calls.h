/* The tool calls of one Chat Completions answer, put together from their pieces.
 *
 * Which call a piece belongs to is told by its index; where that is missing or the same for all
 * calls, by its id or its name. A call is announced once its name is known. It ends when its
 * arguments are whole and something else begins, or with the answer. */
#ifndef MG_WIRE_CHAT_CALLS_H
#define MG_WIRE_CHAT_CALLS_H

#include "wire/decoder.h"

#include <stdbool.h>
#include <stddef.h>

struct mg_chat_call;

struct mg_chat_calls {
    struct mg_chat_call *call;
    size_t count, room;
    unsigned *blocks; /* counter of the decoder's blocks */
};

void mg_chat_calls_free(struct mg_chat_calls *calls) __attribute__((nonnull));
/* Takes one element of `tool_calls`. `alone`: it is a whole call of a reply that is not
 * streamed. 0, or -1 when there are more calls than any model makes. */
int mg_chat_calls_take(struct mg_chat_calls *calls, const struct mg_decoder *decoder,
                       struct json_object *piece, bool alone) __attribute__((nonnull));
/* Ends the calls whose arguments are whole; with `all`, every call. 0; -1 when all were to end
 * and one of them never got a name: nobody could answer it. */
int mg_chat_calls_end(struct mg_chat_calls *calls, const struct mg_decoder *decoder, bool all)
    __attribute__((nonnull));
/* True when every call has a name and its arguments are whole or empty. */
bool mg_chat_calls_whole(const struct mg_chat_calls *calls) __attribute__((nonnull));

#endif
