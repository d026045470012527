/* The writer: the right text, always valid JSON, mistakes noticed at the end. */
#include "json/writer.h"

#include "json/parse.h"
#include "json/scan.h"
#include "random_json.h"
#include "tap.h"

static struct mg_str out;
static struct mg_jw w;

static void
start(void)
{
    mg_str_reset(&out);
    mg_jw_init(&w, &out);
}

static void
test_shapes(void)
{
    start();
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "list");
    mg_jw_array(&w, "data");
    mg_jw_int(&w, NULL, INT64_MIN);
    mg_jw_bool(&w, NULL, true);
    mg_jw_bool(&w, NULL, false);
    mg_jw_null(&w, NULL);
    mg_jw_object(&w, NULL);
    mg_jw_end(&w);
    mg_jw_end(&w);
    mg_jw_array(&w, "empty");
    mg_jw_end(&w);
    mg_jw_string(&w, "none", NULL);
    mg_jw_raw(&w, "raw", mg_span_z("1.50"));
    mg_jw_string_begin(&w, "pieces");
    mg_jw_string_part(&w, "a\"", 2);
    mg_jw_string_part(&w, "\nb", 2);
    mg_jw_string_end(&w);
    mg_jw_end(&w);
    ok(mg_jw_done(&w), "a document is complete");
    is_str(out.p, "{\"object\":\"list\",\"data\":[-9223372036854775808,true,false,null,{}],"
                  "\"empty\":[],\"none\":null,\"raw\":1.50,\"pieces\":\"a\\\"\\nb\"}",
           "and reads as it was written");
    start();
    mg_jw_string(&w, NULL, "alone");
    ok(mg_jw_done(&w), "a single value is a document");
    is_str(out.p, "\"alone\"", "a quoted one");
}

static void
test_mistakes(void)
{
    start();
    ok(!mg_jw_done(&w), "nothing is no document");
    mg_jw_object(&w, NULL);
    ok(!mg_jw_done(&w), "an open object is none");
    mg_jw_end(&w);
    mg_jw_end(&w);
    ok(!mg_jw_done(&w), "one end too many is noticed");
    start();
    mg_jw_int(&w, NULL, 1);
    mg_jw_int(&w, NULL, 2);
    ok(!mg_jw_done(&w), "so are two values at the top");
    start();
    mg_jw_object(&w, NULL);
    mg_jw_int(&w, NULL, 1);
    mg_jw_end(&w);
    ok(!mg_jw_done(&w), "a value without a key in an object");
    start();
    mg_jw_array(&w, NULL);
    mg_jw_int(&w, "key", 1);
    mg_jw_end(&w);
    ok(!mg_jw_done(&w), "a key in an array");
    start();
    mg_jw_int(&w, "key", 1);
    ok(!mg_jw_done(&w), "a key at the top");
    start();
    mg_jw_raw(&w, NULL, (struct mg_span){"", 0});
    ok(!mg_jw_done(&w), "a raw value of nothing");
    start();
    for (int i = 0; i < 1000; i++)
        mg_jw_array(&w, NULL);
    for (int i = 0; i < 1000; i++)
        mg_jw_end(&w);
    ok(!mg_jw_done(&w), "nesting past the limit fails without harm");
    struct mg_str small;
    mg_str_init(&small, 8);
    mg_jw_init(&w, &small);
    mg_jw_string(&w, NULL, "0123456789");
    ok(!mg_jw_done(&w), "a buffer that is full is noticed");
    mg_str_free(&small);
}

static void
quoted(const char *text, size_t n, const char *want, const char *what)
{
    mg_str_reset(&out);
    mg_json_quote(&out, text, n);
    is_str(out.p, want, what);
}

static void
test_escapes(void)
{
    quoted("\"\\/\b\f\n\r\t", 8, "\"\\\"\\\\/\\b\\f\\n\\r\\t\"", "short escapes");
    quoted("\0\x01\x1f", 3, "\"\\u0000\\u0001\\u001f\"", "control characters");
    quoted("\x7f\xc3\xa9\xf0\x9f\x98\x80", 7, "\"\x7f\xc3\xa9\xf0\x9f\x98\x80\"",
           "what needs no escape gets none");
    quoted(NULL, 0, "\"\"", "nothing is an empty string");
    quoted("a\xff" "b", 3, "\"a\xef\xbf\xbd" "b\"", "a wrong byte is replaced");
    quoted("\xe2\x82", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"", "a cut character byte by byte");
    quoted("\xe2\x82\xac\xff\"", 5, "\"\xe2\x82\xac\xef\xbf\xbd\\\"\"",
           "its neighbours stay and are escaped");
    quoted("\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"",
           "surrogates are no UTF-8");
}

/* Random bytes become a JSON string that both readers understand; valid ones come back. */
static void
test_random(void)
{
    int invalid = 0, changed = 0;
    struct mg_str back;
    mg_str_init(&back, 1000);
    for (int i = 0; i < 20000; i++) {
        char text[64];
        struct mg_err err = MG_ERR_INIT;
        struct json_object *tree;
        size_t n = random_below(sizeof(text));
        bool ascii = random_below(2);
        for (size_t k = 0; k < n; k++)
            text[k] = (char)random_below(ascii ? 128 : 256);
        mg_str_reset(&out);
        mg_str_reset(&back);
        mg_json_quote(&out, text, n);
        invalid += mg_json_parse(out.p, out.len, &tree, &err) != 0;
        json_object_put(tree);
        changed += !mg_scan_string(mg_str_span(&out), &back) ||
                   (ascii && (back.len != n || memcmp(back.p, text, n) != 0));
        mg_err_free(&err);
    }
    is_int(invalid, 0, "whatever the bytes, what is quoted is JSON");
    is_int(changed, 0, "and reads back as what was quoted");
    mg_str_free(&back);
}

int
main(void)
{
    plan(0);
    mg_str_init(&out, 1 << 20);
    test_shapes();
    test_mistakes();
    test_escapes();
    test_random();
    mg_str_free(&out);
    return done();
}
