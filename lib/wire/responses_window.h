/* The open output item of a Responses reply and the events that tell of it.
 *
 * The window writes events only when the reply is streamed; the items themselves are collected
 * either way, since the final response repeats them. */
#ifndef MG_WIRE_RESPONSES_WINDOW_H
#define MG_WIRE_RESPONSES_WINDOW_H

#include "json/writer.h"
#include "wire/balance.h"
#include "wire/cites.h"
#include "wire/encoder.h"

#include <stdbool.h>
#include <stdint.h>

struct mg_window {
    const struct mg_reply *reply;
    struct mg_str *out;      /* set before every call */
    int64_t sequence;        /* of the next event */
    struct mg_str output;    /* items that are done: elements, JSON */
    int index;               /* output_index of the open (or next) item */
    bool message;            /* a message item is open */
    enum mg_part part;       /* of the open block */
    char id[MG_REPLY_ID];    /* of the open item */
    int parts;               /* parts of the open message that are done */
    struct mg_str content;   /* … elements, JSON */
    struct mg_str text;      /* of the open block */
    struct mg_str logprobs;  /* of the open block of text: elements, JSON */
    struct mg_cites cites;   /* of the open block of text */
    struct mg_str proof;     /* of the open item of reasoning */
    struct mg_str call_id, name, space; /* of the open call */
    bool custom;
    struct mg_balance balance;
};

void mg_window_init(struct mg_window *window, const struct mg_reply *reply)
    __attribute__((nonnull));
void mg_window_free(struct mg_window *window) __attribute__((nonnull));
/* Starts an event of the stream; false when the reply is not streamed. */
bool mg_window_event(struct mg_window *window, struct mg_jw *w, const char *type)
    __attribute__((nonnull));
/* Ends it. */
void mg_window_event_end(struct mg_window *window, struct mg_jw *w) __attribute__((nonnull));

/* A block begins, goes on, ends. */
void mg_window_begin(struct mg_window *window, const struct mg_event *event)
    __attribute__((nonnull));
void mg_window_delta(struct mg_window *window, const struct mg_event *event)
    __attribute__((nonnull));
void mg_window_seal(struct mg_window *window, struct mg_span proof) __attribute__((nonnull));
void mg_window_end(struct mg_window *window, bool torn) __attribute__((nonnull));
/* Closes the message that may still be open. `status`: "completed" or "incomplete". */
void mg_window_close(struct mg_window *window, const char *status) __attribute__((nonnull));
/* False when something did not fit. */
bool mg_window_ok(const struct mg_window *window) __attribute__((nonnull));

#endif
