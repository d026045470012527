/* Settings of a request that several formats write alike: sampling, limits, stop sequences,
 * the form of the answer, and who asks. */
#ifndef MG_WIRE_SETTINGS_H
#define MG_WIRE_SETTINGS_H

#include "json/writer.h"
#include "wire/crossing.h"

/* Readers of members that are written alike. 0, or -1 with err. */
int mg_settings_sampling(struct mg_crossing *x, struct mg_node *body)
    __attribute__((nonnull, warn_unused_result));
/* A string or an array of strings. */
int mg_settings_stops(struct mg_crossing *x, struct mg_node *body, const char *member)
    __attribute__((nonnull, warn_unused_result));
/* Output limit: the first of the members that is there (at least 0). */
int mg_settings_limit(struct mg_crossing *x, struct mg_node *body, const char *first,
                      const char *second) __attribute__((nonnull(1, 2, 3), warn_unused_result));
/* user, safety_identifier, service_tier of Chat and Responses. */
void mg_settings_caller(struct mg_crossing *x, struct mg_node *body) __attribute__((nonnull));
/* A json_schema form: name, description, schema, strict from one object. */
int mg_settings_schema(struct mg_crossing *x, struct mg_node *object, const char *at)
    __attribute__((nonnull(1, 3), warn_unused_result));

/* The limit that the upstream is told: the client's (or `otherwise` when it named none), not
 * above what the model makes and the wallet covers, not below `least`. -1 = say nothing. Notes
 * in x->left when the client's limit had to be raised. */
int64_t mg_settings_told_limit(struct mg_crossing *x, int64_t otherwise, int64_t least)
    __attribute__((nonnull));
/* safety_identifier, user and service_tier toward Chat and Responses. */
void mg_settings_write_caller(struct mg_crossing *x, struct mg_jw *w) __attribute__((nonnull));
/* An identifier of at most `max` bytes (at least 64): itself, or the hex of its SHA-256. */
struct mg_span mg_settings_short(struct mg_crossing *x, struct mg_span id, size_t max)
    __attribute__((nonnull));
/* Members that go through as they are. */
void mg_settings_write_carried(struct mg_crossing *x, struct mg_jw *w) __attribute__((nonnull));

#endif
