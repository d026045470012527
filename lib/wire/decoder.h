/* A decoder: reads an upstream's answer in one format and says it in neutral events.
 *
 * There is one for each format an upstream may speak (chat_reply, responses_reply,
 * messages_reply). A decoder is lenient: upstreams leave out indexes, repeat themselves, send
 * their figures late or their arguments only at the end, and the answer must come out once and
 * whole all the same. It writes usage straight into the struct it was given. */
#ifndef MG_WIRE_DECODER_H
#define MG_WIRE_DECODER_H

#include "base/str.h"
#include "wire/event.h"
#include "wire/usage.h"

#include <json-c/json_object.h>
#include <stdbool.h>

struct mg_decoder;

struct mg_decoder_ops {
    /* The data of one event of the stream, not empty. 0, or -1: not of this format. */
    int (*event)(struct mg_decoder *decoder, struct mg_span name, struct mg_span data);
    /* No more events. Says what is left to say; true when the answer was complete. */
    bool (*eof)(struct mg_decoder *decoder);
    /* A whole reply. 0, or -1: not of this format. */
    int (*body)(struct mg_decoder *decoder, struct mg_span body);
    void (*free)(struct mg_decoder *decoder);
};

/* The head of every decoder. */
struct mg_decoder {
    const struct mg_decoder_ops *ops;
    struct mg_sink sink;
    struct mg_usage *usage;
};

/* The text of a JSON string, n = 0 and p = NULL when it is none. Bytes of value 0 are kept. */
static inline struct mg_span
mg_json_string(struct json_object *value)
{
    if (!json_object_is_type(value, json_type_string))
        return (struct mg_span){NULL, 0};
    return (struct mg_span){json_object_get_string(value),
                            (size_t)json_object_get_string_len(value)};
}

/* The JSON text of a value, borrowed from it; numbers keep the spelling they came with. */
static inline struct mg_span
mg_json_plain(struct json_object *value)
{
    size_t n;
    const char *text = json_object_to_json_string_length(
        value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &n);
    return (struct mg_span){text, n};
}

/* The arguments of a call as text; some upstreams give the object itself. */
static inline struct mg_span
mg_json_arguments(struct json_object *value)
{
    return json_object_is_type(value, json_type_object) ? mg_json_plain(value)
                                                        : mg_json_string(value);
}

/* Says `kind` of block `number` with a text. */
static inline void
mg_decoder_say(const struct mg_decoder *d, enum mg_event_kind kind, unsigned number,
               struct mg_span text)
{
    struct mg_event event = {.kind = kind, .number = number, .text = text};
    mg_sink_put(d->sink, &event);
}

/* Begins a block that is no tool call. */
static inline void
mg_decoder_begin(const struct mg_decoder *d, unsigned number, enum mg_part part)
{
    struct mg_event event = {.kind = MG_EVENT_BEGIN, .number = number, .part = part};
    mg_sink_put(d->sink, &event);
}

/* Reports an error object of the upstream, in whichever format: `{message, type, code}`, the
 * same inside `error`, or a bare text. */
void mg_decoder_fault(const struct mg_decoder *decoder, struct json_object *error)
    __attribute__((nonnull(1)));

#endif
