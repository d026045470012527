/* The one choice of a Chat Completions reply that is not streamed, while it is collected; and
 * the parts of it that chunks spell alike. */
#ifndef MG_WIRE_CHAT_MESSAGE_H
#define MG_WIRE_CHAT_MESSAGE_H

#include "base/str.h"
#include "json/writer.h"
#include "wire/cites.h"
#include "wire/event.h"

#include <stdbool.h>

/* JSON being built: insides of strings, elements of arrays. */
struct mg_chat_message {
    struct mg_str content, refusal, reasoning, details, calls, notes, logprobs;
};

void mg_chat_message_init(struct mg_chat_message *message) __attribute__((nonnull));
void mg_chat_message_free(struct mg_chat_message *message) __attribute__((nonnull));
/* Appends text, refusal or reasoning. */
void mg_chat_message_text(struct mg_chat_message *message, enum mg_part part,
                          struct mg_span text) __attribute__((nonnull));
/* Appends log probabilities of the content: a JSON array as they came. */
void mg_chat_message_logprobs(struct mg_chat_message *message, struct mg_span json)
    __attribute__((nonnull));
/* A call begins (its BEGIN event), goes on, ends. */
void mg_chat_message_call(struct mg_chat_message *message, const struct mg_event *event)
    __attribute__((nonnull));
void mg_chat_message_arguments(struct mg_chat_message *message, struct mg_span text)
    __attribute__((nonnull));
void mg_chat_message_call_end(struct mg_chat_message *message) __attribute__((nonnull));
/* The packed proof of reasoning. */
void mg_chat_message_proof(struct mg_chat_message *message, struct mg_span proof)
    __attribute__((nonnull));
void mg_chat_message_notes(struct mg_chat_message *message, const struct mg_cites *cites)
    __attribute__((nonnull));
/* Writes the choice. False when something did not fit. */
bool mg_chat_message_write(const struct mg_chat_message *message, const char *finish_reason,
                           struct mg_jw *w) __attribute__((nonnull, warn_unused_result));

/* Writes a call up to its argument string, which stays open: three levels are to be closed. A
 * negative index is left out. */
void mg_chat_call_head(struct mg_jw *w, const struct mg_event *event, int index)
    __attribute__((nonnull));
/* Writes the element of `reasoning_details` that carries a packed proof. */
void mg_chat_proof(struct mg_jw *w, struct mg_span proof) __attribute__((nonnull));

#endif
