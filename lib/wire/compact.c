#include "wire/compact.h"

#include "json/field.h"
#include "json/parse.h"
#include "json/scan.h"
#include "json/splice.h"
#include "json/writer.h"

#include <stdio.h>
#include <string.h>

#define TRIGGER "{\"type\":\"compaction_trigger\"}"

struct body {
    const char *model, *previous_response_id, *text;
    struct json_object *input;
};

static const struct mg_field fields[] = {
    {"model", MG_FIELD_STRING, false, offsetof(struct body, model), 1, 256},
    {"input", MG_FIELD_STRING_OR_ARRAY, false, offsetof(struct body, input), 0, 0},
    {"previous_response_id", MG_FIELD_STRING, false,
     offsetof(struct body, previous_response_id), 0, 0},
    {"instructions", MG_FIELD_STRING, false, offsetof(struct body, text), 0, 0},
    {"prompt_cache_key", MG_FIELD_STRING, false, offsetof(struct body, text), 0, 64},
};

int
mg_compact_check(struct json_object *tree, bool whole, struct mg_err *err)
{
    struct body b = {0};
    int rc = mg_field_read(tree, fields, sizeof(fields) / sizeof(fields[0]), &b, "", err);
    if (whole && mg_json_get(tree, "model") == NULL)
        rc = mg_err_field(err, "missing", "Field required", "body/model");
    if (whole && b.input == NULL && b.previous_response_id == NULL &&
        mg_json_get(tree, "input") == NULL)
        rc = mg_err_field(err, "missing", "Field required, unless there is a previous_response_id",
                          "body/input");
    return rc;
}

/* The elements of an input as text of a list, without its brackets. */
static void
add_elements(struct mg_span input, struct mg_str *out)
{
    struct mg_span element;
    size_t at = 0, count = 0;
    if (input.n == 0 || mg_span_is(input, "null"))
        return;
    if (input.p[0] == '"') {
        mg_str_addz(out, "{\"type\":\"message\",\"role\":\"user\",\"content\":");
        mg_str_addspan(out, input);
        mg_str_addc(out, '}');
        return;
    }
    while (mg_scan_element(input, &at, &element) == 1) {
        if (count++ > 0)
            mg_str_addc(out, ',');
        mg_str_addspan(out, element);
    }
}

int
mg_compact_ask(struct mg_span body, struct mg_span input, bool trigger, struct mg_str *out)
{
    struct mg_str list;
    mg_str_init(&list, input.n + 256);
    mg_str_addc(&list, '[');
    add_elements(input, &list);
    if (trigger)
        mg_str_addz(&list, list.len > 1 ? "," TRIGGER : TRIGGER);
    mg_str_addc(&list, ']');
    const struct mg_edit edits[] = {
        {"input", mg_str_span(&list)},
        {"previous_response_id", {NULL, 0}},
        {"stream", {NULL, 0}},
        {"background", {NULL, 0}},
        {"store", mg_span_z("false")},
    };
    /* Native compaction knows no `store`. */
    int rc = mg_splice(body, edits, trigger ? 5 : 4, out);
    mg_str_free(&list);
    return rc == 0 && mg_str_ok(out) ? 0 : -1;
}

static bool
is_users(struct mg_span item)
{
    struct mg_span type = mg_scan_value(item, "type");
    return (type.n == 0 || mg_span_is(type, "\"message\"")) &&
           mg_span_is(mg_scan_value(item, "role"), "\"user\"");
}

/* An image needs its detail stated in an output item. */
static void
add_part(struct mg_span part, struct mg_str *out)
{
    const struct mg_edit detail = {"detail", mg_span_z("\"auto\"")};
    bool bare = mg_span_is(mg_scan_value(part, "type"), "\"input_image\"") &&
                mg_scan_value(part, "detail").n == 0;
    if (!bare || mg_splice(part, &detail, 1, out) != 0)
        mg_str_addspan(out, part);
}

static void
list_parts(struct mg_span content, struct mg_str *out)
{
    struct mg_span part;
    size_t at = 0, count = 0;
    mg_str_addc(out, '[');
    if (content.n > 0 && content.p[0] == '"') {
        mg_str_addz(out, "{\"type\":\"input_text\",\"text\":");
        mg_str_addspan(out, content);
        mg_str_addc(out, '}');
    }
    while (content.n > 0 && content.p[0] == '[' && mg_scan_element(content, &at, &part) == 1) {
        if (count++ > 0)
            mg_str_addc(out, ',');
        add_part(part, out);
    }
    mg_str_addc(out, ']');
}

static void
keep_item(struct mg_span item, const char *seed, size_t number, struct mg_str *out)
{
    struct mg_edit edits[4];
    struct mg_str parts;
    char id[80];
    size_t n = 0;
    mg_str_init(&parts, item.n * 2 + 256);
    list_parts(mg_scan_value(item, "content"), &parts);
    snprintf(id, sizeof(id), "\"msg_%.40s%03zu\"", seed, number);
    if (mg_scan_value(item, "type").n == 0)
        edits[n++] = (struct mg_edit){"type", mg_span_z("\"message\"")};
    if (mg_scan_value(item, "id").n == 0 || mg_span_is(mg_scan_value(item, "id"), "null"))
        edits[n++] = (struct mg_edit){"id", mg_span_z(id)};
    if (mg_scan_value(item, "status").n == 0 || mg_span_is(mg_scan_value(item, "status"), "null"))
        edits[n++] = (struct mg_edit){"status", mg_span_z("\"completed\"")};
    edits[n++] = (struct mg_edit){"content", mg_str_span(&parts)};
    if (mg_splice(item, edits, n, out) != 0)
        mg_str_addz(out, "null");
    mg_str_free(&parts);
}

void
mg_compact_keep(struct mg_span input, const char *seed, struct mg_str *out)
{
    struct mg_str list;
    struct mg_span item;
    size_t at = 0, count = 0;
    mg_str_init(&list, input.n + 256);
    mg_str_addc(&list, '[');
    add_elements(input, &list);
    mg_str_addc(&list, ']');
    while (mg_scan_element(mg_str_span(&list), &at, &item) == 1) {
        if (!is_users(item))
            continue;
        if (count > 0)
            mg_str_addc(out, ',');
        keep_item(item, seed, count++, out);
    }
    mg_str_free(&list);
}

/* The compaction among the output; n = 0: there is none. */
static struct mg_span
find_compaction(struct mg_span response)
{
    struct mg_span output = mg_scan_value(response, "output"), item;
    for (size_t at = 0; output.n > 0 && mg_scan_element(output, &at, &item) == 1;)
        if (mg_span_is(mg_scan_value(item, "type"), "\"compaction\""))
            return item;
    return (struct mg_span){"", 0};
}

int
mg_compact_reply(struct mg_span response, struct mg_span kept, struct mg_str *out)
{
    struct mg_span item = find_compaction(response);
    struct mg_jw w;
    if (item.n == 0)
        return -1;
    mg_jw_init(&w, out);
    mg_jw_object(&w, NULL);
    mg_jw_raw(&w, "id", mg_scan_value(response, "id"));
    mg_jw_string(&w, "object", "response.compaction");
    mg_jw_raw(&w, "created_at", mg_scan_value(response, "created_at"));
    mg_jw_array(&w, "output");
    if (kept.n > 0)
        mg_jw_raw(&w, NULL, kept); /* several elements, with their commas */
    mg_jw_raw(&w, NULL, item);
    mg_jw_end(&w);
    mg_jw_raw(&w, "usage", mg_scan_value(response, "usage"));
    mg_jw_end(&w);
    return mg_jw_done(&w) ? 0 : -1;
}

bool
mg_compact_asked(struct json_object *tree)
{
    struct json_object *input = mg_json_get(tree, "input");
    if (!json_object_is_type(input, json_type_array) || json_object_array_length(input) == 0)
        return false;
    struct json_object *last =
        json_object_array_get_idx(input, json_object_array_length(input) - 1);
    const char *type = mg_json_text(last, "type");
    return type != NULL && strcmp(type, "compaction_trigger") == 0;
}
