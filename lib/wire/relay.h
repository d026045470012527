/* One exchange seen as bytes: what the upstream says goes in, what the client gets comes out.
 *
 * A relay has no socket, no clock and no database, so every path of it is tested with files.
 * Two kinds stand behind this interface: pass-through (same family on both sides: the bytes go
 * through, only the model name is replaced) and translation. Both count usage, remember how far
 * the answer got, and see to it that the client's stream ends with exactly one terminal event. */
#ifndef MG_WIRE_RELAY_H
#define MG_WIRE_RELAY_H

#include "base/err.h"
#include "base/str.h"
#include "wire/family.h"
#include "wire/usage.h"

#include <stdbool.h>
#include <stdint.h>

struct mg_translation; /* what a translated request leaves for its reply: wire/translate.h */

struct mg_relay_setup {
    enum mg_family client;     /* the format the client speaks */
    enum mg_family upstream;   /* the format the upstream speaks */
    bool stream;               /* the client asked for server-sent events */
    bool show_usage;           /* Chat, Completions: the client asked for the usage chunk */
    const char *model;         /* the id the client knows; stands in every reply */
    const char *request_id;    /* "req_…", for error bodies */
    uint8_t id[16];            /* seed of ids that translation makes */
    int64_t now_s;             /* creation time for replies that translation makes, epoch s */
    int64_t input_estimate;    /* input tokens, shown until the upstream states its figure */
    bool stored;               /* Responses: the gateway keeps the answer, and replies say so */
    const char *previous;      /* Responses: previous_response_id to repeat, NULL = none */
    const char *background;    /* Responses: the response object (JSON) that the client was given
                                * before the upstream was asked: its id stays; NULL = none */
    struct mg_translation *translation; /* NULL for pass-through; the relay takes it over */
};

struct mg_relay;

/* Text and sizes are copied; `translation` becomes the relay's. Free with mg_relay_free. */
struct mg_relay *mg_relay_new(const struct mg_relay_setup *setup)
    __attribute__((nonnull, warn_unused_result));
void mg_relay_free(struct mg_relay **relay) __attribute__((nonnull));

/* Streams. Bytes of the upstream's stream go in; bytes for the client are appended to `out`.
 * 0; -1 when the stream cannot be understood any more (end it with mg_relay_fail). */
int mg_relay_feed(struct mg_relay *relay, const char *bytes, size_t n, struct mg_str *out)
    __attribute__((nonnull, warn_unused_result));
/* The upstream closed its stream. 0 when the answer was complete (what is left to say, for
 * example a late terminal event, is appended); -1 when it was cut: end with mg_relay_fail. */
int mg_relay_eof(struct mg_relay *relay, struct mg_str *out)
    __attribute__((nonnull, warn_unused_result));
/* Ends the client's stream with the error event(s) of its family, unless a terminal event has
 * been sent already. `err` gives status, code and text. */
void mg_relay_fail(struct mg_relay *relay, const struct mg_err *err, struct mg_str *out)
    __attribute__((nonnull));
/* A sign of life that the client's family counts as one. Appends
 * nothing when an event is half way through. */
void mg_relay_keepalive(struct mg_relay *relay, struct mg_str *out) __attribute__((nonnull));

/* Replies that are not taken as streams: the upstream's whole 2xx body in, the client's whole
 * answer out, as a body or as the events of a stream, whichever it asked for. A reply of the
 * other kind is not passed through byte by byte, since no client would understand it. 0, or -1
 * with err (502 `upstream_invalid_reply`) when it is no reply of its family; `out` is of no use
 * then. */
int mg_relay_body(struct mg_relay *relay, struct mg_span body, struct mg_str *out,
                  struct mg_err *err) __attribute__((nonnull, warn_unused_result));

/* An upstream's refusal (HTTP 400) that only says that the token limit leaves no room for an
 * answer: other formats answer that with nothing, ended by the limit. True when `body` is such a
 * refusal of a translated request; the client's whole reply, streamed or not, is appended. */
bool mg_relay_no_room(struct mg_relay *relay, struct mg_span body, struct mg_str *out)
    __attribute__((nonnull, warn_unused_result));

/* What is known so far. */
const struct mg_usage *mg_relay_usage(const struct mg_relay *relay) __attribute__((nonnull));
/* Bytes of generated text, reasoning and tool arguments that came by: the measure of an
 * answer whose upstream does not state its usage. */
size_t mg_relay_output_bytes(const struct mg_relay *relay) __attribute__((nonnull));
/* The upstream's terminal event was seen: the answer is complete. */
bool mg_relay_complete(const struct mg_relay *relay) __attribute__((nonnull));
/* The client's stream has been given its end: nothing that counts comes behind it. */
bool mg_relay_ended(const struct mg_relay *relay) __attribute__((nonnull));
/* The upstream reported an error inside its stream (it has been forwarded). */
bool mg_relay_failed(const struct mg_relay *relay) __attribute__((nonnull));

#endif
