/* The response that a stream of Responses told of. */
#include "base/alloc.h"
#include "json/parse.h"
#include "json/splice.h"
#include "json/writer.h"
#include "wire/inspect.h"
#include "wire/sse.h"
#include "wire/transcript.h"

#include <stdlib.h>
#include <string.h>

#define ITEMS_MAX 4096
#define RUNS_MAX 4096
#define OBJECT_MAX ((size_t)64 << 20)

/* A text that grows by deltas: a member of an item, or of a part of one. */
struct run {
    int64_t item, part;      /* indexes; part -1: of the item itself */
    const char *list;        /* "content" or "summary": where the part is */
    const char *member;
    struct mg_str text;
};

struct reader {
    struct mg_str response;  /* as last told */
    bool terminal, failed;
    int64_t first, last;
    struct json_object *item[ITEMS_MAX];
    bool done[ITEMS_MAX];
    size_t items;
    struct run *run;
    size_t runs;
};

/* What grows by which event. */
static const struct {
    const char *type, *index, *list, *member;
} deltas[] = {
    {"response.output_text.delta", "content_index", "content", "text"},
    {"response.refusal.delta", "content_index", "content", "refusal"},
    {"response.reasoning_text.delta", "content_index", "content", "text"},
    {"response.reasoning_summary_text.delta", "summary_index", "summary", "text"},
    {"response.function_call_arguments.delta", NULL, NULL, "arguments"},
    {"response.custom_tool_call_input.delta", NULL, NULL, "input"},
};

static void
put_item(struct reader *r, int64_t index, struct json_object *item, bool done)
{
    if (index < 0 || index >= ITEMS_MAX || item == NULL)
        return;
    json_object_put(r->item[index]);
    r->item[index] = json_object_get(item);
    r->done[index] = done;
    if ((size_t)index >= r->items)
        r->items = (size_t)index + 1;
}

/* The list of parts of an item, made when it is not there. */
static struct json_object *
parts_of(struct json_object *item, const char *list)
{
    struct json_object *parts = mg_json_get(item, list);
    if (!json_object_is_type(parts, json_type_array)) {
        parts = json_object_new_array();
        json_object_object_add(item, list, parts);
    }
    return parts;
}

static void
put_part(struct reader *r, struct json_object *event, const char *index, const char *list)
{
    int64_t at = mg_json_int(event, "output_index", -1), n = mg_json_int(event, index, -1);
    struct json_object *part = mg_json_get(event, "part");
    if (at < 0 || (size_t)at >= r->items || r->item[at] == NULL || r->done[at] || part == NULL ||
        n < 0 || n >= ITEMS_MAX)
        return;
    json_object_array_put_idx(parts_of(r->item[at], list), (size_t)n, json_object_get(part));
}

static struct run *
find_run(struct reader *r, int64_t item, int64_t part, const char *member, const char *list)
{
    for (size_t i = r->runs; i > 0; i--) {
        struct run *run = &r->run[i - 1];
        if (run->item == item && run->part == part && run->list == list &&
            strcmp(run->member, member) == 0)
            return run;
    }
    if (r->runs == RUNS_MAX)
        return NULL;
    if ((r->runs & (r->runs - 1)) == 0)
        r->run = mg_realloc(r->run, (r->runs ? r->runs * 2 : 1) * sizeof(*r->run));
    struct run *run = &r->run[r->runs++];
    *run = (struct run){.item = item, .part = part, .list = list, .member = member};
    mg_str_init(&run->text, OBJECT_MAX);
    return run;
}

static void
take_delta(struct reader *r, const char *type, struct json_object *event)
{
    for (size_t i = 0; i < sizeof(deltas) / sizeof(deltas[0]); i++) {
        if (strcmp(type, deltas[i].type) != 0)
            continue;
        struct json_object *text = mg_json_get(event, "delta");
        int64_t part = deltas[i].index ? mg_json_int(event, deltas[i].index, 0) : -1;
        struct run *run = find_run(r, mg_json_int(event, "output_index", -1), part,
                                   deltas[i].member, deltas[i].list);
        if (json_object_is_type(text, json_type_string) && run != NULL)
            mg_str_add(&run->text, json_object_get_string(text),
                       (size_t)json_object_get_string_len(text));
    }
}

static void
take_item_event(struct reader *r, struct mg_span data)
{
    struct json_object *event = mg_json_of(data);
    const char *type = mg_json_text(event, "type");
    if (type == NULL)
        type = "";
    int64_t index = mg_json_int(event, "output_index", -1);
    if (strcmp(type, "response.output_item.added") == 0)
        put_item(r, index, mg_json_get(event, "item"), false);
    else if (strcmp(type, "response.output_item.done") == 0)
        put_item(r, index, mg_json_get(event, "item"), true);
    else if (strncmp(type, "response.content_part.", 22) == 0)
        put_part(r, event, "content_index", "content");
    else if (strncmp(type, "response.reasoning_summary_part.", 32) == 0)
        put_part(r, event, "summary_index", "summary");
    else
        take_delta(r, type, event);
    json_object_put(event);
}

/* One walk over the events. The items are looked at only when the response does not hold them. */
static void
walk(struct reader *r, struct mg_span events, bool items)
{
    struct mg_sse sse;
    struct mg_sse_event event;
    mg_sse_init(&sse);
    if (mg_sse_feed(&sse, events.p, events.n)) {
        while (mg_sse_next(&sse, true, &event)) {
            struct mg_inspection seen;
            if (event.data.n == 0 || !mg_inspect_event(MG_RESPONSES, event.data, &seen))
                continue;
            if (items) {
                if (seen.response.n == 0)
                    take_item_event(r, event.data);
                continue;
            }
            if (seen.response.n > 0 && !r->terminal) {
                mg_str_reset(&r->response);
                mg_str_addspan(&r->response, seen.response);
            }
            r->terminal |= seen.terminal;
            r->failed |= seen.error;
            if (seen.sequence >= 0) {
                if (r->first < 0 || seen.sequence < r->first)
                    r->first = seen.sequence;
                if (seen.sequence > r->last)
                    r->last = seen.sequence;
            }
        }
    }
    mg_sse_free(&sse);
}

/* Puts the collected texts where the items want them. */
static void
settle_runs(struct reader *r)
{
    for (size_t i = 0; i < r->runs; i++) {
        struct run *run = &r->run[i];
        if (run->item < 0 || (size_t)run->item >= r->items || r->item[run->item] == NULL ||
            r->done[run->item] || run->part >= ITEMS_MAX)
            continue;
        struct json_object *holder = r->item[run->item];
        if (run->list != NULL)
            holder = json_object_array_get_idx(parts_of(holder, run->list), (size_t)run->part);
        if (!json_object_is_type(holder, json_type_object))
            continue;
        const char *there = mg_json_text(holder, run->member);
        struct mg_span text = mg_str_span(&run->text);
        if (there == NULL || strlen(there) < text.n)
            json_object_object_add(holder, run->member,
                                   json_object_new_string_len(text.p, (int)text.n));
    }
}

static void
write_items(struct reader *r, struct mg_str *out)
{
    bool any = false;
    mg_str_addc(out, '[');
    for (size_t i = 0; i < r->items; i++) {
        struct json_object *item = r->item[i];
        if (item == NULL)
            continue;
        if (!r->done[i] && mg_json_text(item, "status") != NULL)
            json_object_object_add(item, "status", json_object_new_string("incomplete"));
        if (any)
            mg_str_addc(out, ',');
        any = true;
        mg_str_addz(out, json_object_to_json_string_ext(item, JSON_C_TO_STRING_PLAIN |
                                                                  JSON_C_TO_STRING_NOSLASHESCAPE));
    }
    mg_str_addc(out, ']');
}

static bool
has_output(struct mg_span response)
{
    struct mg_inspection seen;
    return mg_inspect_body(MG_RESPONSES, response, &seen) && seen.content > 0;
}

static int
write_object(struct reader *r, enum mg_transcript_end end, struct mg_transcript *t)
{
    struct mg_span response = mg_str_span(&r->response);
    struct mg_str items;
    struct mg_edit edits[2];
    size_t n = 0;
    mg_str_init(&items, OBJECT_MAX);
    if (!has_output(response)) {
        settle_runs(r);
        write_items(r, &items);
        edits[n++] = (struct mg_edit){"output", mg_str_span(&items)};
    }
    if (!r->terminal)
        edits[n++] = (struct mg_edit){"status", mg_span_z(end == MG_TRANSCRIPT_LEFT
                                                              ? "\"cancelled\"" : "\"failed\"")};
    int rc = mg_splice(response, edits, n, &t->object);
    mg_str_free(&items);
    return rc;
}

/* Clients that read the stream again wait for its end. */
static void
write_tail(struct reader *r, enum mg_transcript_end end, struct mg_transcript *t)
{
    const char *type = end == MG_TRANSCRIPT_LEFT ? "response.incomplete" : "response.failed";
    struct mg_jw w;
    t->last = r->last + 1;
    if (t->first < 0)
        t->first = t->last;
    mg_str_addf(&t->tail, "event: %s\ndata: ", type);
    mg_jw_init(&w, &t->tail);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "type", type);
    mg_jw_int(&w, "sequence_number", t->last);
    mg_jw_raw(&w, "response", mg_str_span(&t->object));
    mg_jw_end(&w);
    mg_str_addz(&t->tail, "\n\n");
}

int
mg_transcript_responses(struct mg_span events, enum mg_transcript_end end,
                        struct mg_transcript *t)
{
    struct reader *r = mg_calloc(1, sizeof(*r));
    int rc = -1;
    r->first = r->last = -1;
    mg_str_init(&r->response, OBJECT_MAX);
    walk(r, events, false);
    if (r->response.len > 0) {
        if (!r->terminal || !has_output(mg_str_span(&r->response)))
            walk(r, events, true);
        t->first = r->first;
        t->last = r->last;
        t->whole = r->terminal && !r->failed;
        t->failed = r->failed;
        rc = write_object(r, end, t);
        if (rc == 0 && !r->terminal)
            write_tail(r, end, t);
    }
    for (size_t i = 0; i < r->items; i++)
        json_object_put(r->item[i]);
    for (size_t i = 0; i < r->runs; i++)
        mg_str_free(&r->run[i].text);
    free(r->run);
    mg_str_free(&r->response);
    free(r);
    return rc;
}
