#include "wire/chat_writer.h"

#include "base/alloc.h"
#include "json/writer.h"
#include "wire/chat_message.h"
#include "wire/errors.h"
#include "wire/logprobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct chat_writer {
    struct mg_encoder base;
    struct mg_str head;      /* what every chunk begins with */
    enum mg_part part;       /* of the open block */
    bool custom;             /* the open call is a custom tool's */
    bool arguments;          /* … and has got some */
    int calls;               /* calls so far */
    int64_t chars;           /* characters of content so far */
    struct mg_cites cites;
    struct mg_chat_message message; /* a reply that is not streamed */
};

static const struct mg_span nothing = {NULL, 0};

const char *
mg_chat_finish_reason(enum mg_end end)
{
    switch (end) {
    case MG_END_STOP:
    case MG_END_SEQUENCE:
    case MG_END_REFUSAL:
        return "stop";
    case MG_END_TOOLS:
        return "tool_calls";
    case MG_END_FILTER:
        return "content_filter";
    case MG_END_LENGTH:
    case MG_END_CONTEXT:
    case MG_END_PAUSE:
        break;
    }
    return "length";
}

/* The members that every chunk and every completion begin with. */
static void
write_head(const struct mg_reply *reply, const char *object, struct mg_jw *w)
{
    char id[MG_REPLY_ID];
    snprintf(id, sizeof(id), "chatcmpl-%s", reply->seed);
    mg_jw_object(w, NULL);
    mg_jw_string(w, "id", id);
    mg_jw_string(w, "object", object);
    mg_jw_int(w, "created", reply->now_s);
    mg_jw_string(w, "model", reply->model);
}

/* Starts a chunk; the caller writes the members of its delta. */
static void
open_chunk(struct chat_writer *c, struct mg_jw *w)
{
    if (c->head.len == 0) {
        mg_jw_init(w, &c->head);
        write_head(c->base.reply, "chat.completion.chunk", w);
    }
    mg_str_addz(c->base.out, "data: ");
    mg_str_addspan(c->base.out, mg_str_span(&c->head));
    mg_str_addz(c->base.out, ",\"choices\":[{\"index\":0,\"delta\":");
    mg_jw_init(w, c->base.out);
    mg_jw_object(w, NULL);
}

/* Ends it; `logprobs` may be empty, `finish` NULL. */
static void
close_chunk(struct chat_writer *c, struct mg_jw *w, struct mg_span logprobs, const char *finish)
{
    mg_jw_end(w);
    mg_str_addz(c->base.out, ",\"logprobs\":");
    if (logprobs.n > 0 && c->base.reply->left->logprobs) {
        mg_jw_init(w, c->base.out);
        mg_jw_object(w, NULL);
        mg_jw_array(w, "content");
        mg_logprobs_write(w, logprobs);
        mg_jw_end(w);
        mg_jw_null(w, "refusal");
        mg_jw_end(w);
    } else {
        mg_str_addz(c->base.out, "null");
    }
    mg_str_addz(c->base.out, ",\"finish_reason\":");
    if (finish != NULL)
        mg_json_quote(c->base.out, finish, strlen(finish));
    else
        mg_str_addz(c->base.out, "null");
    mg_str_addz(c->base.out, "}]}\n\n");
}

static void
start(struct chat_writer *c)
{
    struct mg_jw w;
    open_chunk(c, &w);
    mg_jw_string(&w, "role", "assistant");
    mg_jw_null(&w, "content");
    mg_jw_null(&w, "refusal");
    close_chunk(c, &w, nothing, NULL);
}

static void
begin_call(struct chat_writer *c, const struct mg_event *event)
{
    struct mg_jw w;
    c->custom = event->custom;
    c->arguments = false;
    if (!c->base.reply->stream) {
        mg_chat_message_call(&c->message, event);
        return;
    }
    open_chunk(c, &w);
    mg_jw_array(&w, "tool_calls");
    mg_chat_call_head(&w, event, c->calls);
    mg_jw_string_end(&w);
    mg_jw_end(&w);
    mg_jw_end(&w);
    mg_jw_end(&w);
    close_chunk(c, &w, nothing, NULL);
}

static void
begin(struct chat_writer *c, const struct mg_event *event)
{
    c->part = event->part;
    if (c->part == MG_PART_TOOL)
        begin_call(c, event);
    if (c->part == MG_PART_TEXT)
        mg_cites_begin(&c->cites, c->chars);
}

static void
arguments(struct chat_writer *c, struct mg_span text)
{
    struct mg_jw w;
    c->arguments = true;
    if (!c->base.reply->stream) {
        mg_chat_message_arguments(&c->message, text);
        return;
    }
    open_chunk(c, &w);
    mg_jw_array(&w, "tool_calls");
    mg_jw_object(&w, NULL);
    mg_jw_int(&w, "index", c->calls);
    mg_jw_object(&w, c->custom ? "custom" : "function");
    mg_jw_bytes(&w, c->custom ? "input" : "arguments", text.p, text.n);
    mg_jw_end(&w);
    mg_jw_end(&w);
    mg_jw_end(&w);
    close_chunk(c, &w, nothing, NULL);
}

static void
text(struct chat_writer *c, const struct mg_event *event)
{
    const char *member = c->part == MG_PART_TEXT      ? "content"
                         : c->part == MG_PART_REFUSAL ? "refusal"
                                                      : "reasoning_content";
    struct mg_jw w;
    if (c->part == MG_PART_TEXT)
        mg_cites_text(&c->cites, event->text);
    if (c->base.reply->stream) {
        open_chunk(c, &w);
        mg_jw_bytes(&w, member, event->text.p, event->text.n);
        close_chunk(c, &w, event->logprobs, NULL);
        return;
    }
    mg_chat_message_text(&c->message, c->part, event->text);
    if (event->logprobs.n > 0 && c->base.reply->left->logprobs)
        mg_chat_message_logprobs(&c->message, event->logprobs);
}

static void
seal(struct chat_writer *c, struct mg_span proof)
{
    struct mg_jw w;
    if (!c->base.reply->stream) {
        mg_chat_message_proof(&c->message, proof);
        return;
    }
    open_chunk(c, &w);
    mg_jw_array(&w, "reasoning_details");
    mg_chat_proof(&w, proof);
    mg_jw_end(&w);
    close_chunk(c, &w, nothing, NULL);
}

static void
end_text(struct chat_writer *c)
{
    struct mg_jw w;
    c->chars += c->cites.length;
    if (!c->base.reply->stream) {
        mg_chat_message_notes(&c->message, &c->cites);
    } else if (c->cites.count > 0) {
        open_chunk(c, &w);
        mg_jw_array(&w, "annotations");
        for (size_t i = 0; i < c->cites.count; i++)
            mg_cites_write(&c->cites, i, true, &w);
        mg_jw_end(&w);
        close_chunk(c, &w, nothing, NULL);
    }
}

static void
end_call(struct chat_writer *c)
{
    if (!c->arguments && !c->custom)
        arguments(c, mg_span_z("{}"));
    if (!c->base.reply->stream)
        mg_chat_message_call_end(&c->message);
    c->calls++;
}

static void
finish_stream(struct chat_writer *c, const char *finish_reason)
{
    struct mg_jw w;
    open_chunk(c, &w);
    close_chunk(c, &w, nothing, finish_reason);
    if (c->base.reply->show_usage) {
        struct mg_usage usage = mg_reply_usage(c->base.reply);
        mg_str_addz(c->base.out, "data: ");
        mg_jw_init(&w, c->base.out);
        write_head(c->base.reply, "chat.completion.chunk", &w);
        mg_jw_array(&w, "choices");
        mg_jw_end(&w);
        mg_usage_write(MG_CHAT, &w, "usage", &usage);
        mg_jw_end(&w);
        mg_str_addz(c->base.out, "\n\n");
    }
    mg_str_addz(c->base.out, "data: [DONE]\n\n");
}

static void
finish_body(struct chat_writer *c, const char *finish_reason)
{
    struct mg_usage usage = mg_reply_usage(c->base.reply);
    struct mg_jw w;
    mg_jw_init(&w, c->base.out);
    write_head(c->base.reply, "chat.completion", &w);
    mg_jw_array(&w, "choices");
    if (!mg_chat_message_write(&c->message, finish_reason, &w))
        c->base.out->failed = true;
    mg_jw_end(&w);
    mg_usage_write(MG_CHAT, &w, "usage", &usage);
    mg_jw_end(&w);
}

static void
end_block(struct chat_writer *c)
{
    if (c->part == MG_PART_TEXT)
        end_text(c);
    if (c->part == MG_PART_TOOL)
        end_call(c);
}

static void
finish(struct chat_writer *c, const struct mg_event *event)
{
    const char *reason = mg_chat_finish_reason(event->end);
    if (c->base.reply->stream)
        finish_stream(c, reason);
    else
        finish_body(c, reason);
}

static void
put(struct mg_encoder *encoder, const struct mg_event *event)
{
    struct chat_writer *c = (struct chat_writer *)encoder;
    switch (event->kind) {
    case MG_EVENT_START:
        if (encoder->reply->stream)
            start(c);
        break;
    case MG_EVENT_BEGIN:
        begin(c, event);
        break;
    case MG_EVENT_DELTA:
        if (c->part == MG_PART_TOOL)
            arguments(c, event->text);
        else
            text(c, event);
        break;
    case MG_EVENT_SEAL:
        seal(c, event->text);
        break;
    case MG_EVENT_CITE:
        mg_cites_add(&c->cites, &event->cite);
        break;
    case MG_EVENT_END:
        end_block(c);
        break;
    case MG_EVENT_FINISH:
        finish(c, event);
        break;
    case MG_EVENT_ERROR:
        break;
    }
}

static void
fail(struct mg_encoder *encoder, const struct mg_err *err)
{
    mg_errors_event(MG_CHAT, err, encoder->reply->request_id, 0, encoder->out);
}

static void
keepalive(struct mg_encoder *encoder)
{
    mg_str_addz(encoder->out, ": keep-alive\n\n");
}

static void
free_writer(struct mg_encoder *encoder)
{
    struct chat_writer *c = (struct chat_writer *)encoder;
    mg_str_free(&c->head);
    mg_cites_free(&c->cites);
    mg_chat_message_free(&c->message);
    free(c);
}

struct mg_encoder *
mg_chat_writer_new(const struct mg_reply *reply)
{
    static const struct mg_encoder_ops ops = {put, fail, keepalive, free_writer};
    struct chat_writer *c = mg_calloc(1, sizeof(*c));
    c->base = (struct mg_encoder){.ops = &ops, .reply = reply};
    mg_str_init(&c->head, 8192);
    mg_chat_message_init(&c->message);
    return &c->base;
}
