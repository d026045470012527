#include "wire/summary.h"

#include "json/parse.h"

#include <stdio.h>
#include <string.h>

#define CALLS 64

struct summary {
    struct mg_str text, refusal, name[CALLS], arguments[CALLS];
    int calls;
    char end[32];
    long long plain, write; /* Messages: input without caches, written to a cache */
    long long input, cached, output, reasoning;
};

static void
init(struct summary *s)
{
    memset(s, 0, sizeof(*s));
    mg_str_init(&s->text, 1 << 24);
    mg_str_init(&s->refusal, 1 << 24);
    for (int i = 0; i < CALLS; i++) {
        mg_str_init(&s->name[i], 1 << 20);
        mg_str_init(&s->arguments[i], 1 << 24);
    }
}

static void
add(struct mg_str *to, struct json_object *obj, const char *key)
{
    struct json_object *value = mg_json_get(obj, key);
    if (json_object_is_type(value, json_type_string))
        mg_str_add(to, json_object_get_string(value), (size_t)json_object_get_string_len(value));
}

/* Arguments without the white space between tokens: a body may hold them as an object. */
static void
add_normal(struct mg_str *out, const struct mg_str *arguments)
{
    struct json_object *tree = mg_json_of(mg_str_span(arguments));
    if (tree != NULL)
        mg_str_addz(out, json_object_to_json_string_ext(tree, JSON_C_TO_STRING_PLAIN));
    else if (arguments->len == 0)
        mg_str_addz(out, "{}");
    else
        mg_str_addspan(out, mg_str_span(arguments));
    json_object_put(tree);
}

static void
print(struct summary *s, struct mg_str *out)
{
    mg_str_addf(out, "text %s\n", s->text.p);
    if (s->refusal.len > 0)
        mg_str_addf(out, "refusal %s\n", s->refusal.p);
    for (int i = 0; i < s->calls; i++) {
        mg_str_addf(out, "call %s ", s->name[i].p);
        add_normal(out, &s->arguments[i]);
        mg_str_addc(out, '\n');
    }
    mg_str_addf(out, "end %s\ninput %lld cached %lld output %lld reasoning %lld\n", s->end,
                s->input, s->cached, s->output, s->reasoning);
    mg_str_free(&s->text);
    mg_str_free(&s->refusal);
    for (int i = 0; i < CALLS; i++) {
        mg_str_free(&s->name[i]);
        mg_str_free(&s->arguments[i]);
    }
}

static void
end(struct summary *s, const char *word)
{
    static const char *const same[][2] = {
        {"end_turn", "stop"},      {"stop_sequence", "stop"}, {"completed", "stop"},
        {"max_tokens", "length"},  {"max_output_tokens", "length"},
        {"tool_use", "tools"},     {"tool_calls", "tools"},
        {"refusal", "filter"},     {"content_filter", "filter"},
    };
    if (word == NULL)
        return;
    snprintf(s->end, sizeof(s->end), "%s", word);
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
        if (strcmp(word, same[i][0]) == 0)
            snprintf(s->end, sizeof(s->end), "%s", same[i][1]);
}

static void
openai_usage(struct summary *s, struct json_object *u, const char *in, const char *out)
{
    char key[64];
    if (!json_object_is_type(u, json_type_object))
        return;
    s->input = mg_json_int(u, in, 0);
    s->output = mg_json_int(u, out, 0);
    snprintf(key, sizeof(key), "%s_details", in);
    s->cached = mg_json_int(mg_json_get(u, key), "cached_tokens", 0);
    snprintf(key, sizeof(key), "%s_details", out);
    s->reasoning = mg_json_int(mg_json_get(u, key), "reasoning_tokens", 0);
}

static void
messages_usage(struct summary *s, struct json_object *u)
{
    if (!json_object_is_type(u, json_type_object))
        return;
    s->plain = mg_json_int(u, "input_tokens", s->plain);
    s->write = mg_json_int(u, "cache_creation_input_tokens", s->write);
    s->cached = mg_json_int(u, "cache_read_input_tokens", s->cached);
    s->input = s->plain + s->write + s->cached;
    s->output = mg_json_int(u, "output_tokens", s->output);
    s->reasoning = mg_json_int(mg_json_get(u, "output_tokens_details"), "thinking_tokens",
                               s->reasoning);
}

static void
chat_message(struct summary *s, struct json_object *m)
{
    struct json_object *calls = mg_json_get(m, "tool_calls");
    add(&s->text, m, "content");
    add(&s->refusal, m, "refusal");
    for (size_t i = 0; calls && i < json_object_array_length(calls); i++) {
        struct json_object *call = json_object_array_get_idx(calls, i);
        int n = (int)mg_json_int(call, "index", (int64_t)i);
        if (n >= CALLS)
            continue;
        s->calls = n >= s->calls ? n + 1 : s->calls;
        add(&s->name[n], mg_json_get(call, "function"), "name");
        add(&s->arguments[n], mg_json_get(call, "function"), "arguments");
    }
}

static void
chat(struct summary *s, struct json_object *obj, const char *member)
{
    struct json_object *choices = mg_json_get(obj, "choices");
    struct json_object *choice = choices ? json_object_array_get_idx(choices, 0) : NULL;
    chat_message(s, mg_json_get(choice, member));
    end(s, mg_json_text(choice, "finish_reason"));
    openai_usage(s, mg_json_get(obj, "usage"), "prompt_tokens", "completion_tokens");
}

static void
messages_block(struct summary *s, struct json_object *block)
{
    const char *type = mg_json_text(block, "type");
    if (type != NULL && strcmp(type, "text") == 0)
        add(&s->text, block, "text");
    if (type == NULL || strcmp(type, "tool_use") != 0 || s->calls >= CALLS)
        return;
    add(&s->name[s->calls], block, "name");
    struct json_object *input = mg_json_get(block, "input");
    if (input && json_object_object_length(input) > 0)
        mg_str_addz(&s->arguments[s->calls],
                    json_object_to_json_string_ext(input, JSON_C_TO_STRING_PLAIN));
    s->calls++;
}

static void
messages_event(struct summary *s, struct json_object *e)
{
    struct json_object *delta = mg_json_get(e, "delta");
    messages_block(s, mg_json_get(e, "content_block"));
    add(&s->text, delta, "text");
    if (s->calls > 0)
        add(&s->arguments[s->calls - 1], delta, "partial_json");
    end(s, mg_json_text(delta, "stop_reason"));
    messages_usage(s, mg_json_get(mg_json_get(e, "message"), "usage"));
    messages_usage(s, mg_json_get(e, "usage"));
}

static void
messages_body(struct summary *s, struct json_object *m)
{
    struct json_object *content = mg_json_get(m, "content");
    for (size_t i = 0; content && i < json_object_array_length(content); i++)
        messages_block(s, json_object_array_get_idx(content, i));
    end(s, mg_json_text(m, "stop_reason"));
    messages_usage(s, mg_json_get(m, "usage"));
}

static void
responses_item(struct summary *s, struct json_object *item)
{
    const char *type = mg_json_text(item, "type");
    struct json_object *content = mg_json_get(item, "content");
    if (type != NULL && strcmp(type, "function_call") == 0 && s->calls < CALLS) {
        add(&s->name[s->calls], item, "name");
        add(&s->arguments[s->calls++], item, "arguments");
    }
    bool message = type != NULL && strcmp(type, "message") == 0;
    for (size_t i = 0; message && i < json_object_array_length(content); i++) {
        add(&s->text, json_object_array_get_idx(content, i), "text");
        add(&s->refusal, json_object_array_get_idx(content, i), "refusal");
    }
}

static void
responses_body(struct summary *s, struct json_object *r)
{
    struct json_object *output = mg_json_get(r, "output");
    for (size_t i = 0; output && i < json_object_array_length(output); i++)
        responses_item(s, json_object_array_get_idx(output, i));
    end(s, s->calls > 0 ? "tools" : mg_json_text(r, "status"));
    end(s, mg_json_text(mg_json_get(r, "incomplete_details"), "reason"));
    openai_usage(s, mg_json_get(r, "usage"), "input_tokens", "output_tokens");
}

/* Deltas for the text, done items for the calls, the final response for the rest. */
static void
responses_event(struct summary *s, struct json_object *e)
{
    const char *type = mg_json_text(e, "type");
    if (type == NULL)
        return;
    if (strcmp(type, "response.output_text.delta") == 0)
        add(&s->text, e, "delta");
    if (strcmp(type, "response.refusal.delta") == 0)
        add(&s->refusal, e, "delta");
    if (strcmp(type, "response.output_item.done") == 0) {
        struct json_object *item = mg_json_get(e, "item");
        const char *kind = mg_json_text(item, "type");
        if (kind != NULL && strcmp(kind, "function_call") == 0)
            responses_item(s, item);
    }
    if (strcmp(type, "response.completed") == 0 || strcmp(type, "response.incomplete") == 0) {
        struct json_object *r = mg_json_get(e, "response");
        end(s, s->calls > 0 ? "tools" : mg_json_text(r, "status"));
        end(s, mg_json_text(mg_json_get(r, "incomplete_details"), "reason"));
        openai_usage(s, mg_json_get(r, "usage"), "input_tokens", "output_tokens");
    }
}

typedef void reader(struct summary *s, struct json_object *obj);

static void
chat_chunk(struct summary *s, struct json_object *obj)
{
    chat(s, obj, "delta");
}

static void
chat_body(struct summary *s, struct json_object *obj)
{
    chat(s, obj, "message");
}

/* Hands the JSON of every `data:` line to `take`. */
static void
each_data(struct mg_span sse, reader *take, struct summary *s)
{
    const char *p = sse.p, *stop = sse.p + sse.n;
    while (p < stop) {
        const char *lf = memchr(p, '\n', (size_t)(stop - p));
        const char *line_end = lf ? lf : stop;
        if (line_end - p > 6 && memcmp(p, "data: ", 6) == 0) {
            struct json_object *obj =
                mg_json_of((struct mg_span){p + 6, (size_t)(line_end - p - 6)});
            if (obj != NULL)
                take(s, obj);
            json_object_put(obj);
        }
        p = line_end + 1;
    }
}

void
summarize_stream(enum mg_family family, struct mg_span sse, struct mg_str *out)
{
    struct summary s;
    init(&s);
    each_data(sse, family == MG_CHAT        ? chat_chunk
                   : family == MG_MESSAGES ? messages_event : responses_event, &s);
    print(&s, out);
}

void
summarize_body(enum mg_family family, struct mg_span body, struct mg_str *out)
{
    struct json_object *obj = mg_json_of(body);
    struct summary s;
    init(&s);
    if (family == MG_CHAT)
        chat_body(&s, obj);
    else if (family == MG_MESSAGES)
        messages_body(&s, obj);
    else
        responses_body(&s, obj);
    json_object_put(obj);
    print(&s, out);
}

static int
count(struct mg_span text, const char *needle)
{
    size_t n = strlen(needle);
    int found = 0;
    for (size_t i = 0; i + n <= text.n; i++)
        found += memcmp(text.p + i, needle, n) == 0;
    return found;
}

int
count_ends(enum mg_family family, struct mg_span sse, bool *success)
{
    int good = 0, bad = 0;
    switch (family) {
    case MG_CHAT:
    case MG_COMPLETIONS:
        good = count(sse, "data: [DONE]\n");
        bad = count(sse, "data: {\"error\":");
        break;
    case MG_MESSAGES:
        good = count(sse, "event: message_stop\n");
        bad = count(sse, "event: error\n");
        break;
    case MG_RESPONSES:
        good = count(sse, "event: response.completed\n")
               + count(sse, "event: response.incomplete\n");
        bad = count(sse, "event: response.failed\n");
        break;
    case MG_FAMILIES:
        break;
    }
    *success = good > 0;
    return good + bad;
}
