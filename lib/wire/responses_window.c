#include "wire/responses_window.h"

#include "wire/logprobs.h"
#include "wire/output_item.h"

#include <string.h>

#define STRINGS 8

static void
strings(struct mg_window *v, struct mg_str *all[STRINGS])
{
    struct mg_str *list[STRINGS] = {&v->output, &v->content, &v->text, &v->logprobs,
                                    &v->proof, &v->call_id, &v->name, &v->space};
    memcpy(all, list, sizeof(list));
}

void
mg_window_init(struct mg_window *v, const struct mg_reply *reply)
{
    struct mg_str *all[STRINGS];
    *v = (struct mg_window){.reply = reply};
    strings(v, all);
    for (int i = 0; i < STRINGS; i++)
        mg_str_init(all[i], MG_REPLY_MAX);
}

void
mg_window_free(struct mg_window *v)
{
    struct mg_str *all[STRINGS];
    strings(v, all);
    for (int i = 0; i < STRINGS; i++)
        mg_str_free(all[i]);
    mg_cites_free(&v->cites);
}

bool
mg_window_ok(const struct mg_window *v)
{
    return mg_str_ok(&v->output) && mg_str_ok(&v->content) && mg_str_ok(&v->text)
           && mg_str_ok(&v->logprobs) && mg_str_ok(&v->proof);
}

bool
mg_window_event(struct mg_window *v, struct mg_jw *w, const char *type)
{
    if (!v->reply->stream)
        return false;
    mg_str_addz(v->out, "event: ");
    mg_str_addz(v->out, type);
    mg_str_addz(v->out, "\ndata: ");
    mg_jw_init(w, v->out);
    mg_jw_object(w, NULL);
    mg_jw_string(w, "type", type);
    mg_jw_int(w, "sequence_number", v->sequence++);
    return true;
}

void
mg_window_event_end(struct mg_window *v, struct mg_jw *w)
{
    mg_jw_end(w);
    mg_str_addz(v->out, "\n\n");
}

/* Starts an event that belongs to the open item. */
static bool
item_event(struct mg_window *v, struct mg_jw *w, const char *type)
{
    if (!mg_window_event(v, w, type))
        return false;
    mg_jw_string(w, "item_id", v->id);
    mg_jw_int(w, "output_index", v->index);
    return true;
}

/* An event of the open item that carries one text. */
static void
text_event(struct mg_window *v, const char *type, const char *index_name, int index,
           const char *member, struct mg_span text)
{
    struct mg_jw w;
    if (!item_event(v, &w, type))
        return;
    if (index_name != NULL)
        mg_jw_int(&w, index_name, index);
    mg_jw_bytes(&w, member, text.p, text.n);
    mg_window_event_end(v, &w);
}

static void
item_added(struct mg_window *v)
{
    struct mg_jw w;
    if (!mg_window_event(v, &w, "response.output_item.added"))
        return;
    mg_jw_int(&w, "output_index", v->index);
    mg_output_item(v, &w, "item", "in_progress");
    mg_window_event_end(v, &w);
}

/* The open item is done: it goes into the output, and the next one may come. */
static void
item_done(struct mg_window *v, const char *status)
{
    struct mg_jw w;
    if (v->output.len > 0)
        mg_str_addc(&v->output, ',');
    size_t at = v->output.len;
    mg_jw_init(&w, &v->output);
    mg_output_item(v, &w, NULL, status);
    if (mg_window_event(v, &w, "response.output_item.done")) {
        mg_jw_int(&w, "output_index", v->index);
        mg_jw_raw(&w, "item", (struct mg_span){v->output.p + at, v->output.len - at});
        mg_window_event_end(v, &w);
    }
    v->index++;
}

static const char *
prefix(enum mg_part part, bool custom)
{
    switch (part) {
    case MG_PART_TEXT:
    case MG_PART_REFUSAL:
        return "msg";
    case MG_PART_REASONING:
        return "rs";
    case MG_PART_TOOL:
        return custom ? "ctc" : "fc";
    case MG_PART_COMPACTION:
        break;
    }
    return "cmp";
}

void
mg_window_close(struct mg_window *v, const char *status)
{
    if (v->message)
        item_done(v, status);
    v->message = false;
    v->parts = 0;
    mg_str_reset(&v->content);
}

static void
begin_part(struct mg_window *v)
{
    struct mg_jw w;
    mg_cites_begin(&v->cites, 0);
    mg_str_reset(&v->logprobs);
    if (!item_event(v, &w, "response.content_part.added"))
        return;
    mg_jw_int(&w, "content_index", v->parts);
    mg_output_part(v, &w, "part", false);
    mg_window_event_end(v, &w);
}

void
mg_window_begin(struct mg_window *v, const struct mg_event *event)
{
    bool part = event->part == MG_PART_TEXT || event->part == MG_PART_REFUSAL;
    bool fresh = !part || !v->message;
    if (!part)
        mg_window_close(v, "completed");
    v->part = event->part;
    v->message = part;
    v->custom = event->custom;
    v->balance = (struct mg_balance){0};
    mg_str_reset(&v->text);
    mg_str_reset(&v->proof);
    mg_str_reset(&v->call_id);
    mg_str_reset(&v->name);
    mg_str_reset(&v->space);
    mg_str_addspan(&v->call_id, event->id);
    mg_str_addspan(&v->name, event->name);
    mg_str_addspan(&v->space, event->space);
    if (fresh) {
        mg_reply_id(v->reply, prefix(v->part, v->custom), v->index, v->id);
        if (v->part != MG_PART_COMPACTION)
            item_added(v);
    }
    if (part)
        begin_part(v);
}

static void
text_delta(struct mg_window *v, const struct mg_event *event)
{
    struct mg_jw w;
    struct mg_span logprobs = v->reply->left->logprobs ? event->logprobs : (struct mg_span){0};
    mg_cites_text(&v->cites, event->text);
    if (logprobs.n > 0)
        mg_logprobs_append(&v->logprobs, logprobs);
    if (!item_event(v, &w, "response.output_text.delta"))
        return;
    mg_jw_int(&w, "content_index", v->parts);
    mg_jw_bytes(&w, "delta", event->text.p, event->text.n);
    mg_jw_array(&w, "logprobs");
    if (logprobs.n > 0)
        mg_logprobs_write(&w, logprobs);
    mg_jw_end(&w);
    mg_window_event_end(v, &w);
}

static void
begin_summary(struct mg_window *v)
{
    struct mg_jw w;
    if (!item_event(v, &w, "response.reasoning_summary_part.added"))
        return;
    mg_jw_int(&w, "summary_index", 0);
    mg_jw_object(&w, "part");
    mg_jw_string(&w, "type", "summary_text");
    mg_jw_string(&w, "text", "");
    mg_jw_end(&w);
    mg_window_event_end(v, &w);
}

void
mg_window_delta(struct mg_window *v, const struct mg_event *event)
{
    bool first = v->text.len == 0;
    if (event->text.n == 0)
        return;
    mg_str_addspan(&v->text, event->text);
    switch (v->part) {
    case MG_PART_TEXT:
        text_delta(v, event);
        break;
    case MG_PART_REFUSAL:
        text_event(v, "response.refusal.delta", "content_index", v->parts, "delta", event->text);
        break;
    case MG_PART_REASONING:
        if (first)
            begin_summary(v);
        text_event(v, "response.reasoning_summary_text.delta", "summary_index", 0, "delta",
                   event->text);
        break;
    case MG_PART_TOOL:
        mg_balance_feed(&v->balance, event->text);
        text_event(v, v->custom ? "response.custom_tool_call_input.delta"
                                : "response.function_call_arguments.delta",
                   NULL, 0, "delta", event->text);
        break;
    case MG_PART_COMPACTION:
        break;
    }
}

void
mg_window_seal(struct mg_window *v, struct mg_span proof)
{
    mg_str_reset(&v->proof);
    mg_str_addspan(&v->proof, proof);
    if (v->part == MG_PART_COMPACTION)
        item_added(v);
}

static void
tell_cites(struct mg_window *v)
{
    for (size_t i = 0; i < v->cites.count; i++) {
        struct mg_str one;
        struct mg_jw w;
        if (!item_event(v, &w, "response.output_text.annotation.added"))
            return;
        mg_jw_int(&w, "content_index", v->parts);
        mg_jw_int(&w, "annotation_index", (int64_t)i);
        struct mg_jw note;
        mg_str_init(&one, MG_REPLY_MAX);
        mg_jw_init(&note, &one);
        mg_cites_write(&v->cites, i, false, &note);
        mg_jw_raw(&w, "annotation", mg_str_span(&one));
        mg_str_free(&one);
        mg_window_event_end(v, &w);
    }
}

static void
end_part(struct mg_window *v)
{
    struct mg_jw w;
    if (v->part == MG_PART_REFUSAL) {
        text_event(v, "response.refusal.done", "content_index", v->parts, "refusal",
                   mg_str_span(&v->text));
    } else {
        tell_cites(v);
        if (item_event(v, &w, "response.output_text.done")) {
            mg_jw_int(&w, "content_index", v->parts);
            mg_jw_bytes(&w, "text", v->text.p, v->text.len);
            mg_jw_array(&w, "logprobs");
            mg_str_addspan(w.out, mg_str_span(&v->logprobs));
            mg_jw_end(&w);
            mg_window_event_end(v, &w);
        }
    }
    if (v->content.len > 0)
        mg_str_addc(&v->content, ',');
    mg_jw_init(&w, &v->content);
    mg_output_part(v, &w, NULL, true);
    if (item_event(v, &w, "response.content_part.done")) {
        mg_jw_int(&w, "content_index", v->parts);
        mg_output_part(v, &w, "part", true);
        mg_window_event_end(v, &w);
    }
    v->parts++;
}

static void
end_reasoning(struct mg_window *v)
{
    struct mg_jw w;
    if (v->text.len > 0) {
        text_event(v, "response.reasoning_summary_text.done", "summary_index", 0, "text",
                   mg_str_span(&v->text));
        if (item_event(v, &w, "response.reasoning_summary_part.done")) {
            mg_jw_int(&w, "summary_index", 0);
            mg_jw_object(&w, "part");
            mg_jw_string(&w, "type", "summary_text");
            mg_jw_bytes(&w, "text", v->text.p, v->text.len);
            mg_jw_end(&w);
            mg_window_event_end(v, &w);
        }
    }
    item_done(v, "completed");
}

static void
end_call(struct mg_window *v, bool torn)
{
    struct mg_event none = {.kind = MG_EVENT_DELTA, .text = mg_span_z("{}")};
    struct mg_jw w;
    if (v->text.len == 0 && !v->custom)
        mg_window_delta(v, &none);
    if (v->custom) {
        text_event(v, "response.custom_tool_call_input.done", NULL, 0, "input",
                   mg_str_span(&v->text));
    } else if (item_event(v, &w, "response.function_call_arguments.done")) {
        mg_jw_bytes(&w, "name", v->name.p, v->name.len);
        mg_jw_bytes(&w, "arguments", v->text.p, v->text.len);
        mg_window_event_end(v, &w);
    }
    torn |= !v->custom && mg_balance_torn(&v->balance);
    item_done(v, torn ? "incomplete" : "completed");
}

void
mg_window_end(struct mg_window *v, bool torn)
{
    switch (v->part) {
    case MG_PART_TEXT:
    case MG_PART_REFUSAL:
        end_part(v);
        break;
    case MG_PART_REASONING:
        end_reasoning(v);
        break;
    case MG_PART_TOOL:
        end_call(v, torn);
        break;
    case MG_PART_COMPACTION:
        item_done(v, "completed");
        break;
    }
}
