#include "wire/needs.h"

#include "json/parse.h"

#include <string.h>

#define NESTED_MOST 3 /* a document in a tool result holds parts; nothing is deeper */

static bool
says(struct json_object *object, const char *key, const char *text)
{
    const char *value = mg_json_text(object, key);
    return value != NULL && strcmp(value, text) == 0;
}

static size_t
count(struct json_object *list)
{
    return json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
}

static void parts(struct json_object *list, unsigned depth, struct mg_needs *needs);

/* A Messages document may be text, or parts of its own. */
static void
document(struct json_object *block, unsigned depth, struct mg_needs *needs)
{
    struct json_object *source = mg_json_get(block, "source");
    if (says(source, "type", "content"))
        parts(mg_json_get(source, "content"), depth + 1, needs);
    else if (!says(source, "type", "text"))
        needs->pdf = true;
}

/* A part of a message's content, in the words of any format: they do not contradict. */
static void
part(struct json_object *p, unsigned depth, struct mg_needs *needs)
{
    if (says(p, "type", "image_url") || says(p, "type", "input_image") || says(p, "type", "image"))
        needs->image = true;
    else if (says(p, "type", "file") || says(p, "type", "input_file"))
        needs->pdf = true;
    else if (says(p, "type", "document"))
        document(p, depth, needs);
    else if (says(p, "type", "tool_result"))
        parts(mg_json_get(p, "content"), depth + 1, needs);
}

static void
parts(struct json_object *list, unsigned depth, struct mg_needs *needs)
{
    if (depth >= NESTED_MOST)
        return;
    for (size_t i = 0, n = count(list); i < n; i++)
        part(json_object_array_get_idx(list, i), depth, needs);
}

/* Chat and Messages: messages; Responses: items, whose results have parts in `output`. */
static void
conversation(struct json_object *list, struct mg_needs *needs)
{
    for (size_t i = 0, n = count(list); i < n; i++) {
        struct json_object *item = json_object_array_get_idx(list, i);
        parts(mg_json_get(item, "content"), 0, needs);
        parts(mg_json_get(item, "output"), 0, needs);
        needs->tools |= says(item, "type", "additional_tools") &&
                        count(mg_json_get(item, "tools")) > 0;
    }
}

static bool
is_schema(struct json_object *format)
{
    return says(format, "type", "json_schema");
}

void
mg_needs_read(enum mg_family family, struct json_object *body, struct mg_needs *needs)
{
    *needs = (struct mg_needs){.tools = count(mg_json_get(body, "tools")) > 0 ||
                                        count(mg_json_get(body, "functions")) > 0};
    switch (family) {
    case MG_CHAT:
        conversation(mg_json_get(body, "messages"), needs);
        needs->structured = is_schema(mg_json_get(body, "response_format"));
        break;
    case MG_RESPONSES:
        conversation(mg_json_get(body, "input"), needs);
        needs->structured = is_schema(mg_json_get(mg_json_get(body, "text"), "format"));
        break;
    case MG_MESSAGES:
        conversation(mg_json_get(body, "messages"), needs);
        needs->structured = is_schema(mg_json_get(body, "output_format")) ||
                            is_schema(mg_json_get(mg_json_get(body, "output_config"), "format"));
        break;
    case MG_COMPLETIONS: /* a prompt is text */
    case MG_FAMILIES:
        needs->tools = false;
        break;
    }
}
