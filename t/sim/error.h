/*
 * Errors as each family words them: a JSON body with a status, or an event inside a stream.
 */
#ifndef SIM_ERROR_H
#define SIM_ERROR_H

#include "ask.h"
#include "reply.h"

/* A refusal. Strings are static or in the exchange's pool; type NULL: the one usual for status. */
struct sim_error {
    int status;
    const char *type;
    const char *code;
    const char *param;
    const char *message;
};

/* Makes r the error reply; what it held of a body is dropped. */
void sim_error_reply(struct sim_reply *r, enum sim_family family, const struct sim_error *err,
                     const char *request_id);

/* Appends the family's error event; seq is its sequence number where events are numbered. */
void sim_error_event(struct sim_reply *r, const struct sim_cmd *cmd, enum sim_family family,
                     const struct sim_error *err, int64_t seq);

/* The error that the commands describe, with defaults for what they leave open. */
struct sim_error sim_error_scripted(const struct sim_cmd *cmd, int status);

#endif
