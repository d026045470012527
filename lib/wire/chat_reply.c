#include "wire/chat_reply.h"

#include "base/alloc.h"
#include "json/parse.h"
#include "json/scan.h"
#include "wire/chat_calls.h"
#include "wire/chat_end.h"
#include "wire/sse.h"

#include <stdlib.h>
#include <string.h>

#define THOUGHT_MAX ((size_t)32 << 20)

struct chat_reply {
    struct mg_decoder base;
    struct mg_chat_calls calls;
    unsigned blocks;       /* blocks begun */
    bool started, finished;
    bool chosen;           /* a choice was heard of … */
    int64_t choice;        /* … with this index */
    bool open;             /* a block of text, refusal or reasoning is open … */
    enum mg_part kind;    /* … of this kind … */
    unsigned number;       /* … with this number */
    struct mg_str thought; /* the text of the open block of reasoning */
    bool ended;            /* a finish_reason was seen */
    bool stated;           /* usage was, and no content behind it */
    bool any_call, any_refusal;
    enum mg_end end;
    struct mg_str sequence; /* the stop sequence that was hit, if the upstream says so */
};

/* Such an upstream may want its own words back, and only its own. */
static void
seal(struct chat_reply *r)
{
    struct mg_event event = {.kind = MG_EVENT_SEAL, .number = r->number};
    event.proof.kind = MG_PACK_CHAT;
    event.proof.text = mg_str_span(&r->thought);
    if (event.proof.text.n > 0)
        mg_sink_put(r->base.sink, &event);
    mg_str_reset(&r->thought);
}

static void
end_open(struct chat_reply *r)
{
    if (r->open && r->kind == MG_PART_REASONING)
        seal(r);
    if (r->open)
        mg_decoder_say(&r->base, MG_EVENT_END, r->number, (struct mg_span){NULL, 0});
    r->open = false;
}

/* Opens a block of this kind, unless it is open. */
static void
open_block(struct chat_reply *r, enum mg_part kind)
{
    if (r->open && r->kind == kind)
        return;
    end_open(r);
    (void)mg_chat_calls_end(&r->calls, &r->base, false);
    r->open = true;
    r->kind = kind;
    r->number = r->blocks++;
    mg_decoder_begin(&r->base, r->number, kind);
}

/* Usage that is stated on the way counts when nothing comes behind it and the answer ends:
 * until then some upstreams state 0, and only the first figures of some are there. */
static void
note_content(struct chat_reply *r)
{
    r->stated = r->base.usage->has_output = false;
}

static void
take_usage(struct chat_reply *r, struct mg_span usage)
{
    if (usage.n == 0)
        return;
    r->base.usage->has_output = false;
    mg_usage_read(MG_CHAT, usage, r->base.usage);
    r->stated |= r->base.usage->has_output;
    r->base.usage->has_output = r->stated && r->ended;
}

static void
note_end(struct chat_reply *r)
{
    r->ended = true;
    r->base.usage->has_output = r->stated;
}

static void
take_text(struct chat_reply *r, enum mg_part kind, struct mg_span text, struct mg_span logprobs)
{
    if (text.n == 0)
        return;
    note_content(r);
    open_block(r, kind);
    if (kind == MG_PART_REASONING)
        mg_str_addspan(&r->thought, text);
    struct mg_event event = {.kind = MG_EVENT_DELTA, .number = r->number, .text = text,
                             .logprobs = logprobs};
    mg_sink_put(r->base.sink, &event);
}

/* Thoughts that are a text, or a list of parts. True when they said anything. */
static bool
take_thoughts(struct chat_reply *r, struct json_object *thoughts)
{
    struct mg_span none = {NULL, 0}, text = mg_json_string(thoughts);
    bool any = text.n > 0;
    take_text(r, MG_PART_REASONING, text, none);
    size_t n = json_object_is_type(thoughts, json_type_array)
                   ? json_object_array_length(thoughts) : 0;
    for (size_t i = 0; i < n; i++) {
        struct json_object *part = json_object_array_get_idx(thoughts, i);
        text = mg_json_string(mg_json_get(part, "text"));
        if (text.n == 0)
            text = mg_json_string(mg_json_get(part, "summary"));
        any |= text.n > 0;
        take_text(r, MG_PART_REASONING, text, none);
    }
    return any;
}

/* Thoughts among the parts are shown, but do not go back: an upstream that sends them so takes no
 * reasoning_content. */
static void
take_part(struct chat_reply *r, struct json_object *part)
{
    struct mg_span none = {NULL, 0}, text = mg_json_string(mg_json_get(part, "text"));
    struct mg_span type = mg_json_string(mg_json_get(part, "type"));
    struct mg_span refusal = mg_json_string(mg_json_get(part, "refusal"));
    r->any_refusal |= refusal.n > 0;
    (void)take_thoughts(r, mg_json_get(part, "thinking"));
    take_text(r, MG_PART_REFUSAL, refusal, none);
    take_text(r, mg_span_is(type, "reasoning") || mg_span_is(type, "thinking")
                     ? MG_PART_REASONING : MG_PART_TEXT, text, none);
    mg_str_reset(&r->thought);
    take_text(r, MG_PART_TEXT, mg_json_string(part), none);
}

/* A content that is a part, or a list of them, as some upstreams send it. */
static void
take_parts(struct chat_reply *r, struct json_object *content)
{
    if (!json_object_is_type(content, json_type_array)) {
        take_part(r, content);
        return;
    }
    for (size_t i = 0; i < json_object_array_length(content); i++)
        take_part(r, json_object_array_get_idx(content, i));
}

static void
take_citations(struct chat_reply *r, struct json_object *list)
{
    if (!json_object_is_type(list, json_type_array) || !r->open || r->kind != MG_PART_TEXT)
        return;
    for (size_t i = 0; i < json_object_array_length(list); i++) {
        struct json_object *url = mg_json_get(json_object_array_get_idx(list, i), "url_citation");
        struct mg_event event = {.kind = MG_EVENT_CITE, .number = r->number};
        event.cite.url = mg_json_string(mg_json_get(url, "url"));
        event.cite.title = mg_json_string(mg_json_get(url, "title"));
        event.cite.start = mg_json_int(url, "start_index", -1);
        event.cite.end = mg_json_int(url, "end_index", -1);
        if (event.cite.url.n > 0)
            mg_sink_put(r->base.sink, &event);
    }
}

static int
take_calls(struct chat_reply *r, struct json_object *list, bool alone)
{
    if (!json_object_is_type(list, json_type_array))
        return 0;
    for (size_t i = 0; i < json_object_array_length(list); i++) {
        struct json_object *piece = json_object_array_get_idx(list, i);
        if (!json_object_is_type(piece, json_type_object))
            continue;
        end_open(r);
        note_content(r);
        r->any_call = true;
        if (mg_chat_calls_take(&r->calls, &r->base, piece, alone) != 0)
            return -1;
    }
    return 0;
}

/* The old way to call the one function. */
static int
take_function_call(struct chat_reply *r, struct json_object *call)
{
    if (!json_object_is_type(call, json_type_object))
        return 0;
    struct json_object *piece = json_object_new_object();
    json_object_object_add(piece, "index", json_object_new_int(0));
    json_object_object_add(piece, "function", json_object_get(call));
    end_open(r);
    note_content(r);
    r->any_call = true;
    int rc = mg_chat_calls_take(&r->calls, &r->base, piece, false);
    json_object_put(piece);
    return rc;
}

/* Upstreams that know several of these names say the same in each. */
static void
take_reasoning(struct chat_reply *r, struct json_object *m)
{
    static const char *const names[] = {"reasoning_content", "reasoning", "reasoning_details"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (take_thoughts(r, mg_json_get(m, names[i])))
            return;
    }
}

/* A delta of a stream, or the message of a whole reply. */
static int
take_message(struct chat_reply *r, struct json_object *m, struct mg_span logprobs, bool alone)
{
    struct json_object *content = mg_json_get(m, "content");
    struct mg_span none = {NULL, 0};
    take_reasoning(r, m);
    if (json_object_is_type(content, json_type_string))
        take_text(r, MG_PART_TEXT, mg_json_string(content), logprobs);
    else if (content != NULL)
        take_parts(r, content);
    take_citations(r, mg_json_get(m, "annotations"));
    struct mg_span refusal = mg_json_string(mg_json_get(m, "refusal"));
    r->any_refusal |= refusal.n > 0;
    take_text(r, MG_PART_REFUSAL, refusal, none);
    if (take_calls(r, mg_json_get(m, "tool_calls"), alone) != 0)
        return -1;
    return take_function_call(r, mg_json_get(m, "function_call"));
}

static void
take_end(struct chat_reply *r, struct json_object *choice, enum mg_end end)
{
    struct mg_span sequence = mg_json_string(mg_json_get(choice, "stop_reason"));
    note_end(r);
    r->end = end;
    if (r->end == MG_END_STOP && sequence.n > 0) {
        r->end = MG_END_SEQUENCE;
        mg_str_reset(&r->sequence);
        mg_str_addspan(&r->sequence, sequence);
    }
}

/* The upstream says that it failed: nothing more is told. */
static void
take_error(struct chat_reply *r, struct json_object *error)
{
    r->finished = true;
    mg_decoder_fault(&r->base, error);
}

/* Answers the choice that counts, the first that was heard of, or NULL. */
static struct json_object *
first_choice(struct chat_reply *r, struct json_object *choices)
{
    if (!json_object_is_type(choices, json_type_array))
        return NULL;
    for (size_t i = 0; i < json_object_array_length(choices); i++) {
        struct json_object *choice = json_object_array_get_idx(choices, i);
        int64_t index = mg_json_int(choice, "index", 0);
        if (!r->chosen)
            r->choice = index;
        r->chosen = true;
        if (index == r->choice)
            return choice;
    }
    return NULL;
}

/* The log probabilities of a choice as JSON text. */
static struct mg_span
logprobs_of(struct json_object *choice)
{
    struct json_object *list = mg_json_get(mg_json_get(choice, "logprobs"), "content");
    if (!json_object_is_type(list, json_type_array) || json_object_array_length(list) == 0)
        return (struct mg_span){NULL, 0};
    return mg_json_plain(list);
}

static int
take_choice(struct chat_reply *r, struct json_object *choice, const char *member, bool alone)
{
    enum mg_end end;
    int said = mg_chat_end(mg_json_text(choice, "finish_reason"), &end);
    if (take_message(r, mg_json_get(choice, member), logprobs_of(choice), alone) != 0)
        return -1;
    take_text(r, MG_PART_TEXT, mg_json_string(mg_json_get(choice, "text")),
              (struct mg_span){NULL, 0}); /* legacy Completions */
    if (said < 0)
        take_error(r, mg_json_get(choice, "error"));
    if (said <= 0)
        return 0;
    take_end(r, choice, end);
    end_open(r);
    return mg_chat_calls_end(&r->calls, &r->base, true);
}

static void
start(struct chat_reply *r)
{
    struct mg_event event = {.kind = MG_EVENT_START};
    if (!r->started)
        mg_sink_put(r->base.sink, &event);
    r->started = true;
}

static void
finish(struct chat_reply *r)
{
    enum mg_end end = r->any_refusal && r->end == MG_END_STOP ? MG_END_REFUSAL : r->end;
    struct mg_event event = {.kind = MG_EVENT_FINISH, .end = end};
    if (r->finished)
        return;
    end_open(r);
    (void)mg_chat_calls_end(&r->calls, &r->base, true);
    if (end == MG_END_SEQUENCE)
        event.text = mg_str_span(&r->sequence);
    r->finished = true;
    mg_sink_put(r->base.sink, &event);
}

/* The members of a chunk or a completion that say something, as JSON text. Most of a chunk says
 * nothing, so only these are parsed. */
struct parts {
    struct mg_span choices, usage, error; /* error: the whole message, when it calls itself one */
    struct mg_span groq;                  /* where a vendor has its usage */
};

/* False when it is no JSON object. */
static bool
read_parts(struct mg_span json, struct parts *parts)
{
    struct mg_member member;
    size_t at = 0;
    int rc;
    memset(parts, 0, sizeof(*parts));
    while ((rc = mg_scan_next(json, &at, &member)) == 1) {
        if (mg_span_is(member.value, "null"))
            continue;
        if (mg_span_is(member.key, "choices"))
            parts->choices = member.value;
        else if (mg_span_is(member.key, "usage"))
            parts->usage = member.value;
        else if (mg_span_is(member.key, "x_groq"))
            parts->groq = member.value;
        else if (mg_span_is(member.key, "error"))
            parts->error = member.value;
        else if (mg_span_is(member.key, "object") && mg_span_is(member.value, "\"error\""))
            parts->error = json;
    }
    return rc == 0;
}

static void
read_error(struct chat_reply *r, struct mg_span text)
{
    struct json_object *error = mg_json_of(text);
    take_error(r, error);
    json_object_put(error);
}

static int
take_choices(struct chat_reply *r, struct mg_span text, struct mg_span usage)
{
    struct json_object *choices = mg_json_of(text), *choice = first_choice(r, choices);
    struct json_object *own = mg_json_get(choice, "usage"); /* where a vendor has it */
    int rc = json_object_is_type(choices, json_type_array) ? 0 : -1;
    if (choice != NULL)
        rc = take_choice(r, choice, "delta", false);
    take_usage(r, usage.n == 0 && own != NULL ? mg_json_plain(own) : usage);
    if (rc == 0 && choice == NULL && r->ended && r->base.usage->has_output)
        finish(r);
    json_object_put(choices);
    return rc;
}

static int
take_chunk(struct chat_reply *r, struct mg_span name, struct mg_span data)
{
    struct parts parts;
    if (!read_parts(data, &parts))
        return -1;
    if (parts.error.n == 0 && mg_span_is(name, "error"))
        parts.error = data;
    if (parts.error.n > 0) {
        read_error(r, parts.error);
        return 0;
    }
    if (parts.choices.n == 0 && parts.usage.n == 0)
        return 0; /* a vendor's own kind of message */
    start(r);
    if (parts.usage.n == 0)
        parts.usage = mg_scan_value(parts.groq, "usage");
    if (parts.choices.n > 0)
        return take_choices(r, parts.choices, parts.usage);
    take_usage(r, parts.usage);
    return 0;
}

static int
on_event(struct mg_decoder *decoder, struct mg_span name, struct mg_span data)
{
    struct chat_reply *r = (struct chat_reply *)decoder;
    if (mg_sse_is_done(data)) {
        if (r->ended || (r->started && r->blocks > 0 && mg_chat_calls_whole(&r->calls))) {
            note_end(r);
            finish(r);
        }
        return 0;
    }
    return r->finished ? 0 : take_chunk(r, name, data);
}

static bool
on_eof(struct mg_decoder *decoder)
{
    struct chat_reply *r = (struct chat_reply *)decoder;
    if (r->ended)
        finish(r);
    return r->finished;
}

static int
on_body(struct mg_decoder *decoder, struct mg_span body)
{
    struct chat_reply *r = (struct chat_reply *)decoder;
    struct parts parts;
    if (!read_parts(body, &parts))
        return -1;
    struct json_object *choices = mg_json_of(parts.choices), *choice = first_choice(r, choices);
    int rc = -1;
    if (choice != NULL) {
        start(r);
        rc = take_choice(r, choice, "message", true);
        take_usage(r, parts.usage);
        note_end(r);
        if (rc == 0)
            finish(r);
    } else if (parts.error.n > 0) {
        read_error(r, parts.error);
        rc = 0;
    }
    json_object_put(choices);
    return rc;
}

static void
on_free(struct mg_decoder *decoder)
{
    struct chat_reply *r = (struct chat_reply *)decoder;
    mg_chat_calls_free(&r->calls);
    mg_str_free(&r->sequence);
    mg_str_free(&r->thought);
    free(r);
}

struct mg_decoder *
mg_chat_reply_new(struct mg_sink sink, struct mg_usage *usage)
{
    static const struct mg_decoder_ops ops = {on_event, on_eof, on_body, on_free};
    struct chat_reply *r = mg_calloc(1, sizeof(*r));
    r->base = (struct mg_decoder){&ops, sink, usage};
    r->calls.blocks = &r->blocks;
    mg_str_init(&r->sequence, 4096);
    mg_str_init(&r->thought, THOUGHT_MAX);
    return &r->base;
}
