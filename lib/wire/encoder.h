/* An encoder: tells neutral events to the client in its format, as a stream or as one body.
 *
 * There is one for each format a client may speak (chat_writer, completions_writer,
 * responses_writer, messages_writer). It gets the blocks one behind the other, names and proofs
 * already in the client's words, START first and FINISH last. What it writes holds every member
 * that the published schema of the format requires. */
#ifndef MG_WIRE_ENCODER_H
#define MG_WIRE_ENCODER_H

#include "base/err.h"
#include "base/str.h"
#include "wire/event.h"
#include "wire/family.h"
#include "wire/translate.h"
#include "wire/usage.h"

#include <stdbool.h>
#include <stdint.h>

#define MG_REPLY_MAX ((size_t)64 << 20) /* bytes of one answer that may be collected */

/* What all parts of a bridge know of the reply they make. */
struct mg_reply {
    enum mg_family client;
    bool stream, show_usage;
    char *model;             /* the id the client knows */
    char request_id[48];
    char seed[33];           /* hex digits that ids are made of */
    int64_t now_s;           /* creation time, epoch s */
    int64_t input_estimate;  /* tokens */
    struct mg_translation *left;
    bool native;             /* upstream and client speak the same: proofs stay what they are */
    struct mg_usage usage;   /* what the upstream stated */
    size_t output_bytes;     /* generated so far */
};

struct mg_encoder;

struct mg_encoder_ops {
    void (*put)(struct mg_encoder *encoder, const struct mg_event *event);
    /* Ends the stream with the error of the format; START may not have come. */
    void (*fail)(struct mg_encoder *encoder, const struct mg_err *err);
    void (*keepalive)(struct mg_encoder *encoder);
    void (*free)(struct mg_encoder *encoder);
};

/* The head of every encoder. */
struct mg_encoder {
    const struct mg_encoder_ops *ops;
    const struct mg_reply *reply;
    struct mg_str *out; /* where bytes for the client go; set before every call */
};

/* The figures to show: what the upstream stated, estimates for what it did not. */
struct mg_usage mg_reply_usage(const struct mg_reply *reply) __attribute__((nonnull));
/* Writes "<prefix>_<seed>" or, for n >= 0, "<prefix>_<seed><n>" into buf; returns buf. */
#define MG_REPLY_ID 64
char *mg_reply_id(const struct mg_reply *reply, const char *prefix, int n, char buf[MG_REPLY_ID])
    __attribute__((nonnull));

#endif
