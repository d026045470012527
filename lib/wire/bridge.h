/* A reply translated: what the upstream says in its format, told to the client in another.
 *
 * A bridge joins three small machines: a decoder of the upstream's format, which turns each of
 * its events (or its whole body) into neutral events (wire/event.h); the transport between
 * them, which counts usage and remembers how far the answer got; and an encoder of the client's
 * format. It owns the order of things: exactly one terminal event, no success after a cut, no
 * retry after content. It knows no socket, no clock and no database, and it holds nothing back
 * but what the client's format forces it to.
 *
 * The contracts are those of wire/relay.h, which calls this file when the families differ. */
#ifndef MG_WIRE_BRIDGE_H
#define MG_WIRE_BRIDGE_H

#include "base/err.h"
#include "base/str.h"
#include "wire/relay.h"
#include "wire/sse.h"
#include "wire/usage.h"

#include <stdbool.h>
#include <stddef.h>

struct mg_bridge;

/* Takes over setup->translation (which may be NULL: then nothing was renamed and nothing is
 * echoed); texts are copied. Free with mg_bridge_free. */
struct mg_bridge *mg_bridge_new(const struct mg_relay_setup *setup)
    __attribute__((nonnull, warn_unused_result));
/* Frees the bridge and its translation; NULL is allowed, *bridge becomes NULL. */
void mg_bridge_free(struct mg_bridge **bridge) __attribute__((nonnull));

/* One event of the upstream's stream in; bytes for the client are appended to `out`. 0; -1 when
 * the stream cannot be understood any more (end it with mg_bridge_fail). */
int mg_bridge_event(struct mg_bridge *bridge, const struct mg_sse_event *event,
                    struct mg_str *out) __attribute__((nonnull, warn_unused_result));
/* The upstream closed its stream. 0 when the answer was complete: its terminal event is
 * appended, if it was still to come. -1 when the stream was cut: end with mg_bridge_fail. */
int mg_bridge_eof(struct mg_bridge *bridge, struct mg_str *out)
    __attribute__((nonnull, warn_unused_result));
/* Ends the client's stream with the error event(s) of its family, unless it has ended. */
void mg_bridge_fail(struct mg_bridge *bridge, const struct mg_err *err, struct mg_str *out)
    __attribute__((nonnull));
/* Appends a sign of life that the client's family counts as one. */
void mg_bridge_keepalive(struct mg_bridge *bridge, struct mg_str *out) __attribute__((nonnull));

/* A whole 2xx body of the upstream in, the client's whole answer out: a body, or the events of a
 * stream when one was asked for. 0, or -1 with err: it is no reply of its format, or the error
 * that it reports; nothing of `out` is of use then. */
int mg_bridge_body(struct mg_bridge *bridge, struct mg_span body, struct mg_str *out,
                   struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* The same for a reply that is a stream although none was asked for. */
int mg_bridge_events(struct mg_bridge *bridge, struct mg_span events, struct mg_str *out,
                     struct mg_err *err) __attribute__((nonnull, warn_unused_result));

/* Some upstreams refuse (HTTP 400) a request whose token limit leaves no room for an answer,
 * where others answer with nothing and say that the limit ended it. True when `body` is such a
 * refusal: then mg_bridge_no_room makes the whole client reply, streamed or not. */
bool mg_bridge_is_no_room(struct mg_span body);
void mg_bridge_no_room(struct mg_bridge *bridge, struct mg_str *out) __attribute__((nonnull));

/* What is known so far: see the functions of the same name in wire/relay.h. */
const struct mg_usage *mg_bridge_usage(const struct mg_bridge *bridge) __attribute__((nonnull));
size_t mg_bridge_output_bytes(const struct mg_bridge *bridge) __attribute__((nonnull));
bool mg_bridge_complete(const struct mg_bridge *bridge) __attribute__((nonnull));
bool mg_bridge_ended(const struct mg_bridge *bridge) __attribute__((nonnull));
bool mg_bridge_failed(const struct mg_bridge *bridge) __attribute__((nonnull));

#endif
