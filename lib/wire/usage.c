#include "wire/usage.h"

#include "json/parse.h"

#include <stdlib.h>
#include <string.h>

#define ABSURD (1LL << 40) /* no exchange has a trillion tokens: such a figure is no figure */

int64_t
mg_usage_input_total(const struct mg_usage *u)
{
    return u->input + u->cache_read + u->cache_write_5m + u->cache_write_1h;
}

/* A figure of the object: 1 and *value, or 0 when it is missing, null or no sane count. Some
 * write it as a string. */
static int
figure(struct json_object *obj, const char *key, int64_t *value)
{
    const char *text = mg_json_text(obj, key);
    bool digits = text != NULL && *text != '\0' && text[strspn(text, "0123456789")] == '\0';
    int64_t n = digits && strlen(text) < 16 ? strtoll(text, NULL, 10) : mg_json_int(obj, key, -1);
    if (n < 0 || n > ABSURD)
        return 0;
    *value = n;
    return 1;
}

static int64_t
least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The names of the figures in the formats that count cached input inside their input. */
static const struct names {
    const char *input, *input_details, *output, *output_details;
} names[MG_FAMILIES] = {
    [MG_CHAT] = {"prompt_tokens", "prompt_tokens_details", "completion_tokens",
                 "completion_tokens_details"},
    [MG_COMPLETIONS] = {"prompt_tokens", "prompt_tokens_details", "completion_tokens",
                        "completion_tokens_details"},
    [MG_RESPONSES] = {"input_tokens", "input_tokens_details", "output_tokens",
                      "output_tokens_details"},
};

/* Reads how much of the output is reasoning. Some count it beside the output, not within it: all
 * three figures together are then the total. */
static void
read_reasoning(const struct names *n, struct json_object *obj, struct mg_usage *u)
{
    int64_t reasoning = 0, total = 0;
    (void)figure(mg_json_get(obj, n->output_details), "reasoning_tokens", &reasoning);
    (void)figure(obj, "total_tokens", &total);
    if (reasoning > 0 && total == mg_usage_input_total(u) + u->output + reasoning)
        u->output += reasoning;
    u->reasoning = least(reasoning, u->output);
}

/* Figures only grow in one answer: a 0 behind something else is an upstream that has lost count. */
static bool
read_inclusive(const struct names *n, struct json_object *obj, struct mg_usage *u)
{
    struct json_object *details = mg_json_get(obj, n->input_details);
    int64_t total, read = 0, write = 0;
    bool any = false;
    int64_t output;
    if (figure(obj, n->input, &total) && !(total == 0 && mg_usage_input_total(u) > 0)) {
        if (!figure(details, "cached_tokens", &read) && !figure(obj, "cached_tokens", &read))
            (void)figure(obj, "prompt_cache_hit_tokens", &read); /* spelled so by some */
        (void)figure(details, "cache_write_tokens", &write);
        u->cache_read = least(read, total);
        u->cache_write_5m = least(write, total - u->cache_read);
        u->cache_write_1h = 0;
        u->input = total - u->cache_read - u->cache_write_5m;
        u->has_input = any = true;
    }
    if (figure(obj, n->output, &output) && !(output == 0 && u->output > 0)) {
        u->output = output;
        read_reasoning(n, obj, u);
        u->has_output = any = true;
    }
    return any;
}

/* The end of a stream that has lost count of its input says 0 for what the beginning knew. */
static bool
is_lost(struct json_object *obj, const struct mg_usage *u)
{
    int64_t input = -1, read = 0, write = 0;
    (void)figure(obj, "input_tokens", &input);
    (void)figure(obj, "cache_read_input_tokens", &read);
    (void)figure(obj, "cache_creation_input_tokens", &write);
    return input == 0 && read + write == 0 && mg_usage_input_total(u) > 0;
}

static bool
read_messages_input(struct json_object *obj, struct mg_usage *u)
{
    struct json_object *creation = mg_json_get(obj, "cache_creation");
    int64_t write = 0, hour = 0;
    bool any = false;
    if (is_lost(obj, u))
        return false;
    if (figure(obj, "input_tokens", &u->input))
        u->has_input = any = true;
    if (figure(obj, "cache_read_input_tokens", &u->cache_read))
        any = true;
    if (figure(obj, "cache_creation_input_tokens", &write)) {
        (void)figure(creation, "ephemeral_1h_input_tokens", &hour);
        if (creation != NULL || write != u->cache_write_5m + u->cache_write_1h) {
            u->cache_write_1h = least(hour, write);
            u->cache_write_5m = write - u->cache_write_1h;
        }
        any = true;
    }
    return any;
}

static bool
read_messages(struct json_object *obj, struct mg_usage *u)
{
    bool any = read_messages_input(obj, u);
    if (figure(obj, "output_tokens", &u->output)) {
        (void)figure(mg_json_get(obj, "output_tokens_details"), "thinking_tokens",
                     &u->reasoning);
        u->reasoning = least(u->reasoning, u->output);
        u->has_output = any = true;
    }
    return any;
}

bool
mg_usage_read(enum mg_family family, struct mg_span json, struct mg_usage *usage)
{
    struct json_object *obj = mg_json_of(json);
    bool any = false;
    if (json_object_is_type(obj, json_type_object))
        any = family == MG_MESSAGES ? read_messages(obj, usage)
                                    : read_inclusive(&names[family], obj, usage);
    json_object_put(obj);
    return any;
}

static void
write_inclusive(const struct names *n, bool chat, struct mg_jw *w, const struct mg_usage *u)
{
    int64_t input = mg_usage_input_total(u);
    mg_jw_int(w, n->input, input);
    mg_jw_object(w, n->input_details);
    mg_jw_int(w, "cached_tokens", u->cache_read);
    mg_jw_int(w, "cache_write_tokens", u->cache_write_5m + u->cache_write_1h);
    mg_jw_end(w);
    mg_jw_int(w, n->output, u->output);
    mg_jw_object(w, n->output_details);
    mg_jw_int(w, "reasoning_tokens", u->reasoning);
    if (chat) {
        mg_jw_int(w, "accepted_prediction_tokens", 0);
        mg_jw_int(w, "rejected_prediction_tokens", 0);
    }
    mg_jw_end(w);
    mg_jw_int(w, "total_tokens", input + u->output);
}

static void
write_messages(struct mg_jw *w, const struct mg_usage *u)
{
    mg_jw_int(w, "input_tokens", u->input);
    mg_jw_int(w, "cache_creation_input_tokens", u->cache_write_5m + u->cache_write_1h);
    mg_jw_int(w, "cache_read_input_tokens", u->cache_read);
    mg_jw_object(w, "cache_creation");
    mg_jw_int(w, "ephemeral_5m_input_tokens", u->cache_write_5m);
    mg_jw_int(w, "ephemeral_1h_input_tokens", u->cache_write_1h);
    mg_jw_end(w);
    mg_jw_int(w, "output_tokens", u->output);
    mg_jw_object(w, "output_tokens_details");
    mg_jw_int(w, "thinking_tokens", u->reasoning);
    mg_jw_end(w);
    mg_jw_null(w, "server_tool_use");
    mg_jw_string(w, "service_tier", "standard");
    mg_jw_null(w, "inference_geo");
}

void
mg_usage_write(enum mg_family family, struct mg_jw *w, const char *key,
               const struct mg_usage *usage)
{
    mg_jw_object(w, key);
    if (family == MG_MESSAGES)
        write_messages(w, usage);
    else
        write_inclusive(&names[family], family != MG_RESPONSES, w, usage);
    mg_jw_end(w);
}
