#include "wire/responses_writer.h"

#include "base/alloc.h"
#include "wire/errors.h"
#include "wire/response_object.h"
#include "wire/responses_window.h"

#include <stdlib.h>
#include <string.h>

struct responses_writer {
    struct mg_encoder base;
    struct mg_window window;
    struct mg_str settings; /* the members that every response object repeats */
    bool started;
};

static const struct mg_response_state in_progress = {.status = "in_progress", .output = {"", 0}};

static struct mg_span
settings(struct responses_writer *r)
{
    if (r->settings.len == 0)
        mg_response_settings(r->base.reply, &r->settings);
    return mg_str_span(&r->settings);
}

/* An event that carries the response as it is. */
static void
tell_response(struct responses_writer *r, const char *type,
              const struct mg_response_state *state)
{
    struct mg_jw w;
    if (!mg_window_event(&r->window, &w, type))
        return;
    mg_response_object(&w, "response", r->base.reply, settings(r), state);
    mg_window_event_end(&r->window, &w);
}

static void
start(struct responses_writer *r)
{
    if (r->started)
        return;
    r->started = true;
    tell_response(r, "response.created", &in_progress);
    tell_response(r, "response.in_progress", &in_progress);
}

static const char *
incomplete_reason(enum mg_end end)
{
    switch (end) {
    case MG_END_STOP:
    case MG_END_SEQUENCE:
    case MG_END_TOOLS:
    case MG_END_REFUSAL:
        return NULL;
    case MG_END_FILTER:
        return "content_filter";
    case MG_END_LENGTH:
    case MG_END_CONTEXT:
    case MG_END_PAUSE:
        break;
    }
    return "max_output_tokens";
}

static void
finish(struct responses_writer *r, enum mg_end end)
{
    struct mg_usage usage = mg_reply_usage(r->base.reply);
    struct mg_response_state state = {.usage = &usage, .incomplete = incomplete_reason(end)};
    struct mg_jw w;
    state.status = state.incomplete ? "incomplete" : "completed";
    mg_window_close(&r->window, state.status);
    state.output = mg_str_span(&r->window.output);
    if (r->base.reply->stream) {
        tell_response(r, state.incomplete ? "response.incomplete" : "response.completed",
                      &state);
    } else {
        mg_jw_init(&w, r->base.out);
        mg_response_object(&w, NULL, r->base.reply, settings(r), &state);
    }
    if (!mg_window_ok(&r->window))
        r->base.out->failed = true;
}

static void
put(struct mg_encoder *encoder, const struct mg_event *event)
{
    struct responses_writer *r = (struct responses_writer *)encoder;
    r->window.out = encoder->out;
    switch (event->kind) {
    case MG_EVENT_START:
        start(r);
        break;
    case MG_EVENT_BEGIN:
        mg_window_begin(&r->window, event);
        break;
    case MG_EVENT_DELTA:
        mg_window_delta(&r->window, event);
        break;
    case MG_EVENT_SEAL:
        mg_window_seal(&r->window, event->text);
        break;
    case MG_EVENT_CITE:
        mg_cites_add(&r->window.cites, &event->cite);
        break;
    case MG_EVENT_END:
        mg_window_end(&r->window, event->torn);
        break;
    case MG_EVENT_FINISH:
        finish(r, event->end);
        break;
    case MG_EVENT_ERROR:
        break;
    }
}

/* One kind of client acts on `error`, the other on `response.failed`: both are told. Items that
 * were not done are left out: a client would act on them. */
static void
fail(struct mg_encoder *encoder, const struct mg_err *err)
{
    struct responses_writer *r = (struct responses_writer *)encoder;
    struct mg_response_state state = {.status = "failed", .err = err};
    r->window.out = encoder->out;
    start(r);
    state.output = mg_str_span(&r->window.output);
    mg_errors_event(MG_RESPONSES, err, encoder->reply->request_id, r->window.sequence++,
                    encoder->out);
    tell_response(r, "response.failed", &state);
}

static void
keepalive(struct mg_encoder *encoder)
{
    struct responses_writer *r = (struct responses_writer *)encoder;
    r->window.out = encoder->out;
    if (!r->started)
        start(r);
    else
        tell_response(r, "response.in_progress", &in_progress);
}

static void
free_writer(struct mg_encoder *encoder)
{
    struct responses_writer *r = (struct responses_writer *)encoder;
    mg_window_free(&r->window);
    mg_str_free(&r->settings);
    free(r);
}

struct mg_encoder *
mg_responses_writer_new(const struct mg_reply *reply)
{
    static const struct mg_encoder_ops ops = {put, fail, keepalive, free_writer};
    struct responses_writer *r = mg_calloc(1, sizeof(*r));
    r->base = (struct mg_encoder){.ops = &ops, .reply = reply};
    mg_window_init(&r->window, reply);
    mg_str_init(&r->settings, MG_REPLY_MAX);
    return &r->base;
}
