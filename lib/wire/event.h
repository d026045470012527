/* What an answer says, in no format: the events between a decoder of the upstream's format and
 * an encoder of the client's.
 *
 * An answer is a row of blocks (text, refusal, reasoning, call of a tool) between one START and
 * one FINISH. A block is BEGIN, any number of DELTA, SEAL and CITE, END. Decoders number their
 * blocks and may have several open at once; wire/order puts them one behind the other, so that
 * an encoder never sees more than one open block. A reply that is not streamed makes the same
 * events as one that is.
 *
 * Spans are borrowed from the upstream's event: they live until the sink returns. */
#ifndef MG_WIRE_EVENT_H
#define MG_WIRE_EVENT_H

#include "base/err.h"
#include "base/str.h"
#include "wire/pack.h"

#include <stdbool.h>
#include <stdint.h>

enum mg_event_kind {
    MG_EVENT_START,  /* the upstream answers */
    MG_EVENT_BEGIN,  /* a block begins: part, id, name, space, custom */
    MG_EVENT_DELTA,  /* text of the block: text, logprobs */
    MG_EVENT_SEAL,   /* the upstream's proof of a reasoning block: proof, later text (packed) */
    MG_EVENT_CITE,   /* a source of the text: cite */
    MG_EVENT_END,    /* the block is over: torn */
    MG_EVENT_FINISH, /* the answer is whole: end, text */
    MG_EVENT_ERROR   /* the upstream reports a failure: err */
};

/* What a block holds. */
enum mg_part {
    MG_PART_TEXT,
    MG_PART_REFUSAL,
    MG_PART_REASONING,
    MG_PART_TOOL,
    MG_PART_COMPACTION /* Responses: the conversation so far, made short; only a SEAL */
};

/* Why an answer ended. */
enum mg_end {
    MG_END_STOP,     /* by itself */
    MG_END_SEQUENCE, /* at a stop sequence; text: the sequence, when the upstream says */
    MG_END_LENGTH,   /* at the token limit */
    MG_END_TOOLS,    /* it wants the results of its tool calls */
    MG_END_REFUSAL,  /* by itself, and what it says is a refusal */
    MG_END_FILTER,   /* stopped by a filter; text: the explanation, when there is one */
    MG_END_CONTEXT,  /* the context window is full */
    MG_END_PAUSE     /* a server tool needs another turn */
};

/* A source on the web. */
struct mg_cite {
    struct mg_span url, title;
    int64_t start, end; /* characters of the block's text it stands for; -1 = the whole block */
};

struct mg_event {
    enum mg_event_kind kind;
    unsigned number;      /* the block, as its decoder counts them from 0 */
    enum mg_part part;   /* BEGIN */
    bool custom;          /* BEGIN of a tool: the deltas are bare text, not JSON */
    struct mg_span id;    /* BEGIN of a tool: id of the call */
    struct mg_span name;  /* BEGIN of a tool */
    struct mg_span space; /* BEGIN of a tool: its namespace */
    struct mg_span text;
    struct mg_span logprobs; /* DELTA of text: JSON array of Chat Completions' entries */
    struct mg_pack proof; /* SEAL, from the decoder */
    struct mg_cite cite;
    bool torn;            /* END of a tool: its bare text broke off in the middle */
    enum mg_end end;
    const struct mg_err *err;
};

/* Where events go. */
struct mg_sink {
    void (*put)(void *self, const struct mg_event *event);
    void *self;
};

static inline void
mg_sink_put(struct mg_sink sink, const struct mg_event *event)
{
    sink.put(sink.self, event);
}

#endif
