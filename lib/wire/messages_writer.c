#include "wire/messages_writer.h"

#include "base/alloc.h"
#include "json/writer.h"
#include "wire/errors.h"
#include "wire/messages_content.h"

#include <stdlib.h>
#include <string.h>

struct messages_writer {
    struct mg_encoder base;
    bool started;
    int index;             /* of the open block */
    enum mg_part part;     /* of the open block */
    struct mg_str refusal; /* what the answer refused with, for stop_details */
    struct mg_content content; /* a reply that is not streamed */
};

static const char *
stop_reason(const struct mg_event *event)
{
    switch (event->end) {
    case MG_END_SEQUENCE:
        return event->text.n > 0 ? "stop_sequence" : "end_turn";
    case MG_END_LENGTH:
        return "max_tokens";
    case MG_END_TOOLS:
        return "tool_use";
    case MG_END_REFUSAL:
    case MG_END_FILTER:
        return "refusal";
    case MG_END_CONTEXT:
        return "model_context_window_exceeded";
    case MG_END_PAUSE:
        return "pause_turn";
    case MG_END_STOP:
        break;
    }
    return "end_turn";
}

/* Starts an event named `type`; the caller adds its other members. */
static void
open_event(struct messages_writer *m, struct mg_jw *w, const char *type)
{
    mg_str_addz(m->base.out, "event: ");
    mg_str_addz(m->base.out, type);
    mg_str_addz(m->base.out, "\ndata: ");
    mg_jw_init(w, m->base.out);
    mg_jw_object(w, NULL);
    mg_jw_string(w, "type", type);
}

static void
close_event(struct messages_writer *m, struct mg_jw *w)
{
    mg_jw_end(w);
    mg_str_addz(m->base.out, "\n\n");
}

/* stop_reason, stop_sequence, stop_details and container. `event` NULL: not ended yet. */
static void
write_stop(struct messages_writer *m, struct mg_jw *w, const struct mg_event *event)
{
    const char *reason = event ? stop_reason(event) : NULL;
    mg_jw_string(w, "stop_reason", reason);
    if (reason != NULL && strcmp(reason, "stop_sequence") == 0)
        mg_jw_bytes(w, "stop_sequence", event->text.p, event->text.n);
    else
        mg_jw_null(w, "stop_sequence");
    if (reason != NULL && strcmp(reason, "refusal") == 0) {
        mg_jw_object(w, "stop_details");
        mg_jw_string(w, "type", "refusal");
        mg_jw_null(w, "category");
        mg_jw_string(w, "explanation", m->refusal.len > 0 ? m->refusal.p : NULL);
        mg_jw_end(w);
    } else {
        mg_jw_null(w, "stop_details");
    }
    mg_jw_null(w, "container");
}

static void
write_message_head(struct messages_writer *m, struct mg_jw *w)
{
    char id[MG_REPLY_ID];
    mg_jw_string(w, "id", mg_reply_id(m->base.reply, "msg", -1, id));
    mg_jw_string(w, "type", "message");
    mg_jw_string(w, "role", "assistant");
    mg_jw_string(w, "model", m->base.reply->model);
}

static void
start(struct messages_writer *m)
{
    struct mg_usage usage = m->base.reply->usage;
    struct mg_jw w;
    m->started = true;
    if (!usage.has_input)
        usage = (struct mg_usage){.input = m->base.reply->input_estimate};
    usage.output = usage.reasoning = 0;
    open_event(m, &w, "message_start");
    mg_jw_object(&w, "message");
    write_message_head(m, &w);
    mg_jw_array(&w, "content");
    mg_jw_end(&w);
    write_stop(m, &w, NULL);
    mg_usage_write(MG_MESSAGES, &w, "usage", &usage);
    mg_jw_end(&w);
    close_event(m, &w);
}

/* content_block of an empty block. */
static void
write_empty_block(struct mg_jw *w, const struct mg_event *event)
{
    mg_jw_object(w, "content_block");
    if (event->part == MG_PART_TOOL) {
        mg_content_tool(w, event);
        mg_jw_object(w, "input");
        mg_jw_end(w);
    } else if (event->part == MG_PART_REASONING) {
        mg_jw_string(w, "type", "thinking");
        mg_jw_string(w, "thinking", "");
        mg_jw_string(w, "signature", "");
    } else {
        mg_jw_string(w, "type", "text");
        mg_jw_string(w, "text", "");
        mg_jw_null(w, "citations");
    }
    mg_jw_end(w);
}

static void
begin(struct messages_writer *m, const struct mg_event *event)
{
    struct mg_jw w;
    m->part = event->part;
    if (!m->base.reply->stream) {
        mg_content_begin(&m->content, event);
        return;
    }
    open_event(m, &w, "content_block_start");
    mg_jw_int(&w, "index", m->index);
    write_empty_block(&w, event);
    close_event(m, &w);
}

static void
delta_event(struct messages_writer *m, const char *type, const char *member, struct mg_span text)
{
    struct mg_jw w;
    open_event(m, &w, "content_block_delta");
    mg_jw_int(&w, "index", m->index);
    mg_jw_object(&w, "delta");
    mg_jw_string(&w, "type", type);
    mg_jw_bytes(&w, member, text.p, text.n);
    mg_jw_end(&w);
    close_event(m, &w);
}

static void
delta(struct messages_writer *m, struct mg_span text)
{
    if (m->part == MG_PART_REFUSAL)
        mg_str_addspan(&m->refusal, text);
    if (!m->base.reply->stream)
        mg_str_addspan(&m->content.text, text);
    else if (m->part == MG_PART_TOOL)
        delta_event(m, "input_json_delta", "partial_json", text);
    else if (m->part == MG_PART_REASONING)
        delta_event(m, "thinking_delta", "thinking", text);
    else
        delta_event(m, "text_delta", "text", text);
}

static void
seal(struct messages_writer *m, struct mg_span proof)
{
    if (m->base.reply->stream)
        delta_event(m, "signature_delta", "signature", proof);
    else
        mg_str_addspan(&m->content.proof, proof);
}

static void
cite(struct messages_writer *m, const struct mg_cite *source)
{
    struct mg_jw w;
    if (!m->base.reply->stream) {
        mg_content_cite(&m->content, source);
        return;
    }
    open_event(m, &w, "content_block_delta");
    mg_jw_int(&w, "index", m->index);
    mg_jw_object(&w, "delta");
    mg_jw_string(&w, "type", "citations_delta");
    mg_content_citation(&w, "citation", source);
    mg_jw_end(&w);
    close_event(m, &w);
}

static void
end_block(struct messages_writer *m)
{
    struct mg_jw w;
    if (m->base.reply->stream) {
        open_event(m, &w, "content_block_stop");
        mg_jw_int(&w, "index", m->index++);
        close_event(m, &w);
    } else {
        mg_content_end(&m->content);
    }
}

static void
finish_stream(struct messages_writer *m, const struct mg_event *event)
{
    struct mg_usage usage = mg_reply_usage(m->base.reply);
    struct mg_jw w;
    open_event(m, &w, "message_delta");
    mg_jw_object(&w, "delta");
    write_stop(m, &w, event);
    mg_jw_end(&w);
    mg_usage_write(MG_MESSAGES, &w, "usage", &usage);
    close_event(m, &w);
    open_event(m, &w, "message_stop");
    close_event(m, &w);
}

static void
finish_body(struct messages_writer *m, const struct mg_event *event)
{
    struct mg_usage usage = mg_reply_usage(m->base.reply);
    struct mg_jw w;
    mg_jw_init(&w, m->base.out);
    mg_jw_object(&w, NULL);
    write_message_head(m, &w);
    mg_jw_array(&w, "content");
    mg_str_addspan(m->base.out, mg_str_span(&m->content.blocks));
    mg_jw_end(&w);
    write_stop(m, &w, event);
    mg_usage_write(MG_MESSAGES, &w, "usage", &usage);
    mg_jw_end(&w);
    if (!mg_content_ok(&m->content))
        m->base.out->failed = true;
}

static void
finish(struct messages_writer *m, const struct mg_event *event)
{
    if (event->end == MG_END_FILTER && m->refusal.len == 0)
        mg_str_addspan(&m->refusal, event->text);
    if (m->base.reply->stream)
        finish_stream(m, event);
    else
        finish_body(m, event);
}

static void
put(struct mg_encoder *encoder, const struct mg_event *event)
{
    struct messages_writer *m = (struct messages_writer *)encoder;
    switch (event->kind) {
    case MG_EVENT_START:
        if (encoder->reply->stream)
            start(m);
        break;
    case MG_EVENT_BEGIN:
        begin(m, event);
        break;
    case MG_EVENT_DELTA:
        delta(m, event->text);
        break;
    case MG_EVENT_SEAL:
        seal(m, event->text);
        break;
    case MG_EVENT_CITE:
        cite(m, &event->cite);
        break;
    case MG_EVENT_END:
        end_block(m);
        break;
    case MG_EVENT_FINISH:
        finish(m, event);
        break;
    case MG_EVENT_ERROR:
        break;
    }
}

/* An error that is the very first event makes clients ask again without a stream, for the same
 * price; behind message_start they try the stream again, with patience. */
static void
fail(struct mg_encoder *encoder, const struct mg_err *err)
{
    struct messages_writer *m = (struct messages_writer *)encoder;
    if (!m->started)
        start(m);
    mg_errors_event(MG_MESSAGES, err, encoder->reply->request_id, 0, encoder->out);
}

static void
keepalive(struct mg_encoder *encoder)
{
    mg_str_addz(encoder->out, "event: ping\ndata: {\"type\":\"ping\"}\n\n");
}

static void
free_writer(struct mg_encoder *encoder)
{
    struct messages_writer *m = (struct messages_writer *)encoder;
    mg_str_free(&m->refusal);
    mg_content_free(&m->content);
    free(m);
}

struct mg_encoder *
mg_messages_writer_new(const struct mg_reply *reply)
{
    static const struct mg_encoder_ops ops = {put, fail, keepalive, free_writer};
    struct messages_writer *m = mg_calloc(1, sizeof(*m));
    m->base = (struct mg_encoder){.ops = &ops, .reply = reply};
    mg_str_init(&m->refusal, MG_REPLY_MAX);
    mg_content_init(&m->content);
    return &m->base;
}
