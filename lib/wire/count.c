#include "wire/count.h"

#include "json/parse.h"
#include "tokens/tokens.h"
#include "wire/weight.h"

#include <json-c/linkhash.h>

#include <stdbool.h>
#include <string.h>

/* What a provider adds, in tokens. */
struct rules {
    int message;     /* around a message or an item */
    int conversation;/* once */
    int call;        /* around a tool call, and around its result */
    int tools;       /* hidden instructions when there are tools */
    int tool;        /* around the definition of one */
    int schema;      /* hidden instructions for an answer by schema */
};
static const struct rules responses = {4, 3, 6, 12, 8, 4};
static const struct rules chat = {4, 3, 6, 80, 8, 6};
static const struct rules messages = {4, 3, 10, 460, 8, 120};

struct tally {
    const struct rules *rules;
    bool messages;     /* weigh images as Messages providers do */
    size_t budget;     /* bytes that may still be counted */
    int64_t tokens, bytes, left_out;
    int64_t extra;     /* tokens of what is no text */
};

static void
add_text(struct tally *t, const char *text, size_t n)
{
    size_t counted = n < t->budget ? n : t->budget;
    t->tokens += mg_tokens_count(text, counted);
    t->bytes += (int64_t)counted;
    t->left_out += (int64_t)(n - counted);
    t->budget -= counted;
}

static struct mg_span
span_of(struct json_object *text)
{
    if (!json_object_is_type(text, json_type_string))
        return (struct mg_span){"", 0};
    return (struct mg_span){json_object_get_string(text),
                            (size_t)json_object_get_string_len(text)};
}

/* JSON as it stands: arguments, schemas. */
static void
add_json(struct tally *t, struct json_object *value)
{
    size_t n;
    const char *text = json_object_to_json_string_length(
        value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &n);
    add_text(t, text, n);
}

static bool
is_one_of(const char *word, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

/* A schema as OpenAI's models get it: in a short notation without most of the signs. */
static void
add_notation(struct tally *t, struct json_object *value)
{
    static const char *const dropped[] = {"additionalProperties", "required", "strict", NULL};
    if (json_object_is_type(value, json_type_object)) {
        json_object_object_foreach(value, key, member)
        {
            if (is_one_of(key, dropped))
                continue;
            if (!json_object_is_type(member, json_type_object) || strcmp(key, "properties") != 0)
                add_text(t, key, strlen(key));
            add_notation(t, member);
        }
    } else if (json_object_is_type(value, json_type_array)) {
        for (size_t i = 0; i < json_object_array_length(value); i++)
            add_notation(t, json_object_array_get_idx(value, i));
    } else {
        add_json(t, value);
    }
}

static void
add_schema_text(struct tally *t, struct json_object *value)
{
    if (t->messages)
        add_json(t, value);
    else
        add_notation(t, value);
}

/* Members that a model does not get to read, or that the constants stand for. */
static bool
is_silent(const char *key)
{
    static const char *const keys[] = {
        "type", "id", "role", "call_id", "tool_call_id", "tool_use_id", "item_id", "status",
        "detail", "media_type", "signature", "cache_control", "phase", "encrypted_index",
        "is_error", "prompt_cache_breakpoint", "annotations", "logprobs", NULL};
    return is_one_of(key, keys);
}

/* Reasoning that only its provider can read: base64 of about four bytes a token, with a frame. */
static void
add_sealed(struct tally *t, struct json_object *value)
{
    int64_t bytes = (int64_t)span_of(value).n * 3 / 4 - 650;
    if (bytes > 0)
        t->extra += bytes / 4;
}

/* Where a part keeps its bytes or address: image_url (text or object), file_data, source, file. */
static struct mg_span
data_of(struct json_object *part)
{
    static const char *const names[] = {"data", "url", "image_url", "file_data", "file_url", NULL};
    static const char *const inner[] = {"source", "image_url", "file", "input_audio", NULL};
    for (const char *const *name = names; *name != NULL; name++) {
        struct json_object *value = mg_json_get(part, *name);
        if (json_object_is_type(value, json_type_string))
            return span_of(value);
    }
    for (const char *const *name = inner; *name != NULL; name++) {
        struct json_object *value = mg_json_get(part, *name);
        if (json_object_is_type(value, json_type_object) && value != part)
            return data_of(value);
    }
    return (struct mg_span){"", 0};
}

static void walk(struct tally *t, const char *key, struct json_object *value);

/* Images and files; false when the part is something else, or text in a document's clothes. */
static bool
add_media(struct tally *t, const char *type, struct json_object *part)
{
    static const char *const images[] = {"image", "image_url", "input_image",
                                         "computer_screenshot", NULL};
    static const char *const files[] = {"document", "file", "input_file", "input_audio", NULL};
    if (is_one_of(type, images)) {
        const char *detail = mg_json_text(part, "detail");
        if (detail == NULL)
            detail = mg_json_text(mg_json_get(part, "image_url"), "detail");
        t->extra += mg_weight_image(data_of(part), t->messages,
                                    detail != NULL && strcmp(detail, "low") == 0);
        return true;
    }
    if (!is_one_of(type, files))
        return false;
    struct json_object *source = mg_json_get(part, "source");
    const char *kind = mg_json_text(source, "type");
    if (kind != NULL && (strcmp(kind, "text") == 0 || strcmp(kind, "content") == 0))
        return false;
    t->extra += mg_weight_document(data_of(part));
    return true;
}

static bool
is_call(const char *type)
{
    size_t n = strlen(type);
    return strstr(type, "tool_use") != NULL || strstr(type, "tool_result") != NULL ||
           strcmp(type, "function") == 0 || strcmp(type, "custom") == 0 ||
           (n >= 5 && strcmp(type + n - 5, "_call") == 0) ||
           (n >= 12 && strcmp(type + n - 12, "_call_output") == 0);
}

static void
walk_object(struct tally *t, struct json_object *value)
{
    const char *type = mg_json_text(value, "type");
    if (type != NULL && add_media(t, type, value))
        return;
    if (type != NULL && is_call(type))
        t->extra += t->rules->call;
    json_object_object_foreach(value, key, member)
    {
        bool sealed = strcmp(key, "encrypted_content") == 0 ||
                      (strcmp(key, "data") == 0 && type != NULL &&
                       strcmp(type, "redacted_thinking") == 0);
        if (sealed)
            add_sealed(t, member);
        else if (json_object_is_type(member, json_type_object) &&
                 (strcmp(key, "input") == 0 || strcmp(key, "arguments") == 0))
            add_json(t, member);
        else if (!is_silent(key))
            walk(t, key, member);
    }
}

static void
walk(struct tally *t, const char *key, struct json_object *value)
{
    struct mg_span text;
    switch (json_object_get_type(value)) {
    case json_type_string:
        text = span_of(value);
        add_text(t, text.p, text.n);
        break;
    case json_type_array:
        for (size_t i = 0; i < json_object_array_length(value); i++)
            walk(t, key, json_object_array_get_idx(value, i));
        break;
    case json_type_object:
        walk_object(t, value);
        break;
    case json_type_null:
        break;
    default:
        t->extra++;
        break;
    }
}

/* Messages or items: each with its frame; one text is one message. */
static void
add_turns(struct tally *t, struct json_object *turns)
{
    if (turns == NULL)
        return;
    t->extra += t->rules->conversation;
    t->extra += json_object_is_type(turns, json_type_array)
                    ? t->rules->message * (int64_t)json_object_array_length(turns)
                    : t->rules->message;
    walk(t, "", turns);
}

static void
add_instructions(struct tally *t, struct json_object *value)
{
    if (value == NULL)
        return;
    t->extra += t->rules->message;
    walk(t, "", value);
}

/* Tools that a provider brings along are described by it; the names carry a date. */
static int64_t
hosted_tool(const char *type)
{
    static const struct {
        const char *name;
        int tokens;
    } known[] = {{"text_editor", 700}, {"bash", 245}, {"computer", 735}, {"memory", 500}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strncmp(type, known[i].name, strlen(known[i].name)) == 0)
            return known[i].tokens;
    return 350;
}

static void
add_tools(struct tally *t, struct json_object *tools)
{
    size_t n = json_object_is_type(tools, json_type_array) ? json_object_array_length(tools) : 0;
    if (n > 0)
        t->extra += t->rules->tools;
    for (size_t i = 0; i < n; i++) {
        struct json_object *tool = json_object_array_get_idx(tools, i);
        const char *type = mg_json_text(tool, "type");
        if (mg_json_get(tool, "input_schema") == NULL && type != NULL &&
            strcmp(type, "function") != 0 && strcmp(type, "custom") != 0 &&
            strcmp(type, "namespace") != 0)
            t->extra += hosted_tool(type);
        t->extra += t->rules->tool;
        add_schema_text(t, tool);
    }
}

/* An answer by schema: response_format, text.format, output_format, output_config.format. */
static void
add_schema(struct tally *t, struct json_object *format)
{
    const char *type = mg_json_text(format, "type");
    if (type == NULL || strcmp(type, "json_schema") != 0)
        return;
    t->extra += t->rules->schema;
    add_schema_text(t, format);
}

int64_t
mg_count_input(enum mg_family family, enum mg_family like, struct json_object *body,
               size_t budget)
{
    const struct rules *rules = like == MG_MESSAGES    ? &messages
                                : like == MG_RESPONSES ? &responses
                                                       : &chat;
    struct tally t = {.rules = rules, .messages = like == MG_MESSAGES, .budget = budget};
    if (family == MG_COMPLETIONS) {
        walk(&t, "", mg_json_get(body, "prompt"));
        walk(&t, "", mg_json_get(body, "suffix"));
    } else {
        add_instructions(&t, mg_json_get(body, family == MG_MESSAGES ? "system" : "instructions"));
        add_turns(&t, mg_json_get(body, family == MG_RESPONSES ? "input" : "messages"));
        add_tools(&t, mg_json_get(body, "tools"));
        add_tools(&t, mg_json_get(body, "functions"));
        add_schema(&t, mg_json_get(body, "response_format"));
        add_schema(&t, mg_json_get(body, "output_format"));
        add_schema(&t, mg_json_get(mg_json_get(body, "text"), "format"));
        add_schema(&t, mg_json_get(mg_json_get(body, "output_config"), "format"));
    }
    if (t.left_out > 0 && t.bytes > 0)
        t.extra += t.left_out * t.tokens / t.bytes;
    return t.tokens + t.extra;
}
