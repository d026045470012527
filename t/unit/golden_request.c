#include "golden_request.h"

#include "base/alloc.h"
#include "json/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const uint8_t golden_key[MG_PACK_KEY] = "an example key of thirty-two byt";

static unsigned
levels(struct json_object *list)
{
    static const char *const words[] = {"", "none", "minimal", "low", "medium", "high", "xhigh",
                                        "max"};
    unsigned set = 0;
    for (size_t i = 0; i < json_object_array_length(list); i++) {
        for (unsigned e = 1; e < sizeof(words) / sizeof(words[0]); e++) {
            if (strcmp(json_object_get_string(json_object_array_get_idx(list, i)), words[e]) == 0)
                set |= 1U << e;
        }
    }
    return set;
}

struct mg_destination
golden_destination(struct json_object *facts)
{
    const char *origin = mg_json_text(facts, "origin");
    struct json_object *efforts = mg_json_get(facts, "efforts");
    return (struct mg_destination){
        .model = "upstream-model",
        .origin = origin != NULL ? origin : "",
        .image = mg_json_bool(facts, "image", 1),
        .pdf = mg_json_bool(facts, "pdf", 1),
        .tools = mg_json_bool(facts, "tools", 1),
        .structured = mg_json_bool(facts, "structured", 1),
        .reasoning = mg_json_bool(facts, "reasoning", 1),
        .sampling = mg_json_bool(facts, "sampling", 1),
        .system_midway = mg_json_bool(facts, "system_midway", 0),
        .thinking = mg_json_bool(facts, "adaptive", 0) ? MG_THINKING_EFFORT : MG_THINKING_BUDGET,
        .efforts = efforts != NULL ? levels(efforts) : 0,
        .max_output = mg_json_int(facts, "max_output", 0),
        .default_max_output = mg_json_int(facts, "default_max_output", 8192),
    };
}

char *
golden_read(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    struct mg_str text;
    char part[4096];
    mg_str_init(&text, (size_t)64 << 20);
    if (file == NULL)
        return NULL;
    for (size_t got; (got = fread(part, 1, sizeof(part), file)) > 0;)
        mg_str_add(&text, part, got);
    fclose(file);
    *n = text.len;
    if (text.len == 0)
        return mg_strdup("");
    return mg_str_take(&text);
}

static struct json_object *
text_array(const char *const *texts)
{
    struct json_object *list = json_object_new_array();
    for (; *texts != NULL; texts++)
        json_object_array_add(list, json_object_new_string(*texts));
    return list;
}

static struct json_object *
tools_of(const struct mg_translation *left)
{
    struct json_object *list = json_object_new_array();
    for (size_t i = 0; i < left->tool_count; i++) {
        const struct mg_translated_tool *tool = &left->tools[i];
        struct json_object *row = json_object_new_object();
        if (strcmp(tool->client, tool->upstream) == 0 && !tool->custom && tool->space == NULL) {
            json_object_put(row);
            continue;
        }
        json_object_object_add(row, "client", json_object_new_string(tool->client));
        json_object_object_add(row, "upstream", json_object_new_string(tool->upstream));
        if (tool->space != NULL)
            json_object_object_add(row, "namespace", json_object_new_string(tool->space));
        if (tool->custom)
            json_object_object_add(row, "custom", json_object_new_string(tool->wrapped ? "wrapped"
                                                                                      : "native"));
        json_object_array_add(list, row);
    }
    return list;
}

static void
add_if(struct json_object *to, const char *name, bool there, struct json_object *value)
{
    if (there)
        json_object_object_add(to, name, value);
    else
        json_object_put(value);
}

static struct json_object *
left_of(const struct mg_translation *left)
{
    struct json_object *o = json_object_new_object();
    struct json_object *tools = tools_of(left);
    add_if(o, "tools", json_object_array_length(tools) > 0, tools);
    add_if(o, "dropped", left->dropped[0] != NULL, text_array(left->dropped));
    add_if(o, "stops", left->stops[0] != NULL, text_array(left->stops));
    add_if(o, "json_tool", left->json == MG_JSON_TOOL,
           json_object_new_string(left->json_tool != NULL ? left->json_tool : ""));
    add_if(o, "compaction", left->compaction, json_object_new_boolean(1));
    add_if(o, "hide_reasoning", !left->show_reasoning, json_object_new_boolean(1));
    add_if(o, "logprobs", left->logprobs, json_object_new_boolean(1));
    add_if(o, "limit_raised_from", left->limit_raised_from > 0,
           json_object_new_int64(left->limit_raised_from));
    add_if(o, "prompt", left->prompt != NULL,
           json_object_new_string(left->prompt != NULL ? left->prompt : ""));
    add_if(o, "n", left->n > 1, json_object_new_int64(left->n));
    return o;
}

static struct json_object *
error_of(const struct mg_err *err)
{
    struct json_object *o = json_object_new_object();
    json_object_object_add(o, "status", json_object_new_int(err->status));
    if (err->fields == 0) {
        json_object_object_add(o, "param", json_object_new_string(err->param));
        json_object_object_add(o, "message", json_object_new_string(err->message));
        if (err->details_json[0] != '\0')
            json_object_object_add(o, "details", mg_json_of(mg_span_z(err->details_json)));
        return o;
    }
    struct json_object *fields = json_object_new_array();
    for (size_t i = 0; i < err->fields; i++) {
        struct json_object *row = json_object_new_object();
        json_object_object_add(row, "loc", json_object_new_string(err->field[i].loc));
        json_object_object_add(row, "type", json_object_new_string(err->field[i].type));
        json_object_array_add(fields, row);
    }
    json_object_object_add(o, "detail", fields);
    return o;
}

static int
translate(struct mg_translate_in *in, struct mg_str *out, struct mg_translation **left,
          struct mg_err *err)
{
    int rc = mg_json_parse(in->body.p, in->body.n, &in->tree, err);
    return rc != 0 ? rc : mg_translate_request(in, out, left, err);
}

struct json_object *
golden_run(enum mg_family client, enum mg_family upstream, const char *body, size_t n,
           struct json_object *facts, char **raw)
{
    struct mg_err err = MG_ERR_INIT;
    struct mg_str out;
    struct mg_translation *left = NULL;
    struct mg_translate_in in = {
        .client = client, .upstream = upstream, .body = {body, n}, .key = golden_key,
        .owner = 1,
        .to = golden_destination(facts), .stream = mg_json_bool(facts, "stream", 0),
        .output_cap = mg_json_int(facts, "output_cap", 0),
    };
    struct json_object *result = json_object_new_object();
    mg_str_init(&out, (size_t)64 << 20);
    if (translate(&in, &out, &left, &err) == 0) {
        struct json_object *left_json = left_of(left);
        json_object_object_add(result, "body", mg_json_of(mg_str_span(&out)));
        add_if(result, "left", json_object_object_length(left_json) > 0, left_json);
    } else {
        json_object_object_add(result, "error", error_of(&err));
    }
    if (raw != NULL)
        *raw = mg_strndup(out.p, out.len);
    json_object_put(in.tree);
    mg_translation_free(&left);
    mg_str_free(&out);
    mg_err_free(&err);
    return result;
}
