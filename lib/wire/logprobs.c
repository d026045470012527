#include "wire/logprobs.h"

#include "json/parse.h"

#include <string.h>

static void
write_bytes(struct mg_jw *w, struct json_object *bytes, struct json_object *token)
{
    if (json_object_is_type(bytes, json_type_array)) {
        mg_jw_raw(w, "bytes",
                  mg_span_z(json_object_to_json_string_ext(bytes, JSON_C_TO_STRING_PLAIN)));
        return;
    }
    const char *text = json_object_get_string(token);
    mg_jw_array(w, "bytes");
    for (int i = 0; i < json_object_get_string_len(token); i++)
        mg_jw_int(w, NULL, (unsigned char)text[i]);
    mg_jw_end(w);
}

/* The two members that an entry cannot be without. */
static bool
is_entry(struct json_object *entry)
{
    struct json_object *p = mg_json_get(entry, "logprob");
    return json_object_is_type(mg_json_get(entry, "token"), json_type_string)
           && (json_object_is_type(p, json_type_double) || json_object_is_type(p, json_type_int));
}

static struct mg_span
number(struct json_object *entry)
{
    return mg_span_z(json_object_to_json_string_ext(mg_json_get(entry, "logprob"),
                                                    JSON_C_TO_STRING_PLAIN));
}

static void
write_entry(struct mg_jw *w, struct json_object *entry, bool top)
{
    struct json_object *token = mg_json_get(entry, "token");
    struct json_object *others = mg_json_get(entry, "top_logprobs");
    if (!is_entry(entry))
        return;
    mg_jw_object(w, NULL);
    mg_jw_bytes(w, "token", json_object_get_string(token),
                (size_t)json_object_get_string_len(token));
    mg_jw_raw(w, "logprob", number(entry));
    write_bytes(w, mg_json_get(entry, "bytes"), token);
    if (top) {
        mg_jw_array(w, "top_logprobs");
        for (size_t i = 0; json_object_is_type(others, json_type_array)
                           && i < json_object_array_length(others); i++)
            write_entry(w, json_object_array_get_idx(others, i), false);
        mg_jw_end(w);
    }
    mg_jw_end(w);
}

void
mg_logprobs_write(struct mg_jw *w, struct mg_span json)
{
    struct json_object *list = mg_json_of(json);
    for (size_t i = 0; json_object_is_type(list, json_type_array)
                       && i < json_object_array_length(list); i++)
        write_entry(w, json_object_array_get_idx(list, i), true);
    json_object_put(list);
}

void
mg_logprobs_append(struct mg_str *list, struct mg_span json)
{
    struct mg_str entries;
    struct mg_jw w;
    mg_str_init(&entries, list->max);
    mg_jw_init(&w, &entries);
    mg_jw_array(&w, NULL);
    mg_logprobs_write(&w, json);
    if (entries.len > 1) { /* more than the bracket */
        if (list->len > 0)
            mg_str_addc(list, ',');
        mg_str_add(list, entries.p + 1, entries.len - 1);
    }
    mg_str_free(&entries);
}

/* An object of the best tokens of one place and their values. */
static void
write_best(struct mg_jw *w, struct json_object *entry)
{
    struct json_object *list = mg_json_get(entry, "top_logprobs");
    mg_jw_object(w, NULL);
    for (size_t i = 0; json_object_is_type(list, json_type_array)
                       && i < json_object_array_length(list); i++) {
        struct json_object *one = json_object_array_get_idx(list, i);
        if (is_entry(one))
            mg_jw_raw(w, mg_json_text(one, "token"), number(one));
    }
    mg_jw_end(w);
}

static int64_t
characters(const char *text)
{
    int64_t n = 0;
    for (; *text != '\0'; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* One of the parallel lists. */
static void
write_list(struct mg_jw *w, const char *key, struct json_object *entries, int64_t offset)
{
    mg_jw_array(w, key);
    for (size_t i = 0; i < json_object_array_length(entries); i++) {
        struct json_object *entry = json_object_array_get_idx(entries, i);
        if (!is_entry(entry))
            continue;
        const char *token = mg_json_text(entry, "token");
        if (strcmp(key, "tokens") == 0)
            mg_jw_string(w, NULL, token);
        else if (strcmp(key, "token_logprobs") == 0)
            mg_jw_raw(w, NULL, number(entry));
        else if (strcmp(key, "top_logprobs") == 0)
            write_best(w, entry);
        else
            mg_jw_int(w, NULL, offset);
        offset += characters(token);
    }
    mg_jw_end(w);
}

void
mg_logprobs_legacy(struct mg_jw *w, const char *key, struct mg_span json, int64_t *offset)
{
    struct json_object *entries = mg_json_of(json);
    if (!json_object_is_type(entries, json_type_array)) {
        mg_jw_null(w, key);
        json_object_put(entries);
        return;
    }
    mg_jw_object(w, key);
    write_list(w, "tokens", entries, *offset);
    write_list(w, "token_logprobs", entries, *offset);
    write_list(w, "top_logprobs", entries, *offset);
    write_list(w, "text_offset", entries, *offset);
    mg_jw_end(w);
    for (size_t i = 0; i < json_object_array_length(entries); i++) {
        const char *token = mg_json_text(json_object_array_get_idx(entries, i), "token");
        *offset += token != NULL ? characters(token) : 0;
    }
    json_object_put(entries);
}
