#include "wire/facts.h"

#include "json/field.h"
#include "json/parse.h"
#include "json/scan.h"
#include "wire/count.h"

#include <string.h>

/* A bound of the input: no common tokenizer makes more tokens than bytes. Media are not text: an
 * image or a document counts a fixed number of tokens, whatever its base64 weighs. Output is
 * counted in bytes by the event loops, which have no time for a tokenizer: an average over
 * English, code and JSON, on the dear side. */
#define ESTIMATE_BYTES 3
#define IMAGE_BOUND 6000
#define DOCUMENT_BYTES 8 /* base64 bytes of a PDF that make a token, on the dear side */
#define DOCUMENT_BOUND 3200
#define OVERHEAD 32       /* what a provider adds around a conversation */
#define TOOLS_OVERHEAD 800 /* the hidden system text that comes with tools */
#define MEDIA_MIN 512     /* a shorter string is counted as text in any case */

struct body {
    const char *model;
    bool stream, store, background;
    int64_t max_tokens, max_completion_tokens, max_output_tokens, n, best_of;
    const char *previous_response_id;
    struct json_object *messages, *input, *prompt, *stream_options, *conversation, *thread,
        *metadata, *store_member, *tools;
};

#define ROW(name, type, need, least, most) \
    {#name, type, need, offsetof(struct body, name), least, most}

static const struct mg_field chat_fields[] = {
    ROW(model, MG_FIELD_STRING, false, 1, 256),
    ROW(messages, MG_FIELD_ARRAY, true, 1, 0),
    ROW(stream, MG_FIELD_BOOL, false, 0, 0),
    ROW(store, MG_FIELD_BOOL, false, 0, 0),
    ROW(max_tokens, MG_FIELD_INT, false, 1, INT64_MAX),
    ROW(max_completion_tokens, MG_FIELD_INT, false, 1, INT64_MAX),
    ROW(n, MG_FIELD_INT, false, 1, 128),
    ROW(stream_options, MG_FIELD_OBJECT, false, 0, 0),
    ROW(metadata, MG_FIELD_OBJECT, false, 0, 0),
    ROW(tools, MG_FIELD_ARRAY, false, 0, 0),
};
static const struct mg_field responses_fields[] = {
    ROW(model, MG_FIELD_STRING, false, 1, 256),
    ROW(input, MG_FIELD_STRING_OR_ARRAY, false, 0, 0),
    ROW(stream, MG_FIELD_BOOL, false, 0, 0),
    ROW(store, MG_FIELD_BOOL, false, 0, 0),
    ROW(background, MG_FIELD_BOOL, false, 0, 0),
    ROW(max_output_tokens, MG_FIELD_INT, false, 1, INT64_MAX),
    ROW(previous_response_id, MG_FIELD_STRING, false, 0, 0),
    ROW(conversation, MG_FIELD_ANY, false, 0, 0),
    ROW(tools, MG_FIELD_ARRAY, false, 0, 0),
};
static const struct mg_field completions_fields[] = {
    ROW(model, MG_FIELD_STRING, false, 1, 256),
    ROW(prompt, MG_FIELD_STRING_OR_ARRAY, true, 0, 0),
    ROW(stream, MG_FIELD_BOOL, false, 0, 0),
    ROW(max_tokens, MG_FIELD_INT, false, 0, INT64_MAX),
    ROW(n, MG_FIELD_INT, false, 1, 128),
    ROW(best_of, MG_FIELD_INT, false, 0, 20),
    ROW(stream_options, MG_FIELD_OBJECT, false, 0, 0),
};
static const struct mg_field messages_fields[] = {
    ROW(model, MG_FIELD_STRING, false, 1, 256),
    ROW(messages, MG_FIELD_ARRAY, true, 1, 0),
    ROW(max_tokens, MG_FIELD_INT, true, 0, INT64_MAX),
    ROW(stream, MG_FIELD_BOOL, false, 0, 0),
    ROW(thread, MG_FIELD_ANY, false, 0, 0),
    ROW(tools, MG_FIELD_ARRAY, false, 0, 0),
};
#define TABLE(fields) {fields, sizeof(fields) / sizeof(fields[0])}

static const struct {
    const struct mg_field *fields;
    size_t count;
} tables[MG_FAMILIES] = {
    [MG_CHAT] = TABLE(chat_fields),
    [MG_RESPONSES] = TABLE(responses_fields),
    [MG_COMPLETIONS] = TABLE(completions_fields),
    [MG_MESSAGES] = TABLE(messages_fields),
};

/* Members whose long strings are encoded media. */
static bool
is_media_key(struct mg_span key)
{
    return mg_span_is(key, "data") || mg_span_is(key, "url") || mg_span_is(key, "image_url") ||
           mg_span_is(key, "file_data");
}

/* A PDF says so in its data URL, or begins with "%PDF-", which base64 writes as JVBERi. */
static bool
is_document(struct mg_span value, struct mg_span key)
{
    size_t look = value.n < 64 ? value.n : 64;
    return mg_span_is(key, "file_data") || memmem(value.p, look, "pdf", 3) != NULL ||
           memmem(value.p, look, "JVBERi", 6) != NULL;
}

struct measure {
    int64_t text, media; /* bytes, tokens */
};

static void
measure_string(struct mg_span value, struct mg_span key, struct measure *m)
{
    if (value.n < MEDIA_MIN || !is_media_key(key)) {
        m->text += (int64_t)value.n;
    } else if (is_document(value, key)) {
        m->media += (int64_t)value.n / DOCUMENT_BYTES + DOCUMENT_BOUND;
    } else {
        m->media += IMAGE_BOUND;
    }
}

/* Index behind the closing quote of the string that opens at i (the body is valid JSON). */
static size_t
string_end(struct mg_span body, size_t i)
{
    for (i++; i < body.n; i++) {
        if (body.p[i] == '\\')
            i++;
        else if (body.p[i] == '"')
            return i + 1;
    }
    return body.n;
}

/* One pass over the bytes, whatever the depth: strings are text but for media, and so is the
 * frame around them, which is small, and a bound may be large. */
static void
measure_body(struct mg_span body, struct measure *m)
{
    struct mg_span key = {"", 0};
    for (size_t i = 0; i < body.n;) {
        if (body.p[i] != '"') {
            m->text += strchr(" \t\r\n", body.p[i]) == NULL;
            i++;
            continue;
        }
        size_t end = string_end(body, i), next = end;
        while (next < body.n && strchr(" \t\r\n", body.p[next]) != NULL)
            next++;
        if (next < body.n && body.p[next] == ':') {
            key = (struct mg_span){body.p + i + 1, end - i - 2};
            m->text += (int64_t)(end - i);
        } else {
            measure_string((struct mg_span){body.p + i, end - i}, key, m);
        }
        i = end;
    }
}

static void
measure_input(enum mg_family family, struct mg_span body, struct json_object *tree, bool tools,
              struct mg_facts *facts)
{
    struct measure m = {0};
    measure_body(body, &m);
    facts->input_estimate = mg_count_input(family, family, tree, MG_COUNT_QUICK);
    facts->input_bound = m.text + m.media + OVERHEAD + (tools ? TOOLS_OVERHEAD : 0);
    if (facts->input_bound < facts->input_estimate) /* media behind an address weigh, too */
        facts->input_bound = facts->input_estimate;
}

static void
output_limit(enum mg_family family, const struct body *b, struct mg_facts *facts)
{
    facts->max_output = b->max_tokens;
    facts->max_member = "max_tokens";
    if (family == MG_RESPONSES) {
        facts->max_output = b->max_output_tokens;
        facts->max_member = "max_output_tokens";
    } else if (family == MG_CHAT && (b->max_completion_tokens >= 0 || b->max_tokens < 0)) {
        facts->max_output = b->max_completion_tokens;
        facts->max_member = "max_completion_tokens";
    } else if (family == MG_COMPLETIONS && b->max_tokens < 0) {
        facts->max_output = 16; /* what the format says when nothing is said */
    }
}

/* A body in which a member that we act on occurs twice could mean one thing to us and another
 * to the upstream. */
static int
check_duplicates(struct mg_span body, const struct mg_field *fields, size_t count,
                 struct mg_err *err)
{
    struct mg_member member;
    unsigned seen = 0;
    for (size_t at = 0; mg_scan_next(body, &at, &member) == 1;) {
        for (size_t i = 0; i < count; i++) {
            if (!mg_scan_key_is(member.key, fields[i].name))
                continue;
            if (seen & 1u << i)
                return mg_err_param(err, 400, "invalid_json", fields[i].name,
                                    "The member `%s` occurs twice in the body.", fields[i].name);
            seen |= 1u << i;
        }
    }
    return 0;
}

int
mg_facts_read(enum mg_family family, struct mg_span body, struct json_object *tree,
              struct mg_facts *facts, struct mg_err *err)
{
    struct body b = {.max_tokens = -1, .max_completion_tokens = -1, .max_output_tokens = -1,
                     .n = 1, .best_of = 1, .store = family == MG_RESPONSES};
    *facts = (struct mg_facts){0};
    if (mg_field_read(tree, tables[family].fields, tables[family].count, &b, "", err) != 0 ||
        check_duplicates(body, tables[family].fields, tables[family].count, err) != 0)
        return -1;
    facts->model = b.model;
    facts->stream = b.stream;
    facts->show_usage = mg_json_bool(b.stream_options, "include_usage", 0);
    facts->store = b.store;
    facts->store_stated = mg_json_get(tree, "store") != NULL;
    facts->background = b.background;
    facts->previous = b.previous_response_id;
    facts->conversation = b.conversation != NULL ? "conversation" : NULL;
    facts->thread = b.thread != NULL;
    facts->metadata = b.metadata != NULL;
    facts->choices = b.n > b.best_of ? b.n : b.best_of;
    if (facts->choices < 1)
        facts->choices = 1;
    output_limit(family, &b, facts);
    measure_input(family, body, tree, b.tools != NULL, facts);
    return 0;
}

int64_t
mg_facts_scaled(const struct mg_facts *facts, int64_t tokens)
{
    if (facts->factor == 0 || facts->factor == 1000 || tokens > INT64_MAX / 100000)
        return tokens;
    return (tokens * facts->factor + 999) / 1000;
}

void
mg_facts_scale(struct mg_facts *facts, int64_t factor)
{
    facts->factor = factor;
    facts->input_estimate = mg_facts_scaled(facts, facts->input_estimate);
    if (factor > 1000) /* a bound stays one */
        facts->input_bound = mg_facts_scaled(facts, facts->input_bound);
    if (facts->input_bound < facts->input_estimate)
        facts->input_bound = facts->input_estimate;
}

int64_t
mg_facts_output_tokens(size_t bytes)
{
    return bytes == 0 ? 0 : (int64_t)((bytes + ESTIMATE_BYTES - 1) / ESTIMATE_BYTES);
}
