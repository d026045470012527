/*
 * The model lists: GET /v1/models and /v1/models/{id}, in the OpenAI form, or in the Messages form
 * when the request has a version header.
 */
#ifndef SIM_MODELS_H
#define SIM_MODELS_H

#include "http.h"
#include "reply.h"

/* Answers a GET; name is what follows /models/, or NULL for the list. */
void sim_models(struct sim_reply *r, const struct sim_request *req, const char *name);

/* False when --models was given and does not name the model. */
bool sim_models_known(const char *name);

#endif
