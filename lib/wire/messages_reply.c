#include "wire/messages_reply.h"

#include "base/alloc.h"
#include "json/parse.h"
#include "json/scan.h"
#include "wire/sse.h"

#include <stdlib.h>
#include <string.h>

#define THINKING_MAX ((size_t)32 << 20)
#define BLOCKS_MAX 65536

struct block {
    int64_t index;       /* as the upstream numbers it */
    enum mg_part kind;
    unsigned number;
    bool known;          /* it means something in other formats */
    bool begun;
    struct mg_str thinking;  /* what the signature signs */
    struct mg_str signature; /* told with the end: some upstreams send it before the thinking */
    struct mg_str input;     /* that the start of a tool block brought; pieces replace it */
};

struct messages_reply {
    struct mg_decoder base;
    struct block open;   /* the format has one open block at a time */
    bool is_open;
    unsigned blocks, seen;
    bool started, finished, ended;
    enum mg_end end;
    struct mg_str note;  /* stop sequence or explanation */
};

static void
begin(struct messages_reply *r, struct json_object *tool)
{
    struct block *b = &r->open;
    if (b->begun)
        return;
    b->begun = true;
    b->number = r->blocks++;
    struct mg_event event = {.kind = MG_EVENT_BEGIN, .number = b->number, .part = b->kind};
    event.id = mg_json_string(mg_json_get(tool, "id"));
    event.name = mg_json_string(mg_json_get(tool, "name"));
    mg_sink_put(r->base.sink, &event);
}

static void
say(struct messages_reply *r, struct mg_span text)
{
    if (text.n == 0)
        return;
    begin(r, NULL);
    mg_decoder_say(&r->base, MG_EVENT_DELTA, r->open.number, text);
}

static void
think(struct messages_reply *r, struct mg_span text)
{
    mg_str_addspan(&r->open.thinking, text);
    say(r, text);
}

static void
seal(struct messages_reply *r, enum mg_pack_kind kind, struct mg_span blob)
{
    if (blob.n == 0)
        return;
    begin(r, NULL);
    struct mg_event event = {.kind = MG_EVENT_SEAL, .number = r->open.number};
    event.proof.kind = kind;
    event.proof.blob = blob;
    if (kind == MG_PACK_THINKING)
        event.proof.text = mg_str_span(&r->open.thinking);
    mg_sink_put(r->base.sink, &event);
}

static void
cite(struct messages_reply *r, struct json_object *citation)
{
    struct mg_event event = {.kind = MG_EVENT_CITE};
    event.cite.url = mg_json_string(mg_json_get(citation, "url"));
    event.cite.title = mg_json_string(mg_json_get(citation, "title"));
    event.cite.start = event.cite.end = -1;
    if (event.cite.url.n == 0)
        return; /* a place in a document of the request */
    begin(r, NULL);
    event.number = r->open.number;
    mg_sink_put(r->base.sink, &event);
}

static void
cite_all(struct messages_reply *r, struct json_object *list)
{
    if (!json_object_is_type(list, json_type_array))
        return;
    for (size_t i = 0; i < json_object_array_length(list); i++)
        cite(r, json_object_array_get_idx(list, i));
}

static void
free_block(struct block *b)
{
    mg_str_free(&b->thinking);
    mg_str_free(&b->signature);
    mg_str_free(&b->input);
}

static void
end_block(struct messages_reply *r)
{
    if (!r->is_open)
        return;
    say(r, mg_str_span(&r->open.input));
    seal(r, MG_PACK_THINKING, mg_str_span(&r->open.signature));
    if (r->open.begun)
        mg_decoder_say(&r->base, MG_EVENT_END, r->open.number, (struct mg_span){NULL, 0});
    free_block(&r->open);
    r->is_open = false;
}

/* The input of a whole block as the upstream spelled it, or as it wrote it into a string; nothing
 * for `{}`, which in a stream only says that the arguments are still to come. */
static void
keep_input(struct messages_reply *r, struct json_object *block, struct mg_span text)
{
    struct mg_span input = mg_scan_value(text, "input");
    size_t at = 0;
    struct mg_member first;
    if (input.n > 0 && mg_scan_next(input, &at, &first) == 1)
        mg_str_addspan(&r->open.input, input);
    mg_str_addspan(&r->open.input, mg_json_string(mg_json_get(block, "input")));
}

/* What signs the thinking; said again, the last one counts. */
static void
sign(struct messages_reply *r, struct mg_span signature)
{
    if (signature.n == 0)
        return;
    mg_str_reset(&r->open.signature);
    mg_str_addspan(&r->open.signature, signature);
}

/* Opens a block with what it already holds. `text` is its JSON. 0, or -1 for a tool without a
 * name. */
static int
open_block(struct messages_reply *r, int64_t index, struct json_object *block,
           struct mg_span text)
{
    const char *type = mg_json_text(block, "type");
    end_block(r);
    r->open = (struct block){.index = index, .known = true};
    r->is_open = true;
    mg_str_init(&r->open.thinking, THINKING_MAX);
    mg_str_init(&r->open.signature, THINKING_MAX);
    mg_str_init(&r->open.input, THINKING_MAX);
    if (type == NULL || r->seen++ > BLOCKS_MAX)
        return -1;
    if (strcmp(type, "text") == 0) {
        say(r, mg_json_string(mg_json_get(block, "text")));
        cite_all(r, mg_json_get(block, "citations"));
    } else if (strcmp(type, "thinking") == 0) {
        r->open.kind = MG_PART_REASONING;
        think(r, mg_json_string(mg_json_get(block, "thinking")));
        sign(r, mg_json_string(mg_json_get(block, "signature")));
    } else if (strcmp(type, "redacted_thinking") == 0) {
        r->open.kind = MG_PART_REASONING;
        seal(r, MG_PACK_REDACTED, mg_json_string(mg_json_get(block, "data")));
    } else if (strcmp(type, "tool_use") == 0) {
        r->open.kind = MG_PART_TOOL;
        begin(r, block);
        keep_input(r, block, text);
        return mg_json_string(mg_json_get(block, "name")).n > 0 ? 0 : -1;
    } else {
        r->open.known = false;
    }
    return 0;
}

static void
take_input(struct messages_reply *r, struct mg_span piece)
{
    if (piece.n > 0)
        mg_str_reset(&r->open.input);
    say(r, piece);
}

static int
on_block_start(struct messages_reply *r, struct json_object *event, struct mg_span data)
{
    struct mg_span text;
    if (mg_scan_member(data, "content_block", &text) != 1)
        return -1;
    return open_block(r, mg_json_int(event, "index", r->seen),
                      mg_json_get(event, "content_block"), text);
}

static int
on_block_delta(struct messages_reply *r, struct json_object *event)
{
    struct json_object *delta = mg_json_get(event, "delta");
    const char *type = mg_json_text(delta, "type");
    if (!r->is_open || mg_json_int(event, "index", r->open.index) != r->open.index)
        return -1;
    if (!r->open.known || type == NULL)
        return 0;
    enum mg_part kind = r->open.kind;
    if (strcmp(type, "text_delta") == 0 && kind == MG_PART_TEXT)
        say(r, mg_json_string(mg_json_get(delta, "text")));
    else if (strcmp(type, "input_json_delta") == 0 && kind == MG_PART_TOOL)
        take_input(r, mg_json_string(mg_json_get(delta, "partial_json")));
    else if (strcmp(type, "thinking_delta") == 0 && kind == MG_PART_REASONING)
        think(r, mg_json_string(mg_json_get(delta, "thinking")));
    else if (strcmp(type, "signature_delta") == 0 && kind == MG_PART_REASONING)
        sign(r, mg_json_string(mg_json_get(delta, "signature")));
    else if (strcmp(type, "citations_delta") == 0 && kind == MG_PART_TEXT)
        cite(r, mg_json_get(delta, "citation"));
    return 0;
}

/* The stop of a block that the next one has ended already is no stop of that one. */
static void
on_block_stop(struct messages_reply *r, struct json_object *event)
{
    if (r->is_open && mg_json_int(event, "index", r->open.index) == r->open.index)
        end_block(r);
}

static void
take_end(struct messages_reply *r, struct json_object *holder)
{
    static const struct {
        const char *word;
        enum mg_end end;
    } ends[] = {
        {"stop_sequence", MG_END_SEQUENCE}, {"max_tokens", MG_END_LENGTH},
        {"tool_use", MG_END_TOOLS},         {"refusal", MG_END_FILTER},
        {"pause_turn", MG_END_PAUSE},       {"model_context_window_exceeded", MG_END_CONTEXT},
        {"length", MG_END_LENGTH},          {"content_filter", MG_END_FILTER},
        {"sensitive", MG_END_FILTER},       {"guardrail_intervened", MG_END_FILTER},
    };
    const char *reason = mg_json_text(holder, "stop_reason");
    if (reason == NULL || *reason == '\0')
        return;
    r->ended = true;
    r->end = MG_END_STOP;
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        if (strcmp(reason, ends[i].word) == 0)
            r->end = ends[i].end;
    }
    mg_str_reset(&r->note);
    if (r->end == MG_END_SEQUENCE)
        mg_str_addspan(&r->note, mg_json_string(mg_json_get(holder, "stop_sequence")));
    if (r->end == MG_END_FILTER)
        mg_str_addspan(&r->note, mg_json_string(mg_json_get(mg_json_get(holder, "stop_details"),
                                                            "explanation")));
}

static void
start(struct messages_reply *r)
{
    struct mg_event event = {.kind = MG_EVENT_START};
    if (!r->started)
        mg_sink_put(r->base.sink, &event);
    r->started = true;
}

static void
finish(struct messages_reply *r)
{
    struct mg_event event = {.kind = MG_EVENT_FINISH, .end = r->end,
                             .text = mg_str_span(&r->note)};
    end_block(r);
    if (!r->finished)
        mg_sink_put(r->base.sink, &event);
    r->finished = true;
}

static void
take_usage(struct messages_reply *r, struct mg_span data, const char *const *path, bool final)
{
    struct mg_span usage;
    if (mg_scan_path(data, path, &usage) == 1)
        mg_usage_read(MG_MESSAGES, usage, r->base.usage);
    if (!final)
        r->base.usage->has_output = false;
}

static int
on_message_start(struct messages_reply *r, struct mg_span data)
{
    static const char *const usage[] = {"message", "usage", NULL};
    if (!r->started)
        take_usage(r, data, usage, false);
    start(r);
    return 0;
}

static int
on_message_delta(struct messages_reply *r, struct json_object *event, struct mg_span data)
{
    static const char *const usage[] = {"usage", NULL};
    take_usage(r, data, usage, true);
    take_end(r, mg_json_get(event, "delta"));
    return 0;
}

static int
dispatch(struct messages_reply *r, struct mg_span type, struct json_object *event,
         struct mg_span data)
{
    if (mg_span_is(type, "content_block_delta"))
        return on_block_delta(r, event);
    if (mg_span_is(type, "content_block_start"))
        return on_block_start(r, event, data);
    if (mg_span_is(type, "message_start"))
        return on_message_start(r, data);
    if (mg_span_is(type, "message_delta"))
        return on_message_delta(r, event, data);
    if (mg_span_is(type, "content_block_stop"))
        on_block_stop(r, event);
    else if (mg_span_is(type, "message_stop"))
        finish(r);
    else if (mg_span_is(type, "error") || (type.n == 0 && mg_json_get(event, "error") != NULL))
        mg_decoder_fault(&r->base, mg_json_get(event, "error"));
    return 0;
}

static int
on_event(struct mg_decoder *decoder, struct mg_span name, struct mg_span data)
{
    struct messages_reply *r = (struct messages_reply *)decoder;
    if (r->finished || mg_sse_is_done(data))
        return 0;
    struct json_object *event = mg_json_of(data);
    struct mg_span type = mg_json_string(mg_json_get(event, "type"));
    int rc = -1;
    if (json_object_is_type(event, json_type_object))
        rc = dispatch(r, type.n > 0 ? type : name, event, data);
    json_object_put(event);
    return rc;
}

static bool
on_eof(struct mg_decoder *decoder)
{
    struct messages_reply *r = (struct messages_reply *)decoder;
    if (r->ended)
        finish(r);
    return r->finished;
}

/* Each block of a whole message, from its own text: arguments keep their spelling. */
static int
take_content(struct messages_reply *r, struct mg_span body)
{
    struct mg_span content, text;
    size_t at = 0;
    int rc = 0;
    if (mg_scan_member(body, "content", &content) != 1)
        return -1;
    while (rc == 0 && mg_scan_element(content, &at, &text) == 1) {
        struct json_object *block = mg_json_of(text);
        rc = open_block(r, r->seen, block, text);
        end_block(r);
        json_object_put(block);
    }
    return rc;
}

static int
on_body(struct mg_decoder *decoder, struct mg_span body)
{
    static const char *const usage[] = {"usage", NULL};
    struct messages_reply *r = (struct messages_reply *)decoder;
    struct json_object *message = mg_json_of(body), *error = mg_json_get(message, "error");
    int rc = -1;
    if (error != NULL) {
        mg_decoder_fault(decoder, error);
        rc = 0;
    } else if (json_object_is_type(mg_json_get(message, "content"), json_type_array)) {
        take_usage(r, body, usage, true);
        start(r);
        rc = take_content(r, body);
        take_end(r, message);
        if (rc == 0)
            finish(r);
    }
    json_object_put(message);
    return rc;
}

static void
on_free(struct mg_decoder *decoder)
{
    struct messages_reply *r = (struct messages_reply *)decoder;
    if (r->is_open)
        free_block(&r->open);
    mg_str_free(&r->note);
    free(r);
}

struct mg_decoder *
mg_messages_reply_new(struct mg_sink sink, struct mg_usage *usage)
{
    static const struct mg_decoder_ops ops = {on_event, on_eof, on_body, on_free};
    struct messages_reply *r = mg_calloc(1, sizeof(*r));
    r->base = (struct mg_decoder){&ops, sink, usage};
    mg_str_init(&r->note, 65536);
    return &r->base;
}
