#include "wire/responses_reply.h"

#include "base/alloc.h"
#include "json/parse.h"
#include "json/scan.h"
#include "wire/responses_items.h"
#include "wire/sse.h"

#include <stdlib.h>
#include <string.h>

struct responses_reply {
    struct mg_decoder base;
    struct mg_items items;
    bool started, finished, failed;
    struct json_object *event; /* the one that is being read */
    struct mg_span data;       /* its text */
};

static int64_t
place(struct responses_reply *r)
{
    return mg_json_int(r->event, "output_index", MG_PLACE_NONE);
}

static struct mg_span
member(struct responses_reply *r, const char *key)
{
    return mg_json_string(mg_json_get(r->event, key));
}

static int
delta(struct responses_reply *r, enum mg_part kind, int64_t part)
{
    return mg_items_delta(&r->items, &r->base, place(r), part, kind, member(r, "delta"),
                          mg_items_logprobs(r->event));
}

static int
whole(struct responses_reply *r, enum mg_part kind, int64_t part, const char *key)
{
    return mg_items_whole(&r->items, &r->base, place(r), part, kind, member(r, key),
                          mg_items_logprobs(r->event));
}

static int64_t
content_index(struct responses_reply *r)
{
    int64_t n = mg_json_int(r->event, "content_index", 0);
    return n < 0 ? 0 : n;
}

static int64_t
summary_index(struct responses_reply *r)
{
    int64_t n = mg_json_int(r->event, "summary_index", 0);
    return n < 0 ? 0 : n;
}

static int
on_start(struct responses_reply *r)
{
    struct mg_event event = {.kind = MG_EVENT_START};
    if (!r->started)
        mg_sink_put(r->base.sink, &event);
    r->started = true;
    return 0;
}

static int
on_added(struct responses_reply *r)
{
    return mg_items_added(&r->items, &r->base, place(r), mg_json_get(r->event, "item"));
}

static int
on_done(struct responses_reply *r)
{
    return mg_items_done(&r->items, &r->base, place(r), mg_json_get(r->event, "item"));
}

static int
on_part_done(struct responses_reply *r)
{
    struct json_object *part = mg_json_get(r->event, "part");
    const char *type = mg_json_text(part, "type");
    bool refusal = type != NULL && strcmp(type, "refusal") == 0;
    if (type == NULL || (!refusal && strcmp(type, "output_text") != 0))
        return 0;
    int rc = mg_items_whole(&r->items, &r->base, place(r), content_index(r),
                            refusal ? MG_PART_REFUSAL : MG_PART_TEXT,
                            mg_json_string(mg_json_get(part, refusal ? "refusal" : "text")),
                            mg_items_logprobs(part));
    mg_items_part_end(&r->items, &r->base, place(r), content_index(r));
    return rc;
}

static int
on_text(struct responses_reply *r)
{
    return delta(r, MG_PART_TEXT, content_index(r));
}

static int
on_text_done(struct responses_reply *r)
{
    return whole(r, MG_PART_TEXT, content_index(r), "text");
}

static int
on_refusal(struct responses_reply *r)
{
    return delta(r, MG_PART_REFUSAL, content_index(r));
}

static int
on_refusal_done(struct responses_reply *r)
{
    return whole(r, MG_PART_REFUSAL, content_index(r), "refusal");
}

static int
on_call(struct responses_reply *r)
{
    return delta(r, MG_PART_TOOL, MG_ITEMS_ONLY);
}

static int
on_arguments_done(struct responses_reply *r)
{
    return whole(r, MG_PART_TOOL, MG_ITEMS_ONLY, "arguments");
}

static int
on_input_done(struct responses_reply *r)
{
    return whole(r, MG_PART_TOOL, MG_ITEMS_ONLY, "input");
}

static int
on_summary(struct responses_reply *r)
{
    return delta(r, MG_PART_REASONING, summary_index(r));
}

static int
on_summary_done(struct responses_reply *r)
{
    return whole(r, MG_PART_REASONING, summary_index(r), "text");
}

static int
on_thought(struct responses_reply *r)
{
    return delta(r, MG_PART_REASONING, MG_ITEMS_RAW(content_index(r)));
}

static int
on_thought_done(struct responses_reply *r)
{
    return whole(r, MG_PART_REASONING, MG_ITEMS_RAW(content_index(r)), "text");
}

static int
on_annotation(struct responses_reply *r)
{
    mg_items_cite(&r->items, &r->base, place(r), content_index(r),
                  mg_json_get(r->event, "annotation"));
    return 0;
}

static int
on_error(struct responses_reply *r)
{
    if (!r->failed)
        mg_decoder_fault(&r->base, r->event);
    r->failed = true;
    return 0;
}

static bool
is_status(struct json_object *response, const char *status)
{
    const char *own = mg_json_text(response, "status");
    return own != NULL && strcmp(own, status) == 0;
}

/* The end that a final response states. */
static enum mg_end
end_of(const struct responses_reply *r, struct json_object *response, bool incomplete)
{
    const char *why = mg_json_text(mg_json_get(response, "incomplete_details"), "reason");
    if (incomplete || is_status(response, "incomplete"))
        return why && strcmp(why, "content_filter") == 0 ? MG_END_FILTER : MG_END_LENGTH;
    return r->items.any_call ? MG_END_TOOLS
           : r->items.any_refusal ? MG_END_REFUSAL : MG_END_STOP;
}

static void
take_usage(struct responses_reply *r, const char *const *path)
{
    struct mg_span usage;
    if (mg_scan_path(r->data, path, &usage) == 1)
        mg_usage_read(MG_RESPONSES, usage, r->base.usage);
}

static int
take_final(struct responses_reply *r, struct json_object *response, bool incomplete)
{
    struct mg_event event = {.kind = MG_EVENT_FINISH};
    if (mg_items_final(&r->items, &r->base, mg_json_get(response, "output")) != 0)
        return -1;
    event.end = end_of(r, response, incomplete);
    mg_items_end(&r->items, &r->base);
    r->finished = true;
    mg_sink_put(r->base.sink, &event);
    return 0;
}

static int
on_failed(struct responses_reply *r)
{
    static const char *const usage[] = {"response", "usage", NULL};
    take_usage(r, usage);
    if (!r->failed)
        mg_decoder_fault(&r->base, mg_json_get(mg_json_get(r->event, "response"), "error"));
    r->failed = true;
    return 0;
}

/* The event's name counts: some upstreams leave the status out, or as it was at first. */
static int
final(struct responses_reply *r, bool incomplete)
{
    static const char *const usage[] = {"response", "usage", NULL};
    struct json_object *response = mg_json_get(r->event, "response");
    if (is_status(response, "failed") || is_status(response, "cancelled"))
        return on_failed(r);
    on_start(r);
    take_usage(r, usage);
    return take_final(r, response, incomplete);
}

static int
on_completed(struct responses_reply *r)
{
    return final(r, false);
}

static int
on_incomplete(struct responses_reply *r)
{
    return final(r, true);
}

static const struct {
    const char *type;
    int (*take)(struct responses_reply *r);
} handlers[] = {
    {"response.output_text.delta", on_text},
    {"response.function_call_arguments.delta", on_call},
    {"response.custom_tool_call_input.delta", on_call},
    {"response.reasoning_summary_text.delta", on_summary},
    {"response.reasoning_text.delta", on_thought},
    {"response.refusal.delta", on_refusal},
    {"response.created", on_start},
    {"response.queued", on_start},
    {"response.in_progress", on_start},
    {"response.output_item.added", on_added},
    {"response.output_item.done", on_done},
    {"response.content_part.done", on_part_done},
    {"response.output_text.done", on_text_done},
    {"response.output_text.annotation.added", on_annotation},
    {"response.refusal.done", on_refusal_done},
    {"response.function_call_arguments.done", on_arguments_done},
    {"response.custom_tool_call_input.done", on_input_done},
    {"response.reasoning_summary_text.done", on_summary_done},
    {"response.reasoning_text.done", on_thought_done},
    {"response.completed", on_completed},
    {"response.done", on_completed},
    {"response.incomplete", on_incomplete},
    {"response.failed", on_failed},
    {"response.cancelled", on_failed},
    {"error", on_error},
};

static int
dispatch(struct responses_reply *r, struct mg_span name)
{
    struct mg_span type = member(r, "type");
    if (type.n == 0)
        type = name;
    for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++) {
        if (mg_span_is(type, handlers[i].type))
            return handlers[i].take(r);
    }
    if (type.n == 0 && mg_json_get(r->event, "error") != NULL)
        return on_error(r);
    return 0; /* events of hosted tools, and of times to come */
}

static int
on_event(struct mg_decoder *decoder, struct mg_span name, struct mg_span data)
{
    struct responses_reply *r = (struct responses_reply *)decoder;
    if (r->finished || mg_sse_is_done(data))
        return 0;
    r->event = mg_json_of(data);
    r->data = data;
    int rc = json_object_is_type(r->event, json_type_object) ? dispatch(r, name) : -1;
    json_object_put(r->event);
    r->event = NULL;
    return rc;
}

static bool
on_eof(struct mg_decoder *decoder)
{
    return ((struct responses_reply *)decoder)->finished;
}

/* Some upstreams leave the status out of a response that is complete. */
static bool
is_final(struct json_object *response)
{
    return mg_json_text(response, "status") == NULL || is_status(response, "completed")
           || is_status(response, "incomplete");
}

static int
on_body(struct mg_decoder *decoder, struct mg_span body)
{
    static const char *const usage[] = {"usage", NULL};
    struct responses_reply *r = (struct responses_reply *)decoder;
    struct json_object *response = mg_json_of(body), *error = mg_json_get(response, "error");
    int rc = -1;
    r->data = body;
    if (error != NULL) {
        mg_decoder_fault(decoder, error);
        rc = 0;
    } else if (mg_json_get(response, "output") != NULL && is_final(response)) {
        on_start(r);
        take_usage(r, usage);
        rc = take_final(r, response, false);
    }
    json_object_put(response);
    return rc;
}

static void
on_free(struct mg_decoder *decoder)
{
    struct responses_reply *r = (struct responses_reply *)decoder;
    mg_items_free(&r->items);
    free(r);
}

struct mg_decoder *
mg_responses_reply_new(struct mg_sink sink, struct mg_usage *usage)
{
    static const struct mg_decoder_ops ops = {on_event, on_eof, on_body, on_free};
    struct responses_reply *r = mg_calloc(1, sizeof(*r));
    r->base = (struct mg_decoder){&ops, sink, usage};
    return &r->base;
}
