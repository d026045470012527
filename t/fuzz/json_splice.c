/* Fuzzing of the scanner and the splicer.
 *
 * On JSON objects the result of edits must be the same as json-c makes of its tree, and the
 * scanner must see the members that json-c sees; on other bytes nothing may break. */
#include "json/splice.h"

#include "json/parse.h"
#include "json/scan.h"

#include <json-c/linkhash.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool good)
{
    if (!good)
        abort();
}

static const char *const keys[] = {"model", "stream", "a", ""};
static const char *const values[] = {"", "\"M\"", "{\"include_usage\":true}", "null"};

/* Two edits, chosen by the first byte. */
static void
choose(uint8_t byte, struct mg_edit edits[2])
{
    edits[0] = (struct mg_edit){keys[byte & 3], mg_span_z(values[byte >> 2 & 3])};
    edits[1] = (struct mg_edit){keys[(byte + 1) & 3], mg_span_z(values[byte >> 4 & 3])};
}

static void
edit_tree(struct json_object *tree, const struct mg_edit edits[2])
{
    for (int i = 0; i < 2; i++) {
        if (edits[i].value.n == 0)
            json_object_object_del(tree, edits[i].key);
        else
            json_object_object_add(tree, edits[i].key, mg_json_of(edits[i].value));
    }
}

static void
compare_members(struct mg_span json, struct json_object *tree)
{
    json_object_object_foreach(tree, key, value)
    {
        struct mg_span span;
        must(mg_scan_member(json, key, &span) == 1);
        struct json_object *other = mg_json_of(span);
        must(json_object_equal(value, other));
        json_object_put(other);
    }
}

static void
walk(struct mg_span json)
{
    static const char *const path[] = {"response", "model", NULL};
    struct mg_member member;
    struct mg_span value;
    struct mg_str text;
    size_t at = 0;
    mg_str_init(&text, json.n + 1);
    while (mg_scan_next(json, &at, &member) == 1) {
        mg_str_reset(&text);
        (void)mg_scan_string(member.value, &text);
        (void)mg_scan_key_is(member.key, "model");
    }
    for (at = 0; mg_scan_element(json, &at, &value) == 1;)
        continue;
    (void)mg_scan_path(json, path, &value);
    mg_str_free(&text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct mg_span json = {(const char *)data + 1, size - 1};
    struct mg_err err = MG_ERR_INIT;
    struct json_object *before, *after;
    struct mg_edit edits[2];
    struct mg_str out;
    choose(data[0], edits);
    mg_str_init(&out, 4 * size + 200);
    int rc = mg_splice(json, edits, 2, &out);
    walk(json);
    if (mg_json_parse(json.p, json.n, &before, &err) == 0 &&
        json_object_is_type(before, json_type_object)) {
        must(rc == 0);
        compare_members(json, before);
        edit_tree(before, edits);
        must(mg_json_parse(out.p, out.len, &after, &err) == 0);
        must(json_object_equal(before, after));
        json_object_put(after);
    }
    json_object_put(before);
    mg_err_free(&err);
    mg_str_free(&out);
    return 0;
}
