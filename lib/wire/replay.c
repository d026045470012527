#include "wire/replay.h"

#include "json/parse.h"
#include "json/scan.h"
#include "json/splice.h"
#include "json/writer.h"
#include "wire/inspect.h"
#include "wire/sse.h"

#include <string.h>

#define OBJECT_MAX ((size_t)64 << 20)

struct replay {
    struct mg_str *out;
    int64_t after, sequence;  /* sequence: of the next event */
    int64_t index;            /* output_index of the item */
    const char *id;           /* of the item */
};

/* Starts an event; false when it was seen already (its number is used up all the same). */
static bool
begin(struct replay *r, struct mg_jw *w, const char *type)
{
    if (r->sequence++ <= r->after)
        return false;
    mg_str_addf(r->out, "event: %s\ndata: ", type);
    mg_jw_init(w, r->out);
    mg_jw_object(w, NULL);
    mg_jw_string(w, "type", type);
    mg_jw_int(w, "sequence_number", r->sequence - 1);
    return true;
}

static void
end(struct replay *r, struct mg_jw *w)
{
    mg_jw_end(w);
    mg_str_addz(r->out, "\n\n");
}

static void
tell_raw(struct replay *r, const char *type, const char *member, struct mg_span value)
{
    struct mg_jw w;
    if (!begin(r, &w, type))
        return;
    if (member[0] == 'i')
        mg_jw_int(&w, "output_index", r->index);
    mg_jw_raw(&w, member, value);
    end(r, &w);
}

/* An event of the item, with the index of a part when `place` names it. */
static bool
begin_of_item(struct replay *r, struct mg_jw *w, const char *type, const char *place, int64_t at)
{
    if (!begin(r, w, type))
        return false;
    mg_jw_string(w, "item_id", r->id);
    mg_jw_int(w, "output_index", r->index);
    if (place != NULL)
        mg_jw_int(w, place, at);
    return true;
}

static void
tell_text(struct replay *r, const char *type, const char *place, int64_t at, const char *member,
          struct json_object *text)
{
    struct mg_jw w;
    if (!begin_of_item(r, &w, type, place, at))
        return;
    mg_jw_bytes(&w, member, json_object_get_string(text),
                (size_t)json_object_get_string_len(text));
    if (strncmp(type, "response.output_text.", 21) == 0) {
        mg_jw_array(&w, "logprobs");
        mg_jw_end(&w);
    }
    end(r, &w);
}

static void
tell_part(struct replay *r, const char *type, const char *place, int64_t at, const char *kind,
          const char *member, struct json_object *whole)
{
    struct mg_jw w;
    if (!begin_of_item(r, &w, type, place, at))
        return;
    if (whole != NULL) {
        const char *json = json_object_to_json_string_ext(
            whole, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
        mg_jw_raw(&w, "part", mg_span_z(json));
    } else {
        mg_jw_object(&w, "part");
        mg_jw_string(&w, "type", kind);
        mg_jw_string(&w, member, "");
        if (strcmp(kind, "output_text") == 0) {
            mg_jw_array(&w, "annotations");
            mg_jw_end(&w);
            mg_jw_array(&w, "logprobs");
            mg_jw_end(&w);
        }
        mg_jw_end(&w);
    }
    end(r, &w);
}

/* What is told between the beginning and the end of a part of some kind. */
static const struct part_kind {
    const char *list, *type, *place, *member, *added, *delta, *told, *done;
} part_kinds[] = {
    {"content", "output_text", "content_index", "text", "response.content_part.added",
     "response.output_text.delta", "response.output_text.done", "response.content_part.done"},
    {"content", "refusal", "content_index", "refusal", "response.content_part.added",
     "response.refusal.delta", "response.refusal.done", "response.content_part.done"},
    {"content", "reasoning_text", "content_index", "text", "response.content_part.added",
     "response.reasoning_text.delta", "response.reasoning_text.done",
     "response.content_part.done"},
    {"summary", "summary_text", "summary_index", "text",
     "response.reasoning_summary_part.added", "response.reasoning_summary_text.delta",
     "response.reasoning_summary_text.done", "response.reasoning_summary_part.done"},
};

static void
tell_parts(struct replay *r, struct json_object *item, const char *list)
{
    struct json_object *parts = mg_json_get(item, list);
    size_t count = json_object_is_type(parts, json_type_array)
                       ? json_object_array_length(parts) : 0;
    for (size_t i = 0; i < count; i++) {
        struct json_object *part = json_object_array_get_idx(parts, i);
        const char *type = mg_json_text(part, "type");
        for (size_t k = 0; type != NULL && k < sizeof(part_kinds) / sizeof(part_kinds[0]); k++) {
            const struct part_kind *p = &part_kinds[k];
            struct json_object *text = mg_json_get(part, p->member);
            if (strcmp(p->list, list) != 0 || strcmp(p->type, type) != 0)
                continue;
            tell_part(r, p->added, p->place, (int64_t)i, p->type, p->member, NULL);
            if (json_object_get_string_len(text) > 0)
                tell_text(r, p->delta, p->place, (int64_t)i, "delta", text);
            tell_text(r, p->told, p->place, (int64_t)i, p->member, text);
            tell_part(r, p->done, p->place, (int64_t)i, p->type, p->member, part);
        }
    }
}

static void
tell_call(struct replay *r, struct json_object *item, bool custom)
{
    struct json_object *text = mg_json_get(item, custom ? "input" : "arguments");
    struct mg_jw w;
    if (json_object_get_string_len(text) > 0)
        tell_text(r, custom ? "response.custom_tool_call_input.delta"
                            : "response.function_call_arguments.delta", NULL, 0, "delta", text);
    if (custom) {
        tell_text(r, "response.custom_tool_call_input.done", NULL, 0, "input", text);
    } else if (begin_of_item(r, &w, "response.function_call_arguments.done", NULL, 0)) {
        mg_jw_string(&w, "name", mg_json_text(item, "name"));
        mg_jw_bytes(&w, "arguments", json_object_get_string(text),
                    (size_t)json_object_get_string_len(text));
        end(r, &w);
    }
}

/* The item as it was when it began: without what came by deltas. */
static void
tell_added(struct replay *r, struct mg_span item)
{
    static const char *const lists[] = {"content", "summary"};
    static const char *const words[] = {"arguments", "input"};
    struct mg_edit edits[5];
    struct mg_str begun;
    struct mg_span there;
    size_t n = 0;
    for (size_t i = 0; i < 2; i++) {
        if (mg_scan_member(item, lists[i], &there) == 1 && there.p[0] == '[')
            edits[n++] = (struct mg_edit){lists[i], mg_span_z("[]")};
        if (mg_scan_member(item, words[i], &there) == 1 && there.p[0] == '"')
            edits[n++] = (struct mg_edit){words[i], mg_span_z("\"\"")};
    }
    if (mg_scan_member(item, "status", &there) == 1)
        edits[n++] = (struct mg_edit){"status", mg_span_z("\"in_progress\"")};
    mg_str_init(&begun, OBJECT_MAX);
    if (mg_splice(item, edits, n, &begun) == 0)
        tell_raw(r, "response.output_item.added", "item", mg_str_span(&begun));
    mg_str_free(&begun);
}

static void
tell_item(struct replay *r, struct mg_span raw)
{
    struct json_object *item = mg_json_of(raw);
    const char *type = mg_json_text(item, "type");
    r->id = mg_json_text(item, "id");
    tell_added(r, raw);
    if (type != NULL && r->id != NULL) {
        if (strcmp(type, "message") == 0) {
            tell_parts(r, item, "content");
        } else if (strcmp(type, "reasoning") == 0) {
            tell_parts(r, item, "summary");
            tell_parts(r, item, "content");
        } else if (strcmp(type, "function_call") == 0 || strcmp(type, "custom_tool_call") == 0) {
            tell_call(r, item, type[0] == 'c');
        }
    }
    tell_raw(r, "response.output_item.done", "item", raw);
    json_object_put(item);
}

/* The response as it was at its beginning. */
static int
begun_response(struct mg_span response, struct mg_str *out)
{
    static const struct mg_edit edits[] = {
        {"status", {"\"in_progress\"", 13}}, {"output", {"[]", 2}}, {"usage", {"null", 4}},
        {"error", {"null", 4}}, {"incomplete_details", {"null", 4}}, {"completed_at", {"null", 4}},
    };
    return mg_splice(response, edits, sizeof(edits) / sizeof(edits[0]), out);
}

static const char *
terminal_type(struct mg_span status)
{
    if (mg_span_is(status, "\"completed\""))
        return "response.completed";
    if (mg_span_is(status, "\"failed\""))
        return "response.failed";
    if (mg_span_is(status, "\"incomplete\"") || mg_span_is(status, "\"cancelled\""))
        return "response.incomplete";
    return NULL;
}

int
mg_replay_object(struct mg_span response, int64_t after, struct mg_str *out)
{
    struct replay r = {.out = out, .after = after};
    struct mg_span output, item, status = {"", 0};
    struct mg_str begun;
    size_t at = 0;
    mg_str_init(&begun, OBJECT_MAX);
    if (begun_response(response, &begun) != 0) {
        mg_str_free(&begun);
        return -1;
    }
    tell_raw(&r, "response.created", "response", mg_str_span(&begun));
    tell_raw(&r, "response.in_progress", "response", mg_str_span(&begun));
    mg_str_free(&begun);
    if (mg_scan_member(response, "output", &output) == 1) {
        for (; mg_scan_element(output, &at, &item) == 1; r.index++)
            tell_item(&r, item);
    }
    (void)mg_scan_member(response, "status", &status);
    const char *type = terminal_type(status);
    if (type != NULL)
        tell_raw(&r, type, "response", response);
    return mg_str_ok(out) ? 0 : -1;
}

int
mg_replay_events(struct mg_span events, int64_t after, struct mg_str *out)
{
    struct mg_sse sse;
    struct mg_sse_event event;
    mg_sse_init(&sse);
    bool fits = mg_sse_feed(&sse, events.p, events.n);
    while (fits && mg_sse_next(&sse, true, &event)) {
        struct mg_inspection seen;
        if (event.data.n > 0 && mg_inspect_event(MG_RESPONSES, event.data, &seen) &&
            seen.sequence > after)
            mg_str_addspan(out, event.raw);
    }
    mg_sse_free(&sse);
    return fits && mg_str_ok(out) ? 0 : -1;
}
