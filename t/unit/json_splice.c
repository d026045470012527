/* The splicer: only what is named changes, whatever the object looks like. */
#include "json/splice.h"

#include "json/parse.h"
#include "json/scan.h"
#include "random_json.h"
#include "tap.h"

#include <json-c/linkhash.h>

/* A document as the name of a test: on one line. */
static const char *
name_of(const char *json)
{
    static char name[100];
    snprintf(name, sizeof(name), "%s", json);
    for (char *c = name; *c != '\0'; c++)
        if (*c == '\n' || *c == '#')
            *c = ' ';
    return name;
}

static void
becomes(const char *json, const struct mg_edit *edits, size_t count, const char *want)
{
    struct mg_str out;
    mg_str_init(&out, 4096);
    int rc = mg_splice(mg_span_z(json), edits, count, &out);
    if (want == NULL)
        is_int(rc, -1, name_of(json));
    else if (rc != 0)
        ok(false, "%s is spliced", name_of(json));
    else
        is_str(out.p, want, name_of(json));
    mg_str_free(&out);
}

#define SET(key, text) {key, {text, sizeof(text) - 1}}
#define REMOVE(key) {key, {"", 0}}

static void
test_replace(void)
{
    static const struct mg_edit model[] = {SET("model", "\"M\"")};
    becomes("{\"model\":\"x\"}", model, 1, "{\"model\":\"M\"}");
    becomes("{\"model\" :\t\"x\" , \"a\":1e5}", model, 1, "{\"model\" :\t\"M\" , \"a\":1e5}");
    becomes(" {\"a\": [ 1 ] ,\n \"model\": {\"model\":1} }\n", model, 1,
            " {\"a\": [ 1 ] ,\n \"model\": \"M\" }\n");
    becomes("{\"a\":{\"model\":\"x\"},\"b\":\"\\\"model\\\":1\"}", model, 1,
            "{\"a\":{\"model\":\"x\"},\"b\":\"\\\"model\\\":1\",\"model\":\"M\"}");
    becomes("{\"model\":1,\"model\":2}", model, 1, "{\"model\":\"M\",\"model\":\"M\"}");
    becomes("{\"model\":1,\"\\u006dodel\":2}", model, 1, "{\"model\":\"M\",\"\\u006dodel\":\"M\"}");
    becomes("{\"model\":1.00,\"n\":0.10,\"u\":\"\\u00e9\"}", model, 0,
            "{\"model\":1.00,\"n\":0.10,\"u\":\"\\u00e9\"}");
}

static void
test_add(void)
{
    static const struct mg_edit two[] = {SET("a", "1"), SET("b", "[2]")};
    becomes("{}", two, 2, "{\"a\":1,\"b\":[2]}");
    becomes("{ }", two, 2, "{ \"a\":1,\"b\":[2]}");
    becomes("{\"c\":3}", two, 2, "{\"c\":3,\"a\":1,\"b\":[2]}");
    becomes("{\"c\":3 \n}", two, 2, "{\"c\":3,\"a\":1,\"b\":[2] \n}");
    becomes("{\"b\":0,\"c\":3}", two, 2, "{\"b\":[2],\"c\":3,\"a\":1}");
    becomes("{\"b\":0,\"a\":0}", two, 2, "{\"b\":[2],\"a\":1}");
}

static void
test_remove(void)
{
    static const struct mg_edit a[] = {REMOVE("a")};
    static const struct mg_edit all[] = {REMOVE("a"), REMOVE("b"), REMOVE("c")};
    static const struct mg_edit swap[] = {REMOVE("a"), SET("z", "1")};
    static const struct mg_edit first[] = {REMOVE("a"), SET("b", "9")};
    becomes("{\"a\":1}", a, 1, "{}");
    becomes("{}", a, 1, "{}");
    becomes("{\"b\":1}", a, 1, "{\"b\":1}");
    becomes("{\"a\":1,\"b\":2}", a, 1, "{\"b\":2}");
    becomes("{\"b\":2,\"a\":1}", a, 1, "{\"b\":2}");
    becomes("{\"b\":2 , \"a\":1 , \"c\":3}", a, 1, "{\"b\":2 , \"c\":3}");
    becomes("  { \"a\" : 1 , \"b\" : 2 } ", a, 1, "  {\"b\" : 2 } ");
    becomes("{\"a\":1,\"a\":2,\"b\":3,\"a\":4}", a, 1, "{\"b\":3}");
    becomes("{\"a\":1,\"b\":2,\"c\":3}", all, 3, "{}");
    becomes("{\"a\":1,\"b\":2,\"d\":0,\"c\":3}", all, 3, "{\"d\":0}");
    becomes("{\"a\":1}", swap, 2, "{\"z\":1}");
    becomes("{\"a\":1,\"y\":2}", swap, 2, "{\"y\":2,\"z\":1}");
    becomes("{\"y\":2,\"a\":1}", swap, 2, "{\"y\":2,\"z\":1}");
    becomes("{\"a\":1,\"b\":2}", first, 2, "{\"b\":9}");
    becomes("{\"b\":2,\"a\":1}", first, 2, "{\"b\":9}");
}

static void
test_refused(void)
{
    static const struct mg_edit a[] = {SET("a", "1")};
    struct mg_str small;
    becomes("", a, 1, NULL);
    becomes("[]", a, 1, NULL);
    becomes("null", a, 1, NULL);
    becomes("{\"b\":1", a, 1, NULL);
    becomes("{\"b\":1,}", a, 1, NULL);
    becomes("{\"b\"", a, 1, NULL);
    becomes("{", a, 1, NULL);
    mg_str_init(&small, 5);
    is_int(mg_splice(mg_span_z("{\"b\":1}"), a, 1, &small), -1, "what does not fit is refused");
    mg_str_free(&small);
}

static void
test_span(void)
{
    static const char json[] = "{\"response\":{\"model\":\"up\"},\"x\":1}";
    static const char *const path[] = {"response", "model", NULL};
    struct mg_span value = {"", 0};
    struct mg_str out;
    mg_str_init(&out, 100);
    is_int(mg_scan_path(mg_span_z(json), path, &value), 1, "a value deep inside");
    mg_splice_span(mg_span_z(json), value, mg_span_z("\"mine\""), &out);
    is_str(out.p, "{\"response\":{\"model\":\"mine\"},\"x\":1}", "is replaced in its place");
    mg_str_free(&out);
}

/* What the edits should make of the tree. */
static void
edit_tree(struct json_object *tree, const struct mg_edit *edits, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (edits[i].value.n == 0)
            json_object_object_del(tree, edits[i].key);
        else
            json_object_object_add(tree, edits[i].key, mg_json_of(edits[i].value));
    }
}

static void
test_random(void)
{
    static const char *const keys[] = {"a", "model", "b", "stream", "new", "x\"y"};
    static const char *const values[] = {"", "1", "\"v\"", "{\"q\":[1,{}]}", "[]", "true"};
    struct mg_str doc, out;
    int wrong = 0, documents = 0;
    mg_str_init(&doc, 1 << 20);
    mg_str_init(&out, 1 << 20);
    for (int i = 0; i < 20000; i++) {
        struct mg_edit edits[3];
        size_t count = random_below(4), used = random_below(6);
        for (size_t k = 0; k < count; k++, used++)
            edits[k] = (struct mg_edit){keys[used % 5], mg_span_z(values[random_below(6)])};
        struct mg_err err = MG_ERR_INIT;
        struct json_object *before, *after;
        mg_str_reset(&doc);
        mg_str_reset(&out);
        random_space(&doc);
        random_object(&doc, 4);
        if (mg_json_parse(doc.p, doc.len, &before, &err) != 0)
            break;
        documents++;
        edit_tree(before, edits, count);
        if (mg_splice(mg_str_span(&doc), edits, count, &out) != 0 ||
            mg_json_parse(out.p, out.len, &after, &err) != 0) {
            wrong++;
            printf("# %s\n# -> %s\n", doc.p, out.p);
        } else {
            wrong += !json_object_equal(before, after);
            json_object_put(after);
        }
        json_object_put(before);
        mg_err_free(&err);
    }
    is_int(documents, 20000, "twenty thousand random documents with random edits");
    is_int(wrong, 0, "become what the same edits make of their trees");
    mg_str_free(&doc);
    mg_str_free(&out);
}

int
main(void)
{
    plan(0);
    test_replace();
    test_add();
    test_remove();
    test_refused();
    test_span();
    test_random();
    return done();
}
