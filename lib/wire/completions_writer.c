#include "wire/completions_writer.h"

#include "base/alloc.h"
#include "json/writer.h"
#include "wire/chat_writer.h"
#include "wire/errors.h"
#include "wire/logprobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct completions_writer {
    struct mg_encoder base;
    bool shown;          /* the open block is text */
    int64_t offset;      /* characters of text that log probabilities were told of */
    /* A reply that is not streamed. */
    struct mg_str text;     /* inside of a JSON string */
    struct mg_str logprobs; /* elements of a JSON array */
};

static const struct mg_span none = {NULL, 0};

static void
write_head(const struct mg_reply *reply, struct mg_jw *w)
{
    char id[MG_REPLY_ID];
    snprintf(id, sizeof(id), "cmpl-%s", reply->seed);
    mg_jw_object(w, NULL);
    mg_jw_string(w, "id", id);
    mg_jw_string(w, "object", "text_completion");
    mg_jw_int(w, "created", reply->now_s);
    mg_jw_string(w, "model", reply->model);
    mg_jw_array(w, "choices");
}

/* The choice but for its text, which the caller has written. */
static void
end_choice(struct completions_writer *c, struct mg_jw *w, struct mg_span logprobs,
           const char *finish_reason)
{
    mg_jw_int(w, "index", 0);
    mg_logprobs_legacy(w, "logprobs", logprobs, &c->offset);
    mg_jw_string(w, "finish_reason", finish_reason);
    mg_jw_end(w);
    mg_jw_end(w);
}

static void
chunk(struct completions_writer *c, struct mg_span text, struct mg_span logprobs,
      const char *finish_reason)
{
    struct mg_jw w;
    mg_str_addz(c->base.out, "data: ");
    mg_jw_init(&w, c->base.out);
    write_head(c->base.reply, &w);
    mg_jw_object(&w, NULL);
    mg_jw_bytes(&w, "text", text.p, text.n);
    end_choice(c, &w, logprobs, finish_reason);
    mg_jw_end(&w);
    mg_str_addz(c->base.out, "\n\n");
}

static void
say(struct completions_writer *c, struct mg_span text, struct mg_span logprobs)
{
    struct mg_jw w;
    if (!c->base.reply->left->logprobs)
        logprobs = none;
    if (c->base.reply->stream) {
        chunk(c, text, logprobs, NULL);
        return;
    }
    mg_jw_init(&w, &c->text);
    mg_jw_string_part(&w, text.p, text.n);
    if (logprobs.n > 0)
        mg_logprobs_append(&c->logprobs, logprobs);
}

/* The prompt stands before the answer, and offsets count it. */
static void
start(struct completions_writer *c)
{
    const char *prompt = c->base.reply->left->prompt;
    if (prompt == NULL || *prompt == '\0')
        return;
    for (const char *p = prompt; *p != '\0'; p++)
        c->offset += ((unsigned char)*p & 0xc0) != 0x80;
    say(c, mg_span_z(prompt), none);
}

/* There are no tools in this format: a turn that ends for one ended by itself. */
static const char *
finish_reason(enum mg_end end)
{
    return end == MG_END_TOOLS ? "stop" : mg_chat_finish_reason(end);
}

static void
finish_stream(struct completions_writer *c, enum mg_end end)
{
    struct mg_jw w;
    chunk(c, mg_span_z(""), none, finish_reason(end));
    if (c->base.reply->show_usage) {
        struct mg_usage usage = mg_reply_usage(c->base.reply);
        mg_str_addz(c->base.out, "data: ");
        mg_jw_init(&w, c->base.out);
        write_head(c->base.reply, &w);
        mg_jw_end(&w);
        mg_usage_write(MG_COMPLETIONS, &w, "usage", &usage);
        mg_jw_end(&w);
        mg_str_addz(c->base.out, "\n\n");
    }
    mg_str_addz(c->base.out, "data: [DONE]\n\n");
}

static void
finish_body(struct completions_writer *c, enum mg_end end)
{
    struct mg_usage usage = mg_reply_usage(c->base.reply);
    struct mg_str logprobs;
    struct mg_jw w;
    mg_str_init(&logprobs, MG_REPLY_MAX);
    mg_jw_init(&w, c->base.out);
    write_head(c->base.reply, &w);
    mg_jw_object(&w, NULL);
    mg_jw_string_begin(&w, "text");
    mg_str_addspan(c->base.out, mg_str_span(&c->text));
    mg_jw_string_end(&w);
    if (c->logprobs.len > 0) { /* makes a list of its elements */
        mg_str_addz(&logprobs, "[");
        mg_str_addspan(&logprobs, mg_str_span(&c->logprobs));
        mg_str_addz(&logprobs, "]");
    }
    end_choice(c, &w, mg_str_span(&logprobs), finish_reason(end));
    mg_str_free(&logprobs);
    mg_usage_write(MG_COMPLETIONS, &w, "usage", &usage);
    mg_jw_end(&w);
    if (!mg_str_ok(&c->text) || !mg_str_ok(&c->logprobs))
        c->base.out->failed = true;
}

static void
put(struct mg_encoder *encoder, const struct mg_event *event)
{
    struct completions_writer *c = (struct completions_writer *)encoder;
    switch (event->kind) {
    case MG_EVENT_START:
        start(c);
        break;
    case MG_EVENT_BEGIN:
        c->shown = event->part == MG_PART_TEXT || event->part == MG_PART_REFUSAL;
        break;
    case MG_EVENT_DELTA:
        if (c->shown)
            say(c, event->text, event->logprobs);
        break;
    case MG_EVENT_FINISH:
        if (encoder->reply->stream)
            finish_stream(c, event->end);
        else
            finish_body(c, event->end);
        break;
    case MG_EVENT_SEAL:
    case MG_EVENT_CITE:
    case MG_EVENT_END:
    case MG_EVENT_ERROR:
        break;
    }
}

static void
fail(struct mg_encoder *encoder, const struct mg_err *err)
{
    mg_errors_event(MG_COMPLETIONS, err, encoder->reply->request_id, 0, encoder->out);
}

static void
keepalive(struct mg_encoder *encoder)
{
    mg_str_addz(encoder->out, ": keep-alive\n\n");
}

static void
free_writer(struct mg_encoder *encoder)
{
    struct completions_writer *c = (struct completions_writer *)encoder;
    mg_str_free(&c->text);
    mg_str_free(&c->logprobs);
    free(c);
}

struct mg_encoder *
mg_completions_writer_new(const struct mg_reply *reply)
{
    static const struct mg_encoder_ops ops = {put, fail, keepalive, free_writer};
    struct completions_writer *c = mg_calloc(1, sizeof(*c));
    c->base = (struct mg_encoder){.ops = &ops, .reply = reply};
    mg_str_init(&c->text, MG_REPLY_MAX);
    mg_str_init(&c->logprobs, MG_REPLY_MAX);
    return &c->base;
}
