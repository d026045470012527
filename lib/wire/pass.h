/* Pass-through: client and upstream speak the same format, so the bytes stay as they are.
 *
 * Only four things ever differ from what the upstream sent: the value of `model` (the id that
 * the client asked for), a usage chunk that we asked for and the client did not, what has to be
 * added when the upstream leaves a stream without its terminal event, and, when the gateway
 * keeps a response or continues one, `store` and `previous_response_id`, of which the upstream
 * knows nothing. */
#ifndef MG_WIRE_PASS_H
#define MG_WIRE_PASS_H

#include "wire/relay.h"
#include "wire/sse.h"

struct mg_pass;

/* The same contracts as the functions of wire/relay.h. */
struct mg_pass *mg_pass_new(const struct mg_relay_setup *setup)
    __attribute__((nonnull, warn_unused_result));
void mg_pass_free(struct mg_pass **pass) __attribute__((nonnull));
int mg_pass_event(struct mg_pass *pass, const struct mg_sse_event *event, struct mg_str *out)
    __attribute__((nonnull, warn_unused_result));
int mg_pass_eof(struct mg_pass *pass, struct mg_str *out)
    __attribute__((nonnull, warn_unused_result));
void mg_pass_fail(struct mg_pass *pass, const struct mg_err *err, struct mg_str *out)
    __attribute__((nonnull));
void mg_pass_keepalive(struct mg_pass *pass, struct mg_str *out) __attribute__((nonnull));
int mg_pass_body(struct mg_pass *pass, struct mg_span body, struct mg_str *out,
                 struct mg_err *err) __attribute__((nonnull, warn_unused_result));
const struct mg_usage *mg_pass_usage(const struct mg_pass *pass) __attribute__((nonnull));
size_t mg_pass_output_bytes(const struct mg_pass *pass) __attribute__((nonnull));
bool mg_pass_complete(const struct mg_pass *pass) __attribute__((nonnull));
bool mg_pass_ended(const struct mg_pass *pass) __attribute__((nonnull));
bool mg_pass_failed(const struct mg_pass *pass) __attribute__((nonnull));

#endif
