/* Server-sent events, read incrementally.
 *
 * Bytes go in as they arrive, whole events come out: lines may end with LF, CRLF or CR, data
 * may span several lines, comments are seen, nothing is lost however the bytes are cut. The
 * raw bytes of each event stay available, because pass-through forwards exactly those. */
#ifndef MG_WIRE_SSE_H
#define MG_WIRE_SSE_H

#include "base/str.h"

#include <stdbool.h>

#define MG_SSE_MAX ((size_t)32 << 20) /* one event larger than this ends the stream */

struct mg_sse_event {
    struct mg_span raw;   /* the bytes of the event with its blank line, as received */
    struct mg_span name;  /* the `event:` field, empty when there was none */
    struct mg_span data;  /* the `data:` lines joined by LF, empty when there was none */
    bool has_data;        /* a data line was there, if only an empty one */
    bool one_line;        /* data is one line and so a sub-span of raw */
};

struct mg_sse {
    struct mg_str pending; /* bytes not yet given out */
    struct mg_str name, data;
    size_t taken;          /* bytes of pending already given out */
    size_t line;           /* start of the line that is being looked for */
    size_t scanned;        /* bytes of that line already searched for its end */
    bool first;            /* nothing read yet: a byte order mark may come */
    bool after_cr;         /* the last event ended with CR: an LF may belong to it */
};

void mg_sse_init(struct mg_sse *sse) __attribute__((nonnull));
void mg_sse_free(struct mg_sse *sse) __attribute__((nonnull));
/* Adds bytes. false when an event grew past MG_SSE_MAX: the stream cannot be read any more. */
bool mg_sse_feed(struct mg_sse *sse, const char *bytes, size_t n) __attribute__((nonnull));
/* Takes the next complete event; its spans stay valid until the next call on this reader.
 * `eof`: no more bytes will come, so a last event without its blank line counts too (the
 * standard discards it; several providers leave the last blank line out). */
bool mg_sse_next(struct mg_sse *sse, bool eof, struct mg_sse_event *event)
    __attribute__((nonnull));
/* True for the data that ends a stream of Chat Completions. Some upstreams put blanks behind
 * it. */
bool mg_sse_is_done(struct mg_span data);
/* True when a body begins as a stream does. Some servers call theirs text/plain, or nothing. */
bool mg_sse_is_stream(struct mg_span body);

#endif
