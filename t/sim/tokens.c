#include "tokens.h"

#include "codec.h"

#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static bool listed(const char *const *names, size_t n, const char *key)
{
    size_t i;

    for (i = 0; i < n; i++) {
        if (strcmp(names[i], key) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_shape(const char *key)
{
    static const char *const names[] = {
        "type", "role", "id", "call_id", "tool_call_id", "tool_use_id", "status", "signature",
        "encrypted_content", "cache_control", "media_type", "detail", "phase", "filename",
    };

    return listed(names, sizeof names / sizeof names[0], key);
}

static bool is_media(const char *key)
{
    static const char *const names[] = {
        "data", "image_url", "url", "file_data", "file_url", "file_id",
    };

    return listed(names, sizeof names / sizeof names[0], key);
}

int64_t sim_tokens_words(const char *s, size_t n)
{
    int64_t words = 0;
    bool inside = false;
    size_t i;

    for (i = 0; i < n; i++) {
        bool space = is_space(s[i]);

        words += !space && !inside;
        inside = !space;
    }
    return words;
}

static int64_t count(struct json_object *v);

static int64_t count_member(const char *key, struct json_object *v)
{
    if (is_shape(key)) {
        return 0;
    }
    if (json_object_is_type(v, json_type_string) && is_media(key)) {
        return SIM_TOKENS_MEDIA;
    }
    return count(v);
}

static int64_t count(struct json_object *v)
{
    int64_t sum = 0;
    size_t i;

    switch (json_object_get_type(v)) {
    case json_type_string:
        return sim_tokens_words(json_object_get_string(v), (size_t)json_object_get_string_len(v));
    case json_type_array:
        for (i = 0; i < sim_js_len(v); i++) {
            sum += count(sim_js_at(v, i));
        }
        return sum;
    case json_type_object: {
        json_object_object_foreach(v, key, member) {
            sum += count_member(key, member);
        }
        return sum;
    }
    default:
        return 0;
    }
}

/* Numbers in a prompt array are tokens themselves. */
static int64_t count_numbers(struct json_object *v)
{
    int64_t sum = json_object_is_type(v, json_type_int) ? 1 : 0;
    size_t i;

    for (i = 0; i < sim_js_len(v); i++) {
        sum += count_numbers(sim_js_at(v, i));
    }
    return sum;
}

int64_t sim_tokens_input(struct json_object *body)
{
    static const char *const roots[] = {
        "system", "instructions", "messages", "input", "prompt", "tools",
    };
    int64_t sum = count_numbers(sim_js_get(body, "prompt"));
    size_t i;

    for (i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        sum += count(sim_js_get(body, roots[i]));
    }
    return sum > 0 ? sum : 1;
}

size_t sim_tokens_word(const char *s, size_t n)
{
    size_t i = 0;

    while (i < n && is_space(s[i])) {
        i++;
    }
    while (i < n && !is_space(s[i])) {
        i++;
    }
    /* Trailing white space belongs to the last word. */
    if (i < n) {
        size_t rest = i;

        while (rest < n && is_space(s[rest])) {
            rest++;
        }
        i = rest == n ? n : i;
    }
    return i;
}

size_t sim_tokens_arg(const char *s, size_t n, int64_t max)
{
    size_t cut;

    if (max <= 0) {
        return n;
    }
    cut = sim_utf8_cut(s, n, (size_t)max);
    return cut ? cut : n;
}
