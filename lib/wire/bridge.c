#include "wire/bridge.h"

#include "base/alloc.h"
#include "base/id.h"
#include "json/parse.h"
#include "wire/chat_reply.h"
#include "wire/chat_writer.h"
#include "wire/completions_writer.h"
#include "wire/messages_reply.h"
#include "wire/messages_writer.h"
#include "wire/order.h"
#include "wire/responses_reply.h"
#include "wire/responses_writer.h"
#include "wire/restore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* decoder → hear → order → restore → tell → encoder */
struct mg_bridge {
    struct mg_reply reply;
    struct mg_decoder *decoder;
    struct mg_order *order;
    struct mg_restore *restore;
    struct mg_encoder *encoder;
    bool whole;      /* a whole reply is being read: a failure of it is not told here */
    bool begun;      /* START was told */
    bool complete, failed;
    bool ended;      /* the client's stream has its terminal event */
    struct mg_err fault; /* what the upstream reported, for a reply that is not streamed */
};

static void
fail(struct mg_bridge *b, const struct mg_err *err)
{
    if (b->ended)
        return;
    b->failed = true;
    if (b->whole || !b->reply.stream) {
        mg_err_set(&b->fault, err->status, err->code, "%s", err->message);
        return;
    }
    b->ended = true;
    b->encoder->ops->fail(b->encoder, err);
}

/* Takes what the order and the names make of the answer, and tells it to the client. */
static void
tell(void *self, const struct mg_event *event)
{
    struct mg_bridge *b = self;
    struct mg_event start = {.kind = MG_EVENT_START};
    if (event->kind == MG_EVENT_ERROR) {
        fail(b, event->err);
        return;
    }
    if (!b->begun) {
        b->begun = true;
        b->encoder->ops->put(b->encoder, &start);
    }
    if (event->kind == MG_EVENT_START)
        return;
    b->encoder->ops->put(b->encoder, event);
    if (event->kind == MG_EVENT_FINISH)
        b->complete = b->ended = true;
}

/* Takes what the decoder understood. */
static void
hear(void *self, const struct mg_event *event)
{
    struct mg_bridge *b = self;
    switch (event->kind) {
    case MG_EVENT_ERROR:
        fail(b, event->err);
        break;
    case MG_EVENT_DELTA:
        b->reply.output_bytes += event->text.n;
        mg_order_put(b->order, event);
        break;
    case MG_EVENT_START:
    case MG_EVENT_BEGIN:
    case MG_EVENT_SEAL:
    case MG_EVENT_CITE:
    case MG_EVENT_END:
    case MG_EVENT_FINISH:
        mg_order_put(b->order, event);
        break;
    }
}

static struct mg_decoder *
new_decoder(enum mg_family family, struct mg_sink sink, struct mg_usage *usage)
{
    switch (family) {
    case MG_RESPONSES:
        return mg_responses_reply_new(sink, usage);
    case MG_MESSAGES:
        return mg_messages_reply_new(sink, usage);
    case MG_CHAT:
    case MG_COMPLETIONS:
    case MG_FAMILIES:
        break;
    }
    return mg_chat_reply_new(sink, usage);
}

static struct mg_encoder *
new_encoder(const struct mg_reply *reply)
{
    switch (reply->client) {
    case MG_RESPONSES:
        return mg_responses_writer_new(reply);
    case MG_MESSAGES:
        return mg_messages_writer_new(reply);
    case MG_COMPLETIONS:
        return mg_completions_writer_new(reply);
    case MG_CHAT:
    case MG_FAMILIES:
        break;
    }
    return mg_chat_writer_new(reply);
}

static void
set_up(struct mg_reply *reply, const struct mg_relay_setup *setup)
{
    reply->client = setup->client;
    reply->stream = setup->stream;
    reply->show_usage = setup->show_usage;
    reply->model = mg_strdup(setup->model);
    snprintf(reply->request_id, sizeof(reply->request_id), "%s", setup->request_id);
    mg_hex(setup->id, sizeof(setup->id), reply->seed);
    reply->now_s = setup->now_s;
    reply->input_estimate = setup->input_estimate > 0 ? setup->input_estimate : 0;
    reply->left = setup->translation;
    reply->native = reply->left == NULL && setup->client == setup->upstream;
    if (reply->left == NULL) {
        reply->left = mg_translation_new(setup->client, setup->upstream);
        reply->left->show_reasoning = true;
    }
}

struct mg_bridge *
mg_bridge_new(const struct mg_relay_setup *setup)
{
    struct mg_bridge *b = mg_calloc(1, sizeof(*b));
    set_up(&b->reply, setup);
    mg_err_init(&b->fault);
    b->encoder = new_encoder(&b->reply);
    b->restore = mg_restore_new(&b->reply, (struct mg_sink){tell, b});
    b->order = mg_order_new((struct mg_sink){mg_restore_put, b->restore});
    b->decoder = new_decoder(setup->upstream, (struct mg_sink){hear, b}, &b->reply.usage);
    return b;
}

void
mg_bridge_free(struct mg_bridge **bridge)
{
    struct mg_bridge *b = *bridge;
    if (b == NULL)
        return;
    b->decoder->ops->free(b->decoder);
    mg_order_free(&b->order);
    mg_restore_free(&b->restore);
    b->encoder->ops->free(b->encoder);
    mg_translation_free(&b->reply.left);
    mg_err_free(&b->fault);
    free(b->reply.model);
    free(b);
    *bridge = NULL;
}

int
mg_bridge_event(struct mg_bridge *b, const struct mg_sse_event *event, struct mg_str *out)
{
    b->encoder->out = out;
    if (b->ended)
        return 0;
    if (event->data.n == 0) /* a comment */
        return 0;
    if (b->decoder->ops->event(b->decoder, event->name, event->data) != 0)
        return -1;
    return mg_order_ok(b->order) && mg_str_ok(out) ? 0 : -1;
}

int
mg_bridge_eof(struct mg_bridge *b, struct mg_str *out)
{
    b->encoder->out = out;
    if (!b->ended && !b->decoder->ops->eof(b->decoder))
        return -1;
    return b->ended && mg_str_ok(out) ? 0 : -1;
}

void
mg_bridge_fail(struct mg_bridge *b, const struct mg_err *err, struct mg_str *out)
{
    b->encoder->out = out;
    fail(b, err);
}

void
mg_bridge_keepalive(struct mg_bridge *b, struct mg_str *out)
{
    b->encoder->out = out;
    if (!b->reply.stream || b->ended)
        return;
    b->encoder->ops->keepalive(b->encoder);
}

/* What came of a whole reply that was read. */
static int
judge(struct mg_bridge *b, int rc, const struct mg_str *out, struct mg_err *err)
{
    b->whole = false;
    if (b->failed) {
        mg_err_move(err, &b->fault);
        return -1;
    }
    if (rc != 0 || !b->complete)
        return mg_err_set(err, 502, "upstream_invalid_reply",
                          "The upstream's reply is not a reply of the requested format.");
    if (!mg_order_ok(b->order) || !mg_str_ok(out))
        return mg_err_internal(err, "reply larger than its buffer");
    return 0;
}

int
mg_bridge_body(struct mg_bridge *b, struct mg_span body, struct mg_str *out, struct mg_err *err)
{
    b->encoder->out = out;
    b->whole = true;
    return judge(b, b->decoder->ops->body(b->decoder, body), out, err);
}

int
mg_bridge_events(struct mg_bridge *b, struct mg_span events, struct mg_str *out,
                 struct mg_err *err)
{
    struct mg_sse sse;
    struct mg_sse_event event;
    mg_sse_init(&sse);
    b->whole = true;
    int rc = mg_sse_feed(&sse, events.p, events.n) ? 0 : -1;
    while (rc == 0 && !b->failed && mg_sse_next(&sse, true, &event))
        rc = mg_bridge_event(b, &event, out);
    if (rc == 0 && !b->failed)
        rc = mg_bridge_eof(b, out);
    mg_sse_free(&sse);
    return judge(b, rc, out, err);
}

bool
mg_bridge_is_no_room(struct mg_span body)
{
    struct json_object *reply = mg_json_of(body);
    const char *text = mg_json_text(mg_json_get(reply, "error"), "message");
    bool is = text != NULL && strstr(text, "Could not finish the message") != NULL
              && strstr(text, "max_tokens") != NULL;
    json_object_put(reply);
    return is;
}

void
mg_bridge_no_room(struct mg_bridge *b, struct mg_str *out)
{
    struct mg_event event = {.kind = MG_EVENT_FINISH, .end = MG_END_LENGTH};
    b->encoder->out = out;
    b->reply.usage.has_output = true;
    mg_order_put(b->order, &event);
}

const struct mg_usage *
mg_bridge_usage(const struct mg_bridge *b)
{
    return &b->reply.usage;
}

size_t
mg_bridge_output_bytes(const struct mg_bridge *b)
{
    return b->reply.output_bytes;
}

bool
mg_bridge_complete(const struct mg_bridge *b)
{
    return b->complete;
}

bool
mg_bridge_ended(const struct mg_bridge *b)
{
    return b->ended;
}

bool
mg_bridge_failed(const struct mg_bridge *b)
{
    return b->failed;
}
