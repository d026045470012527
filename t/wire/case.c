#include "wire/case.h"

#include "base/pool.h"
#include "json/parse.h"
#include "wire/errors.h"
#include "wire/translate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
case_slurp(const char *path, struct mg_str *out)
{
    char bytes[65536];
    FILE *f = fopen(path, "rb");
    size_t n;
    if (f == NULL) {
        perror(path);
        abort();
    }
    mg_str_init(out, CASE_MAX);
    while ((n = fread(bytes, 1, sizeof(bytes), f)) > 0)
        mg_str_add(out, bytes, n);
    fclose(f);
}

void
case_stream(enum mg_family family, const char *path, struct mg_str *out)
{
    struct mg_str text;
    case_slurp(path, &text);
    struct json_object *events = mg_json_of(mg_str_span(&text));
    mg_str_init(out, CASE_MAX);
    for (size_t i = 0; i < json_object_array_length(events); i++) {
        struct json_object *event = json_object_array_get_idx(events, i);
        if (family != MG_CHAT)
            mg_str_addf(out, "event: %s\n", mg_json_text(event, "type"));
        mg_str_addf(out, "data: %s\n\n",
                    json_object_to_json_string_ext(event, JSON_C_TO_STRING_PLAIN
                                                              | JSON_C_TO_STRING_NOSLASHESCAPE));
    }
    if (family == MG_CHAT)
        mg_str_addz(out, "data: [DONE]\n\n");
    json_object_put(events);
    mg_str_free(&text);
}

static const char *
pooled(struct mg_pool *pool, const char *text)
{
    return text ? mg_pool_strdup(pool, text) : NULL;
}

static void
read_tools(struct mg_translation *left, struct json_object *list)
{
    size_t count = list ? json_object_array_length(list) : 0;
    struct mg_translated_tool *tools =
        mg_pool_alloc(left->pool, sizeof(*tools) * (count + 1));
    for (size_t i = 0; i < count; i++) {
        struct json_object *tool = json_object_array_get_idx(list, i);
        tools[i].upstream = pooled(left->pool, mg_json_text(tool, "upstream"));
        tools[i].client = pooled(left->pool, mg_json_text(tool, "client"));
        tools[i].space = pooled(left->pool, mg_json_text(tool, "space"));
        tools[i].custom = mg_json_bool(tool, "custom", 0);
        tools[i].wrapped = mg_json_bool(tool, "wrapped", 0);
    }
    left->tools = tools;
    left->tool_count = count;
}

static void
read_stops(struct mg_translation *left, struct json_object *list)
{
    size_t count = list ? json_object_array_length(list) : 0;
    const char **stops = mg_pool_alloc(left->pool, sizeof(*stops) * (count + 1));
    for (size_t i = 0; i < count; i++)
        stops[i] = pooled(left->pool,
                          json_object_get_string(json_object_array_get_idx(list, i)));
    left->stops = stops;
}

static struct mg_translation *
read_translation(enum mg_family client, enum mg_family upstream, struct json_object *options)
{
    struct mg_translation *left = mg_translation_new(client, upstream);
    struct json_object *echo = mg_json_get(options, "echo");
    memset(left->key, 7, sizeof(left->key));
    left->origin = "";
    read_tools(left, mg_json_get(options, "tools"));
    read_stops(left, mg_json_get(options, "stops"));
    left->json_tool = pooled(left->pool, mg_json_text(options, "json_tool"));
    left->json = left->json_tool ? MG_JSON_TOOL : MG_JSON_FREE;
    left->compaction = mg_json_bool(options, "compaction", 0);
    left->show_reasoning = mg_json_bool(options, "show_reasoning", 1);
    left->logprobs = mg_json_bool(options, "logprobs", 0);
    left->limit_raised_from = mg_json_int(options, "limit_raised_from", 0);
    left->prompt = pooled(left->pool, mg_json_text(options, "prompt"));
    if (echo != NULL)
        left->echo = mg_span_z(pooled(left->pool, json_object_to_json_string_ext(
                                                      echo, JSON_C_TO_STRING_PLAIN)));
    return left;
}

struct mg_relay *
case_relay(enum mg_family client, enum mg_family upstream, bool stream,
           struct json_object *options)
{
    struct mg_relay_setup setup = {.client = client, .upstream = upstream, .stream = stream,
                                   .model = "power-ai", .request_id = "req_0123",
                                   .now_s = 1790000000, .input_estimate = 11};
    setup.show_usage = mg_json_bool(options, "show_usage", 1);
    for (unsigned i = 0; i < sizeof(setup.id); i++)
        setup.id[i] = (uint8_t)(0xa0 + i);
    if (client != upstream)
        setup.translation = read_translation(client, upstream, options);
    return mg_relay_new(&setup);
}

static void
look(struct mg_relay *relay, struct outcome *o)
{
    o->usage = *mg_relay_usage(relay);
    o->complete = mg_relay_complete(relay);
    o->failed = mg_relay_failed(relay);
}

void
case_run(struct mg_relay *relay, struct mg_span stream, size_t cut, struct outcome *o)
{
    int rc = 0;
    *o = (struct outcome){0};
    mg_str_init(&o->out, CASE_MAX);
    for (size_t at = 0; rc == 0 && at < stream.n;) {
        size_t n = cut == 0 || cut > stream.n - at ? stream.n - at : cut;
        rc = mg_relay_feed(relay, stream.p + at, n, &o->out);
        at += n;
    }
    if (rc == 0)
        rc = mg_relay_eof(relay, &o->out);
    if (rc != 0) {
        struct mg_err err = MG_ERR_INIT;
        mg_err_set(&err, 502, "upstream_cut", "The upstream broke off its answer.");
        mg_relay_fail(relay, &err, &o->out);
        mg_err_free(&err);
        o->cut = true;
    }
    look(relay, o);
}

void
case_body(struct mg_relay *relay, enum mg_family client, struct mg_span body,
          struct outcome *o)
{
    struct mg_err err = MG_ERR_INIT;
    *o = (struct outcome){0};
    mg_str_init(&o->out, CASE_MAX);
    if (mg_relay_body(relay, body, &o->out, &err) != 0) {
        mg_str_reset(&o->out);
        mg_errors_body(&err, mg_family_messages_errors(client), "req_0123", &o->out);
        o->cut = true;
    }
    look(relay, o);
    mg_err_free(&err);
}

void
outcome_free(struct outcome *o)
{
    mg_str_free(&o->out);
}
