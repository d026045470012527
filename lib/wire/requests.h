/* Requests of each format, read into the neutral form and written from it. */
#ifndef MG_WIRE_REQUESTS_H
#define MG_WIRE_REQUESTS_H

#include "json/writer.h"
#include "wire/crossing.h"

/* Decoders: the body into x->turn. Members have been sorted (wire/members.h). 0; -1 with err:
 * 422 for wrong types, 400 for what cannot be translated. */
int mg_chat_request_read(struct mg_crossing *x, struct mg_node *body)
    __attribute__((nonnull, warn_unused_result));
int mg_responses_request_read(struct mg_crossing *x, struct mg_node *body)
    __attribute__((nonnull, warn_unused_result));
int mg_messages_request_read(struct mg_crossing *x, struct mg_node *body)
    __attribute__((nonnull, warn_unused_result));
int mg_completions_request_read(struct mg_crossing *x, struct mg_node *body)
    __attribute__((nonnull, warn_unused_result));

/* Encoders: x->turn, settled, into the upstream's body. 0; -1 with a 400. */
int mg_chat_request_write(struct mg_crossing *x, struct mg_jw *w)
    __attribute__((nonnull, warn_unused_result));
int mg_responses_request_write(struct mg_crossing *x, struct mg_jw *w)
    __attribute__((nonnull, warn_unused_result));
int mg_messages_request_write(struct mg_crossing *x, struct mg_jw *w)
    __attribute__((nonnull, warn_unused_result));

#endif
