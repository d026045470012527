/* The `response` object of Responses: status, output and usage of the moment, and around them
 * the settings of the request, which this format repeats in every reply.
 *
 * All members that either published schema requires are written. Settings that the client did
 * not send get the format's default. */
#ifndef MG_WIRE_RESPONSE_OBJECT_H
#define MG_WIRE_RESPONSE_OBJECT_H

#include "base/err.h"
#include "base/str.h"
#include "json/writer.h"
#include "wire/encoder.h"
#include "wire/usage.h"

/* The state of a response at one moment. */
struct mg_response_state {
    const char *status;           /* "in_progress", "completed", "incomplete", "failed" */
    struct mg_span output;        /* elements of the output list, JSON */
    const struct mg_usage *usage; /* NULL = not known yet */
    const char *incomplete;       /* the reason of an incomplete one, else NULL */
    const struct mg_err *err;     /* of a failed one, else NULL */
};

/* Appends the members that the request settles, each behind a comma, to `out`. The same for
 * every object of a reply: made once. */
void mg_response_settings(const struct mg_reply *reply, struct mg_str *out)
    __attribute__((nonnull));
/* Writes the object under `key` (NULL: as the value itself). */
void mg_response_object(struct mg_jw *w, const char *key, const struct mg_reply *reply,
                        struct mg_span settings, const struct mg_response_state *state)
    __attribute__((nonnull(1, 3, 5)));

/* Appends the object of a response whose generation has not begun, with the settings of the
 * request `body`. `seed` (hex digits) makes its id, as a translated reply would. */
void mg_response_begun(struct mg_span body, const char *model, const char *seed, int64_t now_s,
                       struct mg_str *out) __attribute__((nonnull));

#endif
