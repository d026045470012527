/* Errors as each wire format spells them: whole bodies, and events inside a stream.
 *
 * Pure: a struct mg_err and a request id go in, bytes come out. Which of the shapes a request
 * gets is for its route to say; what the error means was decided where it happened. */
#ifndef MG_WIRE_ERRORS_H
#define MG_WIRE_ERRORS_H

#include "base/err.h"
#include "base/str.h"
#include "wire/family.h"

#include <stdbool.h>
#include <stdint.h>

/* The `type` of an error: err->type when it is set, else what follows from the status in the
 * Messages format (`messages`) or in the OpenAI-style formats. Never NULL, never freed. */
const char *mg_errors_type(const struct mg_err *err, bool messages) __attribute__((nonnull));

/* Appends the JSON body of an error.
 * Messages: {"type":"error","error":{"type","message"},"request_id"}; else
 * {"error":{"message","type","param","code"}}, empty param and code as null. `details_json`
 * becomes error.details. A 422 carries `detail` beside it (HTTPValidationError: loc split at
 * '/', parts of digits as integers). A verbatim body is appended as it is. */
void mg_errors_body(const struct mg_err *err, bool messages, const char *request_id,
                    struct mg_str *out) __attribute__((nonnull));

/* Appends the event that reports an error inside a stream of `family`: Messages
 * `event: error`; Chat and Completions `data: {"error":{…}}`; Responses `event: error` whose
 * fields stand at the top and under `error`, numbered `sequence` (ignored elsewhere). The
 * `response.failed` that follows in the Responses format is for the relay to make, since it
 * holds the response object. */
void mg_errors_event(enum mg_family family, const struct mg_err *err, const char *request_id,
                     int64_t sequence, struct mg_str *out) __attribute__((nonnull));

#endif
