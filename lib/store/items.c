#include "store/items.h"

#include "base/alloc.h"
#include "json/scan.h"
#include "json/splice.h"
#include "json/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID_SIZE 160
#define OBJECT_MAX ((size_t)64 << 20)

static bool
is_string(struct mg_span value)
{
    return value.n >= 2 && value.p[0] == '"';
}

/* Text of a string member, "" without it. */
static const char *
word(struct mg_span item, const char *member, char *buf, size_t size)
{
    struct mg_span raw;
    struct mg_str text;
    buf[0] = '\0';
    if (mg_scan_member(item, member, &raw) != 1 || !is_string(raw))
        return buf;
    mg_str_init(&text, size - 1);
    if (mg_scan_string(raw, &text) && mg_str_ok(&text))
        snprintf(buf, size, "%s", text.p);
    mg_str_free(&text);
    return buf;
}

static const char *
prefix(const char *type)
{
    static const char *const prefixes[][2] = {
        {"function_call", "fc"}, {"function_call_output", "fc"}, {"custom_tool_call", "ctc"},
        {"custom_tool_call_output", "ctco"}, {"reasoning", "rs"}, {"compaction", "cmp"},
        {"message", "msg"}, {"", "msg"},
    };
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (strcmp(type, prefixes[i][0]) == 0)
            return prefixes[i][1];
    }
    return "item";
}

/* The item's own id, or the one that is made for its place. */
static void
item_id(struct mg_span item, const uint8_t *request_id, size_t place, char id[ID_SIZE])
{
    char hex[MG_ID_HEX], type[64];
    if (*word(item, "id", id, ID_SIZE) != '\0')
        return;
    snprintf(id, ID_SIZE, "%s_%si%zu", prefix(word(item, "type", type, sizeof(type))),
             mg_hex(request_id, MG_ID_BYTES, hex), place);
}

bool
mg_items_id_parse(const char *id, uint8_t request_id[MG_ID_BYTES], size_t *place)
{
    const char *at = strchr(id, '_');
    if (at == NULL || strlen(at) < 35 || at[33] != 'i' || at[34] < '0' || at[34] > '9' ||
        mg_unhex(at + 1, 32, request_id, MG_ID_BYTES) != 0)
        return false;
    char *end;
    unsigned long n = strtoul(at + 34, &end, 10);
    *place = (size_t)n;
    return *end == '\0' && n < 1u << 24;
}

/* A text as the message it is short for. */
static void
write_message(struct mg_span text, struct mg_str *out)
{
    mg_str_addz(out, "{\"type\":\"message\",\"role\":\"user\",\"content\":"
                     "[{\"type\":\"input_text\",\"text\":");
    mg_str_addspan(out, text);
    mg_str_addz(out, "}]}");
}

bool
mg_items_at(struct mg_span input, size_t place, struct mg_str *out)
{
    struct mg_span item;
    size_t at = 0, n = 0;
    if (is_string(input)) {
        if (place == 0)
            write_message(input, out);
        return place == 0;
    }
    for (; mg_scan_element(input, &at, &item) == 1; n++) {
        if (n == place) {
            mg_str_addspan(out, item);
            return true;
        }
    }
    return false;
}

/* A content that is a text becomes the list of one part that it is short for. */
static size_t
content_edit(struct mg_span item, struct mg_str *content, struct mg_edit *edit)
{
    struct mg_span value;
    struct mg_jw w;
    char role[32];
    if (mg_scan_member(item, "content", &value) != 1 || !is_string(value))
        return 0;
    bool said = strcmp(word(item, "role", role, sizeof(role)), "assistant") == 0;
    mg_jw_init(&w, content);
    mg_jw_array(&w, NULL);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "type", said ? "output_text" : "input_text");
    mg_jw_raw(&w, "text", value);
    for (int i = 0; said && i < 2; i++) {
        mg_jw_array(&w, i == 0 ? "annotations" : "logprobs");
        mg_jw_end(&w);
    }
    mg_jw_end(&w);
    mg_jw_end(&w);
    *edit = (struct mg_edit){"content", mg_str_span(content)};
    return 1;
}

/* The item as it is shown: with its type, its id, and its content as parts. */
static void
write_item(struct mg_span item, const char *id, struct mg_str *out)
{
    struct mg_edit edits[4];
    struct mg_str content, quoted;
    struct mg_span there;
    size_t n = 0;
    char type[64];
    mg_str_init(&content, OBJECT_MAX);
    mg_str_init(&quoted, 1024);
    mg_json_quote(&quoted, id, strlen(id));
    edits[n++] = (struct mg_edit){"id", mg_str_span(&quoted)};
    word(item, "type", type, sizeof(type));
    if (*type == '\0')
        edits[n++] = (struct mg_edit){"type", mg_span_z("\"message\"")};
    if ((*type == '\0' || strcmp(type, "message") == 0 ||
         strncmp(type, "function_call", 13) == 0) && mg_scan_member(item, "status", &there) != 1)
        edits[n++] = (struct mg_edit){"status", mg_span_z("\"completed\"")};
    n += content_edit(item, &content, &edits[n]);
    if (mg_splice(item, edits, n, out) != 0)
        mg_str_addz(out, "{}");
    mg_str_free(&content);
    mg_str_free(&quoted);
}

/* Where the items of an input are; for a text, `made` holds the one message. */
static size_t
find_items(struct mg_span input, struct mg_str *made, struct mg_span **items)
{
    struct mg_span item;
    size_t at = 0, count = 0;
    *items = NULL;
    if (is_string(input)) {
        write_message(input, made);
        *items = mg_malloc(sizeof(**items));
        (*items)[0] = mg_str_span(made);
        return 1;
    }
    while (mg_scan_element(input, &at, &item) == 1) {
        if ((count & (count - 1)) == 0)
            *items = mg_realloc(*items, (count ? count * 2 : 1) * sizeof(item));
        (*items)[count++] = item;
    }
    return count;
}

static void
write_list(const struct mg_span *items, size_t count, size_t from,
           const struct mg_items_page *page, struct mg_str *out)
{
    char id[ID_SIZE] = "", first[ID_SIZE] = "";
    size_t shown = count - from < page->limit ? count - from : page->limit;
    struct mg_str one;
    struct mg_jw w;
    mg_str_init(&one, out->max);
    mg_jw_init(&w, out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "list");
    mg_jw_array(&w, "data");
    for (size_t i = 0; i < shown; i++) {
        size_t place = page->descending ? count - 1 - from - i : from + i;
        item_id(items[place], page->request_id, place, id);
        if (i == 0)
            memcpy(first, id, sizeof(first));
        mg_str_reset(&one);
        write_item(items[place], id, &one);
        mg_jw_raw(&w, NULL, mg_str_span(&one));
    }
    mg_jw_end(&w);
    mg_jw_string(&w, "first_id", shown > 0 ? first : NULL);
    mg_jw_string(&w, "last_id", shown > 0 ? id : NULL);
    mg_jw_bool(&w, "has_more", from + shown < count);
    mg_jw_end(&w);
    mg_str_free(&one);
}

int
mg_items_list(struct mg_span input, const struct mg_items_page *page, struct mg_str *out)
{
    struct mg_str made;
    struct mg_span *items;
    char id[ID_SIZE];
    mg_str_init(&made, OBJECT_MAX);
    size_t count = find_items(input, &made, &items), from = 0;
    bool found = page->after == NULL;
    for (size_t i = 0; !found && i < count; i++) {
        size_t place = page->descending ? count - 1 - i : i;
        item_id(items[place], page->request_id, place, id);
        found = strcmp(id, page->after) == 0;
        from = i + 1;
    }
    if (found)
        write_list(items, count, from, page, out);
    free(items);
    mg_str_free(&made);
    return found ? 0 : -1;
}
