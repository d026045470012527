/* Replies run through a relay with fixed ids and times, for golden files and recordings. */
#ifndef MG_T_WIRE_CASE_H
#define MG_T_WIRE_CASE_H

#include "base/str.h"
#include "wire/relay.h"

#include <json-c/json_object.h>
#include <stdbool.h>
#include <stddef.h>

#define CASE_MAX ((size_t)64 << 20)

/* What came of a run. */
struct outcome {
    struct mg_str out;     /* the client's bytes; a body that was refused: its error body */
    struct mg_usage usage;
    bool complete, failed, cut; /* cut: the run had to be ended with mg_relay_fail */
};

/* The bytes of a file; aborts when it cannot be read. */
void case_slurp(const char *path, struct mg_str *out);
/* A recording (JSON array of events) as the stream it was. */
void case_stream(enum mg_family family, const char *path, struct mg_str *out);
/* A relay for the pair. `options` may be NULL: an object with members of the same names as
 * those of struct mg_translation and struct mg_relay_setup. */
struct mg_relay *case_relay(enum mg_family client, enum mg_family upstream, bool stream,
                            struct json_object *options);
/* Feeds a stream in pieces of `cut` bytes (0: all at once), then its end. */
void case_run(struct mg_relay *relay, struct mg_span stream, size_t cut,
              struct outcome *outcome);
/* Translates a whole body. */
void case_body(struct mg_relay *relay, enum mg_family client, struct mg_span body,
               struct outcome *outcome);
void outcome_free(struct outcome *outcome);

#endif
