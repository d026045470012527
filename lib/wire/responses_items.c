#include "wire/responses_items.h"

#include "base/alloc.h"
#include "json/parse.h"

#include <stdlib.h>
#include <string.h>

static const struct mg_span none = {NULL, 0};

#define TRACKS_MAX 4096
#define ONLY MG_ITEMS_ONLY
#define RAW MG_ITEMS_RAW

struct mg_track {
    int64_t slot, part; /* slot: of its item, see responses_places.h */
    enum mg_part kind;
    unsigned number;
    bool begun, ended, custom;
    bool raw;        /* reasoning: the raw text is being passed on, not its summary */
    int64_t paragraph; /* reasoning: the paragraph the deltas are in */
    size_t given;    /* bytes passed on … */
    size_t base;     /* … before the paragraph began */
};

void
mg_items_free(struct mg_items *items)
{
    mg_places_free(&items->places);
    free(items->track);
    items->track = NULL;
    items->count = items->room = 0;
}

static struct mg_track *
find(struct mg_items *items, int64_t slot, int64_t part)
{
    for (size_t i = items->count; i-- > 0;) {
        if (items->track[i].slot == slot && items->track[i].part == part)
            return &items->track[i];
    }
    return NULL;
}

static struct mg_track *
get(struct mg_items *items, int64_t slot, int64_t part, enum mg_part kind)
{
    struct mg_track *t = find(items, slot, part);
    if (t != NULL || items->count >= TRACKS_MAX)
        return t;
    if (items->count == items->room) {
        items->room = items->room ? items->room * 2 : 8;
        items->track = mg_realloc(items->track, items->room * sizeof(*items->track));
    }
    t = &items->track[items->count++];
    *t = (struct mg_track){.slot = slot, .part = part, .kind = kind};
    return t;
}

static void
end_track(const struct mg_decoder *d, struct mg_track *t)
{
    if (t->begun && !t->ended)
        mg_decoder_say(d, MG_EVENT_END, t->number, (struct mg_span){NULL, 0});
    t->ended = true;
}

static void
begin_track(struct mg_items *items, const struct mg_decoder *d, struct mg_track *t)
{
    if (t->begun)
        return;
    t->begun = true;
    t->number = items->blocks++;
    mg_decoder_begin(d, t->number, t->kind);
}

/* Begins a tool call as soon as its item tells the name. */
static int
begin_call(struct mg_items *items, const struct mg_decoder *d, int64_t slot,
           struct json_object *item, bool custom)
{
    struct mg_track *t = get(items, slot, ONLY, MG_PART_TOOL);
    struct mg_span name = mg_json_string(mg_json_get(item, "name"));
    if (t == NULL)
        return -1;
    t->custom = custom;
    if (t->begun || name.n == 0)
        return 0;
    t->begun = items->any_call = true;
    t->number = items->blocks++;
    struct mg_event event = {.kind = MG_EVENT_BEGIN, .number = t->number,
                             .part = MG_PART_TOOL, .custom = custom, .name = name,
                             .id = mg_json_string(mg_json_get(item, "call_id")),
                             .space = mg_json_string(mg_json_get(item, "namespace"))};
    mg_sink_put(d->sink, &event);
    return 0;
}

static bool
is_type(struct json_object *item, const char *type)
{
    const char *own = mg_json_text(item, "type");
    return own != NULL && strcmp(own, type) == 0;
}

static enum mg_item_kind
kind_of(struct json_object *item)
{
    if (is_type(item, "message"))
        return MG_ITEM_MESSAGE;
    if (is_type(item, "reasoning"))
        return MG_ITEM_REASONING;
    if (is_type(item, "function_call") || is_type(item, "custom_tool_call"))
        return MG_ITEM_CALL;
    return MG_ITEM_OTHER;
}

static enum mg_item_kind
kind_with(enum mg_part part)
{
    return part == MG_PART_TOOL        ? MG_ITEM_CALL
           : part == MG_PART_REASONING ? MG_ITEM_REASONING
                                       : MG_ITEM_MESSAGE;
}

static struct mg_span
call_of(struct json_object *item)
{
    return mg_json_string(mg_json_get(item, "call_id"));
}

int
mg_items_added(struct mg_items *items, const struct mg_decoder *d, int64_t index,
               struct json_object *item)
{
    enum mg_item_kind kind = kind_of(item);
    if (kind == MG_ITEM_OTHER)
        return 0;
    int64_t slot = mg_places_item(&items->places, index, kind, call_of(item));
    if (slot == MG_PLACE_FULL)
        return -1;
    return kind == MG_ITEM_CALL
               ? begin_call(items, d, slot, item, is_type(item, "custom_tool_call")) : 0;
}

/* All reasoning of an item goes into one block: the summary or, where that is missing, the raw
 * text; whichever comes first. A new paragraph is set off by an empty line. */
static bool
enter_paragraph(const struct mg_decoder *d, struct mg_track *t, int64_t part, bool raw)
{
    if (t->given > 0 && t->raw != raw)
        return false;
    t->raw = raw;
    if (part < t->paragraph)
        return false;
    if (part > t->paragraph) {
        if (t->given > 0)
            mg_decoder_say(d, MG_EVENT_DELTA, t->number, mg_span_z("\n\n"));
        t->paragraph = part;
        t->base = t->given;
    }
    return true;
}

struct mg_span
mg_items_logprobs(struct json_object *holder)
{
    struct json_object *list = mg_json_get(holder, "logprobs");
    if (!json_object_is_type(list, json_type_array) || json_object_array_length(list) == 0)
        return none;
    return mg_json_plain(list);
}

static int
tell_delta(struct mg_items *items, const struct mg_decoder *d, int64_t slot, int64_t part,
           enum mg_part kind, struct mg_span text, struct mg_span logprobs)
{
    bool thought = kind == MG_PART_REASONING;
    struct mg_track *t = get(items, slot, thought ? ONLY : part, kind);
    if (t == NULL)
        return -1;
    if (text.n == 0 || t->ended || t->kind != kind || (kind == MG_PART_TOOL && !t->begun))
        return 0;
    if (thought && !enter_paragraph(d, t, part <= RAW(0) ? RAW(part) : part, part <= RAW(0)))
        return 0;
    begin_track(items, d, t);
    items->any_refusal |= kind == MG_PART_REFUSAL;
    t->given += text.n;
    struct mg_event event = {.kind = MG_EVENT_DELTA, .number = t->number, .text = text,
                             .logprobs = logprobs};
    mg_sink_put(d->sink, &event);
    return 0;
}

static int
tell_whole(struct mg_items *items, const struct mg_decoder *d, int64_t slot, int64_t part,
           enum mg_part kind, struct mg_span text, struct mg_span logprobs)
{
    bool thought = kind == MG_PART_REASONING;
    int64_t paragraph = part <= RAW(0) ? RAW(part) : part;
    struct mg_track *t = get(items, slot, thought ? ONLY : part, kind);
    if (t == NULL)
        return -1;
    size_t given = t->given;
    if (thought)
        given = paragraph < t->paragraph ? text.n : paragraph == t->paragraph ? given - t->base : 0;
    if (given >= text.n)
        return 0;
    text = (struct mg_span){text.p + given, text.n - given};
    if (given > 0)
        logprobs = none;
    return tell_delta(items, d, slot, part, kind, text, logprobs);
}

int
mg_items_delta(struct mg_items *items, const struct mg_decoder *d, int64_t index, int64_t part,
               enum mg_part kind, struct mg_span text, struct mg_span logprobs)
{
    int64_t slot = mg_places_piece(&items->places, index, kind_with(kind));
    return slot == MG_PLACE_FULL ? -1 : tell_delta(items, d, slot, part, kind, text, logprobs);
}

int
mg_items_whole(struct mg_items *items, const struct mg_decoder *d, int64_t index, int64_t part,
               enum mg_part kind, struct mg_span text, struct mg_span logprobs)
{
    int64_t slot = mg_places_piece(&items->places, index, kind_with(kind));
    return slot == MG_PLACE_FULL ? -1 : tell_whole(items, d, slot, part, kind, text, logprobs);
}

static struct mg_track *
text_at(struct mg_items *items, int64_t index, int64_t part)
{
    int64_t slot = mg_places_piece(&items->places, index, MG_ITEM_MESSAGE);
    return slot == MG_PLACE_FULL ? NULL : find(items, slot, part);
}

void
mg_items_part_end(struct mg_items *items, const struct mg_decoder *d, int64_t index,
                  int64_t part)
{
    struct mg_track *t = text_at(items, index, part);
    if (t != NULL)
        end_track(d, t);
}

static void
tell_cite(const struct mg_decoder *d, struct mg_track *t, struct json_object *annotation)
{
    if (t == NULL || !t->begun || t->ended || !is_type(annotation, "url_citation"))
        return;
    struct mg_event event = {.kind = MG_EVENT_CITE, .number = t->number};
    event.cite.url = mg_json_string(mg_json_get(annotation, "url"));
    event.cite.title = mg_json_string(mg_json_get(annotation, "title"));
    event.cite.start = mg_json_int(annotation, "start_index", -1);
    event.cite.end = mg_json_int(annotation, "end_index", -1);
    mg_sink_put(d->sink, &event);
}

void
mg_items_cite(struct mg_items *items, const struct mg_decoder *d, int64_t index, int64_t part,
              struct json_object *annotation)
{
    tell_cite(d, text_at(items, index, part), annotation);
}

/* The parts of a message that is done. */
static int
message_done(struct mg_items *items, const struct mg_decoder *d, int64_t slot,
             struct json_object *item)
{
    struct json_object *content = mg_json_get(item, "content");
    size_t count = json_object_is_type(content, json_type_array)
                       ? json_object_array_length(content) : 0;
    if (json_object_is_type(content, json_type_string))
        return tell_whole(items, d, slot, 0, MG_PART_TEXT, mg_json_string(content), none);
    for (size_t i = 0; i < count; i++) {
        struct json_object *part = json_object_array_get_idx(content, i);
        bool refusal = is_type(part, "refusal"), fresh = find(items, slot, (int64_t)i) == NULL;
        if (tell_whole(items, d, slot, (int64_t)i,
                           refusal ? MG_PART_REFUSAL : MG_PART_TEXT,
                           mg_json_string(mg_json_get(part, refusal ? "refusal" : "text")),
                           mg_items_logprobs(part)) != 0)
            return -1;
        struct json_object *notes = mg_json_get(part, "annotations");
        for (size_t k = 0; fresh && json_object_is_type(notes, json_type_array)
                           && k < json_object_array_length(notes); k++)
            tell_cite(d, find(items, slot, (int64_t)i), json_object_array_get_idx(notes, k));
    }
    return 0;
}

static int
paragraphs_done(struct mg_items *items, const struct mg_decoder *d, int64_t slot,
                struct json_object *list, bool raw)
{
    size_t count = json_object_is_type(list, json_type_array) ? json_object_array_length(list)
                                                              : 0;
    for (size_t i = 0; i < count; i++) {
        struct mg_span text =
            mg_json_string(mg_json_get(json_object_array_get_idx(list, i), "text"));
        int64_t part = raw ? RAW((int64_t)i) : (int64_t)i;
        if (tell_whole(items, d, slot, part, MG_PART_REASONING, text, none) != 0)
            return -1;
    }
    return 0;
}

static int
reasoning_done(struct mg_items *items, const struct mg_decoder *d, int64_t slot,
               struct json_object *item)
{
    struct json_object *summary = mg_json_get(item, "summary");
    struct mg_span blob = mg_json_string(mg_json_get(item, "encrypted_content"));
    if (paragraphs_done(items, d, slot, summary, false) != 0
        || paragraphs_done(items, d, slot, mg_json_get(item, "content"), true) != 0)
        return -1;
    if (blob.n == 0)
        return 0;
    struct mg_track *t = get(items, slot, ONLY, MG_PART_REASONING);
    if (t == NULL)
        return -1;
    begin_track(items, d, t);
    struct mg_event event = {.kind = MG_EVENT_SEAL, .number = t->number};
    event.proof.kind = MG_PACK_REASONING;
    event.proof.id = mg_json_string(mg_json_get(item, "id"));
    event.proof.blob = blob;
    event.proof.text = summary ? mg_json_plain(summary) : mg_span_z("[]");
    mg_sink_put(d->sink, &event);
    return 0;
}

static int
call_done(struct mg_items *items, const struct mg_decoder *d, int64_t slot,
          struct json_object *item, bool custom)
{
    if (begin_call(items, d, slot, item, custom) != 0)
        return -1;
    if (!find(items, slot, ONLY)->begun)
        return -1; /* a call without a name */
    return tell_whole(items, d, slot, ONLY, MG_PART_TOOL,
                          mg_json_arguments(mg_json_get(item, custom ? "input" : "arguments")),
                          none);
}

static int
tell_item(struct mg_items *items, const struct mg_decoder *d, int64_t slot,
          struct json_object *item)
{
    int rc = 0;
    if (slot == MG_PLACE_FULL)
        return -1;
    if (!mg_places_finish(&items->places, slot))
        return 0;
    if (is_type(item, "message"))
        rc = message_done(items, d, slot, item);
    else if (is_type(item, "reasoning"))
        rc = reasoning_done(items, d, slot, item);
    else
        rc = call_done(items, d, slot, item, is_type(item, "custom_tool_call"));
    for (size_t i = 0; i < items->count; i++) {
        if (items->track[i].slot == slot)
            end_track(d, &items->track[i]);
    }
    return rc;
}

int
mg_items_done(struct mg_items *items, const struct mg_decoder *d, int64_t index,
              struct json_object *item)
{
    enum mg_item_kind kind = kind_of(item);
    if (kind == MG_ITEM_OTHER)
        return 0;
    return tell_item(items, d, mg_places_item(&items->places, index, kind, call_of(item)), item);
}

int
mg_items_final(struct mg_items *items, const struct mg_decoder *d, struct json_object *output)
{
    size_t n = json_object_is_type(output, json_type_array) ? json_object_array_length(output) : 0;
    for (size_t i = 0; i < n; i++) {
        struct json_object *item = json_object_array_get_idx(output, i);
        enum mg_item_kind kind = kind_of(item);
        if (kind == MG_ITEM_OTHER)
            continue;
        int64_t slot = mg_places_final(&items->places, kind, call_of(item));
        if (tell_item(items, d, slot, item) != 0)
            return -1;
    }
    return 0;
}

void
mg_items_end(struct mg_items *items, const struct mg_decoder *d)
{
    for (size_t i = 0; i < items->count; i++)
        end_track(d, &items->track[i]);
}
