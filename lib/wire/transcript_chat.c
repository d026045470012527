/* The completion that a stream of Chat Completions told of. */
#include "base/alloc.h"
#include "json/parse.h"
#include "json/scan.h"
#include "json/writer.h"
#include "wire/sse.h"
#include "wire/transcript.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHOICES_MAX 128
#define CALLS_MAX 1024
#define LONG_TEXT ((size_t)64 << 20)

/* Texts of a message that grow by deltas. */
static const char *const texts[] = {"content", "refusal", "reasoning_content", "reasoning"};
#define TEXTS (sizeof(texts) / sizeof(texts[0]))
static const char *const logs[] = {"content", "refusal"};
#define LOGS (sizeof(logs) / sizeof(logs[0]))

struct call {
    struct mg_str id, name, arguments;
    bool custom;
};

struct choice {
    bool seen;
    bool has[TEXTS];
    struct mg_str text[TEXTS];
    struct mg_str log[LOGS];       /* elements of the lists of log probabilities */
    struct call *call;
    size_t calls;
    struct mg_str annotations;     /* elements */
    char finish[32];
};

struct reader {
    struct mg_str head;            /* members of the first chunk that all of them repeat */
    struct mg_str usage, error;    /* raw */
    struct choice choice[CHOICES_MAX];
    size_t choices;
};

static struct choice *
choice_at(struct reader *r, int64_t index)
{
    if (index < 0 || index >= CHOICES_MAX)
        return NULL;
    struct choice *c = &r->choice[index];
    if (!c->seen) {
        c->seen = true;
        for (size_t i = 0; i < TEXTS; i++)
            mg_str_init(&c->text[i], LONG_TEXT);
        for (size_t i = 0; i < LOGS; i++)
            mg_str_init(&c->log[i], LONG_TEXT);
        mg_str_init(&c->annotations, LONG_TEXT);
    }
    if ((size_t)index >= r->choices)
        r->choices = (size_t)index + 1;
    return c;
}

static struct call *
call_at(struct choice *c, int64_t index)
{
    if (index < 0 || index >= CALLS_MAX)
        return NULL;
    while (c->calls <= (size_t)index) {
        c->call = mg_realloc(c->call, (c->calls + 1) * sizeof(*c->call));
        struct call *call = &c->call[c->calls++];
        call->custom = false;
        mg_str_init(&call->id, 4096);
        mg_str_init(&call->name, 4096);
        mg_str_init(&call->arguments, LONG_TEXT);
    }
    return &c->call[index];
}

static void
add_text(struct mg_str *to, struct json_object *holder, const char *member)
{
    struct json_object *text = mg_json_get(holder, member);
    if (json_object_is_type(text, json_type_string)) /* of bytes: one may be a NUL */
        mg_str_add(to, json_object_get_string(text), (size_t)json_object_get_string_len(text));
}

static void
take_calls(struct choice *c, struct json_object *list)
{
    if (!json_object_is_type(list, json_type_array))
        return;
    for (size_t i = 0; i < json_object_array_length(list); i++) {
        struct json_object *piece = json_object_array_get_idx(list, i);
        struct json_object *custom = mg_json_get(piece, "custom");
        struct json_object *function = mg_json_get(piece, "function");
        struct call *call = call_at(c, mg_json_int(piece, "index", (int64_t)i));
        if (call == NULL)
            continue;
        if (call->id.len == 0)
            add_text(&call->id, piece, "id");
        call->custom |= custom != NULL;
        if (call->name.len == 0)
            add_text(&call->name, custom ? custom : function, "name");
        add_text(&call->arguments, custom ? custom : function, custom ? "input" : "arguments");
    }
}

static void
add_elements(struct mg_str *to, struct json_object *list)
{
    if (!json_object_is_type(list, json_type_array))
        return;
    for (size_t i = 0; i < json_object_array_length(list); i++) {
        if (to->len > 0)
            mg_str_addc(to, ',');
        mg_str_addz(to, json_object_to_json_string_ext(json_object_array_get_idx(list, i),
                                                       JSON_C_TO_STRING_PLAIN));
    }
}

static void
take_choice(struct reader *r, struct json_object *piece)
{
    struct choice *c = choice_at(r, mg_json_int(piece, "index", 0));
    struct json_object *delta = mg_json_get(piece, "delta"), *log = mg_json_get(piece, "logprobs");
    const char *finish = mg_json_text(piece, "finish_reason");
    if (c == NULL)
        return;
    for (size_t i = 0; i < TEXTS; i++) {
        c->has[i] |= mg_json_text(delta, texts[i]) != NULL;
        add_text(&c->text[i], delta, texts[i]);
    }
    for (size_t i = 0; i < LOGS; i++)
        add_elements(&c->log[i], mg_json_get(log, logs[i]));
    take_calls(c, mg_json_get(delta, "tool_calls"));
    add_elements(&c->annotations, mg_json_get(delta, "annotations"));
    if (finish != NULL)
        snprintf(c->finish, sizeof(c->finish), "%s", finish);
}

/* What all chunks repeat, kept from the first that has an id. */
static void
take_head(struct reader *r, struct mg_span data)
{
    static const char *const names[] = {"id", "created", "model", "service_tier",
                                        "system_fingerprint"};
    struct mg_span value;
    if (r->head.len > 0 || mg_scan_member(data, "id", &value) != 1)
        return;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (mg_scan_member(data, names[i], &value) != 1)
            continue;
        mg_str_addf(&r->head, "%s\"%s\":", r->head.len > 0 ? "," : "", names[i]);
        mg_str_addspan(&r->head, value);
        if (i == 0)
            mg_str_addz(&r->head, ",\"object\":\"chat.completion\"");
    }
}

static void
take_raw(struct mg_str *to, struct mg_span data, const char *member)
{
    struct mg_span value;
    if (mg_scan_member(data, member, &value) != 1 || mg_span_is(value, "null"))
        return;
    mg_str_reset(to);
    mg_str_addspan(to, value);
}

static void
take(struct reader *r, struct mg_span data)
{
    struct json_object *chunk = mg_json_of(data), *choices = mg_json_get(chunk, "choices");
    if (chunk == NULL)
        return;
    take_head(r, data);
    take_raw(&r->usage, data, "usage");
    take_raw(&r->error, data, "error");
    if (json_object_is_type(choices, json_type_array)) {
        for (size_t i = 0; i < json_object_array_length(choices); i++)
            take_choice(r, json_object_array_get_idx(choices, i));
    }
    json_object_put(chunk);
}

static void
write_calls(struct mg_jw *w, const struct choice *c)
{
    if (c->calls == 0)
        return;
    mg_jw_array(w, "tool_calls");
    for (const struct call *call = c->call; call < c->call + c->calls; call++) {
        mg_jw_object(w, NULL);
        mg_jw_bytes(w, "id", call->id.p, call->id.len);
        mg_jw_string(w, "type", call->custom ? "custom" : "function");
        mg_jw_object(w, call->custom ? "custom" : "function");
        mg_jw_bytes(w, "name", call->name.p, call->name.len);
        mg_jw_bytes(w, call->custom ? "input" : "arguments", call->arguments.p,
                    call->arguments.len);
        mg_jw_end(w);
        mg_jw_end(w);
    }
    mg_jw_end(w);
}

static void
write_list(struct mg_jw *w, const char *key, const struct mg_str *elements)
{
    mg_jw_array(w, key);
    mg_str_addspan(w->out, mg_str_span(elements));
    mg_jw_end(w);
}

static void
write_choice(struct mg_jw *w, const struct choice *c, size_t index)
{
    mg_jw_object(w, NULL);
    mg_jw_int(w, "index", (int64_t)index);
    mg_jw_object(w, "message");
    mg_jw_string(w, "role", "assistant");
    for (size_t i = 0; i < TEXTS; i++) {
        if (c->has[i] && (c->text[i].len > 0 || (i == 0 && c->calls == 0)))
            mg_jw_bytes(w, texts[i], c->text[i].p, c->text[i].len);
        else if (i < 2)
            mg_jw_null(w, texts[i]);
    }
    write_calls(w, c);
    write_list(w, "annotations", &c->annotations);
    mg_jw_end(w);
    mg_jw_string(w, "finish_reason", c->finish[0] != '\0' ? c->finish : "length");
    if (c->log[0].len + c->log[1].len > 0) {
        mg_jw_object(w, "logprobs");
        for (size_t i = 0; i < LOGS; i++)
            write_list(w, logs[i], &c->log[i]);
        mg_jw_end(w);
    } else {
        mg_jw_null(w, "logprobs");
    }
    mg_jw_end(w);
}

static void
write_object(struct reader *r, const struct mg_usage *usage, struct mg_transcript *t)
{
    struct mg_jw w;
    mg_str_addc(&t->object, '{');
    mg_str_addspan(&t->object, mg_str_span(&r->head));
    mg_str_addz(&t->object, ",\"choices\":");
    mg_jw_init(&w, &t->object);
    mg_jw_array(&w, NULL);
    t->whole = r->choices > 0 && r->error.len == 0;
    for (size_t i = 0; i < r->choices; i++) {
        if (r->choice[i].seen)
            write_choice(&w, &r->choice[i], i);
        t->whole = t->whole && r->choice[i].finish[0] != '\0';
    }
    mg_jw_end(&w);
    mg_str_addz(&t->object, ",\"usage\":");
    mg_jw_init(&w, &t->object);
    if (r->usage.len > 0)
        mg_jw_raw(&w, NULL, mg_str_span(&r->usage));
    else
        mg_usage_write(MG_CHAT, &w, NULL, usage);
    if (r->error.len > 0) {
        mg_str_addz(&t->object, ",\"error\":");
        mg_str_addspan(&t->object, mg_str_span(&r->error));
    }
    mg_str_addc(&t->object, '}');
    t->failed = r->error.len > 0;
}

static void
free_reader(struct reader *r)
{
    for (size_t i = 0; i < r->choices; i++) {
        struct choice *c = &r->choice[i];
        if (!c->seen)
            continue;
        for (size_t n = 0; n < TEXTS; n++)
            mg_str_free(&c->text[n]);
        for (size_t n = 0; n < LOGS; n++)
            mg_str_free(&c->log[n]);
        mg_str_free(&c->annotations);
        for (size_t n = 0; n < c->calls; n++) {
            mg_str_free(&c->call[n].id);
            mg_str_free(&c->call[n].name);
            mg_str_free(&c->call[n].arguments);
        }
        free(c->call);
    }
    mg_str_free(&r->head);
    mg_str_free(&r->usage);
    mg_str_free(&r->error);
    free(r);
}

int
mg_transcript_chat(struct mg_span events, const struct mg_usage *usage, struct mg_transcript *t)
{
    struct reader *r = mg_calloc(1, sizeof(*r));
    struct mg_sse sse;
    struct mg_sse_event event;
    mg_str_init(&r->head, 65536);
    mg_str_init(&r->usage, 65536);
    mg_str_init(&r->error, 65536);
    mg_sse_init(&sse);
    if (mg_sse_feed(&sse, events.p, events.n)) {
        while (mg_sse_next(&sse, true, &event)) {
            if (event.data.n > 0)
                take(r, event.data);
        }
    }
    mg_sse_free(&sse);
    int rc = r->head.len > 0 && mg_str_ok(&r->head) ? 0 : -1;
    if (rc == 0)
        write_object(r, usage, t);
    free_reader(r);
    return rc;
}
