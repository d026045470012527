/* The scanner: the same members as json-c sees, on good documents; no crash on any bytes. */
#include "json/scan.h"

#include "json/parse.h"
#include "random_json.h"
#include "tap.h"

#include <json-c/linkhash.h>

static int
member(const char *json, const char *key, struct mg_span *value)
{
    return mg_scan_member(mg_span_z(json), key, value);
}

static void
value_is(const char *json, const char *key, const char *want)
{
    struct mg_span value = {"", 0};
    int found = member(json, key, &value);
    if (want == NULL)
        ok(found == 0, "'%s' is not in %s", key, json);
    else
        ok(found == 1 && mg_span_is(value, want), "'%s' in %s is %s", key, json, want);
}

static void
test_member(void)
{
    value_is("{}", "a", NULL);
    value_is("{ }", "a", NULL);
    value_is("{\"a\":1}", "a", "1");
    value_is("  { \"a\" : 1 } ", "a", "1");
    value_is("{\"a\":1,\"b\":[1,{\"a\":2}],\"c\":\"x\"}", "b", "[1,{\"a\":2}]");
    value_is("{\"a\":1,\"b\":[1,{\"a\":2}],\"c\":\"x\"}", "c", "\"x\"");
    value_is("{\"b\":{\"a\":2}}", "a", NULL);
    value_is("{\"b\":\"\\\"a\\\":1\",\"a\":2}", "a", "2");
    value_is("{\"b\":\"}{][\",\"a\":-1.5e3}", "a", "-1.5e3");
    value_is("{\"b\":\"\\\\\",\"a\":true}", "a", "true");
    value_is("{\"b\":\"\\\\\\\"\",\"a\":null}", "a", "null");
    value_is("{\"a\":1,\"a\":2}", "a", "2");
    value_is("{\"\":7}", "", "7");
    value_is("{\"ab\":1}", "a", NULL);
    value_is("{\"model\":1,\"\\u006dodel\":2}", "model", "2");
    value_is("{\"mo\\u0064el\":2}", "model", "2");
    value_is("{\"model\\u0000\":2}", "model", NULL);
    value_is("{\"a\\\\\":2}", "a\\", "2");
    value_is("{\"model\\ux\":2}", "model", NULL);
}

static void
test_broken(void)
{
    static const char *const broken[] = {
        "", " ", "[]", "1", "\"a\"", "{", "{\"", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":1", "{a:1}",
        "{\"a\":1,", "{\"a\":1,}", "{,}", "{\"a\":}", "{\"a\" 1}", "{\"a\":[}", "{\"a\":\"x}",
        "{\"a\":{\"b\":1}", "{\"a\":1 \"b\":2}", "{'a':1}", "{\"a\":\"\\\"}", "}", "{]",
    };
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        struct mg_span value;
        is_int(member(broken[i], "zz", &value), -1, broken[i]);
    }
}

static void
test_path(void)
{
    static const char *const path[] = {"response", "model", NULL};
    static const char *const none[] = {NULL};
    struct mg_span value;
    is_int(mg_scan_path(mg_span_z(" \n{\"response\": {\"model\":\"m\"}}"), path, &value), 1,
           "a path is followed, also behind white space");
    ok(mg_span_is(value, "\"m\""), "to its value");
    is_int(mg_scan_path(mg_span_z("{\"response\":[]}"), path, &value), 0,
           "an array has no members");
    is_int(mg_scan_path(mg_span_z("{\"response\":null}"), path, &value), 0, "nor has null");
    is_int(mg_scan_path(mg_span_z("{\"response\":{}}"), path, &value), 0, "nor an empty object");
    is_int(mg_scan_path(mg_span_z("{\"response\":{\"model\"}}"), path, &value), -1,
           "something broken on the way is broken");
    is_int(mg_scan_path(mg_span_z("[]"), none, &value), 1, "no path is the document itself");
    is_int(mg_scan_path(mg_span_z(""), path, &value), 0, "nothing has no members");
}

static void
test_elements(void)
{
    struct mg_span value;
    size_t at = 0;
    struct mg_span json = mg_span_z(" [ 1 ,\"a,b\", [2,[3]],{} , null ]");
    static const char *const want[] = {"1", "\"a,b\"", "[2,[3]]", "{}", "null"};
    for (size_t i = 0; i < 5; i++)
        ok(mg_scan_element(json, &at, &value) == 1 && mg_span_is(value, want[i]), "element %s",
           want[i]);
    is_int(mg_scan_element(json, &at, &value), 0, "then the end");
    is_int(mg_scan_element(json, &at, &value), 0, "which stays the end");
    static const char *const broken[] = {"", "{}", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[\"a]"};
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        int more;
        at = 0;
        while ((more = mg_scan_element(mg_span_z(broken[i]), &at, &value)) == 1)
            continue;
        is_int(more, -1, broken[i]);
    }
    at = 0;
    is_int(mg_scan_element(mg_span_z("[]"), &at, &value), 0, "an empty array has no element");
    is_int(mg_scan_element(mg_span_z("[]"), &at, &value), 0, "however often one asks");
}

static void
text_is(const char *json, const char *want, size_t n)
{
    struct mg_str out;
    mg_str_init(&out, 100);
    bool good = mg_scan_string(mg_span_z(json), &out);
    if (want == NULL)
        ok(!good, "%s is no string", json);
    else
        ok(good && out.len == n && memcmp(out.p, want, n) == 0, "%s is decoded", json);
    mg_str_free(&out);
}

static void
test_string(void)
{
    text_is("\"\"", "", 0);
    text_is("\"abc\"", "abc", 3);
    text_is("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8);
    text_is("\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac", 6);
    text_is("\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80", 4);
    text_is("\"\\ud83dx\"", "\xef\xbf\xbdx", 4);
    text_is("\"\\ude00\"", "\xef\xbf\xbd", 3);
    text_is("\"\\ud83d\\ud83d\\ude00\"", "\xef\xbf\xbd\xf0\x9f\x98\x80", 7);
    text_is("\"\\ud83d\\u0041\"", "\xef\xbf\xbd" "A", 4);
    text_is("\"\\u0000\"", "\0", 1);
    text_is("\"", NULL, 0);
    text_is("", NULL, 0);
    text_is("abc", NULL, 0);
    text_is("\"abc", NULL, 0);
    text_is("\"\\\"", NULL, 0);
    text_is("\"\\x\"", NULL, 0);
    text_is("\"\\u12\"", NULL, 0);
    text_is("\"\\u12g4\"", NULL, 0);
    text_is("\"\\ud83d\\u12\"", NULL, 0);
    struct mg_str small;
    mg_str_init(&small, 2);
    ok(!mg_scan_string(mg_span_z("\"abc\""), &small), "a string that does not fit is refused");
    mg_str_free(&small);
}

/* Every member that json-c has is found by the scanner with the same value. */
static bool
same_as_tree(struct mg_span json, struct json_object *tree)
{
    size_t count = 0;
    json_object_object_foreach(tree, key, value)
    {
        struct mg_span span;
        if (mg_scan_member(json, key, &span) != 1)
            return false;
        struct json_object *other = mg_json_of(span);
        bool same = json_object_equal(value, other) && (other != NULL || mg_span_is(span, "null"));
        json_object_put(other);
        if (!same)
            return false;
        count++;
    }
    return count == (size_t)json_object_object_length(tree);
}

static void
test_random(void)
{
    struct mg_str doc;
    struct mg_err err = MG_ERR_INIT;
    int differ = 0, documents = 0, survived = 0;
    mg_str_init(&doc, 1 << 20);
    for (int i = 0; i < 20000; i++) {
        struct json_object *tree;
        struct mg_span value;
        mg_str_reset(&doc);
        random_space(&doc);
        random_object(&doc, 5);
        if (mg_json_parse(doc.p, doc.len, &tree, &err) != 0)
            break;
        documents++;
        differ += !same_as_tree(mg_str_span(&doc), tree);
        json_object_put(tree);
        /* The same bytes spoilt: cut, or one byte changed. Exact allocation, so that a read
         * behind the end is seen. */
        size_t n = doc.len > 0 ? random_below((unsigned)doc.len) : 0;
        char *spoilt = malloc(n + 1);
        memcpy(spoilt, doc.p, n + 1);
        if (n > 0 && random_below(2))
            spoilt[random_below((unsigned)n)] = "{}[]\",:\\ x\0"[random_below(11)];
        survived += mg_scan_member((struct mg_span){spoilt, n}, "model", &value) <= 1;
        free(spoilt);
    }
    is_int(documents, 20000, "twenty thousand random documents");
    is_int(differ, 0, "in all of them the scanner sees what json-c sees");
    is_int(survived, 20000, "and it survives all of them spoilt");
    mg_str_free(&doc);
}

static void
test_deep(void)
{
    size_t n = 2000000;
    char *deep = malloc(n + 10);
    memcpy(deep, "{\"a\":", 5);
    memset(deep + 5, '[', n);
    struct mg_span value;
    is_int(mg_scan_member((struct mg_span){deep, n + 5}, "a", &value), -1,
           "two million open brackets are broken, not a stack overflow");
    free(deep);
}

int
main(void)
{
    plan(0);
    test_member();
    test_broken();
    test_path();
    test_elements();
    test_string();
    test_random();
    test_deep();
    return done();
}
