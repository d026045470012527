/*
 * What the parts of the Responses format share: the response object (response_object.c), its items
 * (response_items.c), and the events (responses.c).
 */
#ifndef SIM_RESPONSES_H
#define SIM_RESPONSES_H

#include "render.h"

/* How far an item has come: announced and still empty, or finished. */
enum sim_item_state { SIM_ITEM_ADDED, SIM_ITEM_DONE };

/* The members of a response object that only repeat the request, without braces (in the pool). */
const char *sim_response_echo(const struct sim_turn *turn);

/*
 * A response object under key. status is its status; finished responses carry their output, the
 * others none. usage says whether figures are given (else null).
 */
void sim_response_put(struct sim_buf *b, const char *key, const struct sim_turn *turn,
                      const char *echo, const char *status, bool usage);

/* Final status of the turn: completed, incomplete or failed. */
const char *sim_response_status(const struct sim_turn *turn);

/* Id of output item i (the part's index), in the pool. */
const char *sim_item_id(const struct sim_turn *turn, size_t i);

/* Output item i under key. */
void sim_item_put(struct sim_buf *b, const char *key, const struct sim_turn *turn, size_t i,
                  enum sim_item_state state);

/* The output_text or refusal part of message item i with the first n bytes of its text. */
void sim_item_part(struct sim_buf *b, const char *key, const struct sim_turn *turn, size_t i,
                   size_t n);

/* True when reasoning part i is shown as a summary, or as open reasoning text. */
bool sim_item_summary(const struct sim_turn *turn);
bool sim_item_open_text(const struct sim_turn *turn);

#endif
