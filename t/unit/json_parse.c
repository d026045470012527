/* JSON in: what is JSON, what is not, and what the client reads about it. */
#include "json/parse.h"

#include "tap.h"

static const char *const good[] = {
    "true", "123", "-1", "1e5", "1E+2", "1.5e-3", "0", "-0", "0.1", "\"\"", "{}", "[]", " [ ] ",
    "\r\n\t{ \"a\" : [ 1 , 2 ] }\n", "{\"a\":1,\"a\":2}", "\"\\u0000\"", "\"\\ud83d\\ude00\"",
    "\"\\ud800\"", "{\"\":1}", "[1e400]", "18446744073709551615", "[null,false]",
    "\"'N\\\"I\\\\\"", "\"\xc3\xa9\x7f\"", "[-0.0,10,20.05e0]",
    "{\"a\":\"\\u0000\"}", "{\"a\\\\u0000\":1}",
};

static const char *const bad[] = {
    "", " ", "nul", "TRUE", "Null", "tru", "-", "01", "-01", "[00]", "1.", "[1.]", "[2.,3]",
    "[1.e5]", ".5", "+1", "1e", "1e+", "0x10", "NaN", "[NaN]", "Infinity", "-Infinity",
    "[-Infinity]", "[1,]", "{\"a\":1,}", "[,1]", "{'a':1}", "['a']", "{a:1}", "/* c */1",
    "[1/*x*/]", "// x\n1", "\"a\nb\"", "\"a\tb\"", "\"a\x01\"", "\"\x1f\"", "\"\\x\"",
    "\"\\u12\"", "\"\\u12G4\"", "\"abc", "\"abc\\\"", "[1", "{\"a\":", "{\"a\"}", "{\"a\"",
    "{\"a\":1 \"b\":2}", "[1 2]", "{\"a\":1}x", "{}{}", "1 2", "[1]]", "\xef\xbb\xbf{}", "[--1]",
    "[1-2]", "[truex]", "{1:2}", "{null:1}", "\"\\'\"", "\f1", "[\v]", "null", " null ",
    "\"\xff\"", "\"\xed\xa0\x80\"", "{\"a\\u0000b\":1}", "[{\"\\u0000\" :1}]",
};

static void
test_grammar(void)
{
    struct mg_err err = MG_ERR_INIT;
    struct json_object *tree;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        bool read = mg_json_parse(good[i], strlen(good[i]), &tree, &err) == 0;
        ok(read && tree != NULL, "text %zu is JSON", i);
        json_object_put(tree);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        int rc = mg_json_parse(bad[i], strlen(bad[i]), &tree, &err);
        ok(rc == -1 && tree == NULL && err.status == 400 && strcmp(err.code, "invalid_json") == 0,
           "text %zu is none: %s", i, err.message);
        json_object_put(tree);
        mg_err_free(&err);
    }
}

static void
says(const char *text, size_t n, const char *what)
{
    struct mg_err err = MG_ERR_INIT;
    struct json_object *tree;
    int rc = mg_json_parse(text, n, &tree, &err);
    if (!ok(rc == -1 && strstr(err.message, what) != NULL, "the client reads: %s", what))
        printf("# %s\n", err.message);
    mg_err_free(&err);
}

static void
test_messages(void)
{
    char deep[400];
    says("", 0, "body is empty");
    says("\"\xff\"", 3, "not valid UTF-8");
    says("null", 4, "body is null");
    says("{\"a\":1}x", 8, "at byte 7");
    says("{\"a\":1}\0", 8, "at byte 7");
    says("{\"a\":", 5, "at byte 5: unexpected end of data");
    says("[1, 02]", 7, "at byte 6");
    says("{\"a\": NaN}", 10, "at byte 6");
    says("{'a': 1}", 8, "at byte 1");
    says("[\"a\nb\"]", 7, "at byte 3");
    memset(deep, '[', sizeof(deep));
    says(deep, sizeof(deep), "deeper than 128 levels");
}

static void
test_depth(void)
{
    struct mg_err err = MG_ERR_INIT;
    struct json_object *tree;
    char text[2 * MG_JSON_DEPTH];
    memset(text, '[', sizeof(text));
    memset(text + MG_JSON_DEPTH, ']', MG_JSON_DEPTH);
    is_int(mg_json_parse(text, sizeof(text), &tree, &err), 0, "128 levels are read");
    json_object_put(tree);
}

static void
test_of_span(void)
{
    static const char text[] = "{\"a\":{\"b\":1}}";
    struct json_object *tree = mg_json_of((struct mg_span){text + 5, 7});
    is_int(mg_json_int(tree, "b", 0), 1, "a part of a text is read on its own");
    json_object_put(tree);
    ok(mg_json_of((struct mg_span){text + 5, 6}) == NULL, "a part that is cut is none");
    ok(mg_json_of((struct mg_span){NULL, 0}) == NULL, "nor is nothing");
    ok(mg_json_is_object(mg_span_z(" {\"a\":\"\\n\"}")), "an object can be handed on");
    ok(!mg_json_is_object(mg_span_z("{\"a\":\"\n\"}")), "but not with a raw line break");
    ok(!mg_json_is_object(mg_span_z("{\"a\":\"\xff\"}")), "nor with broken UTF-8");
    ok(!mg_json_is_object(mg_span_z("[1]")) && !mg_json_is_object(mg_span_z("")),
       "and nothing else can");
}

static void
test_readers(void)
{
    struct mg_err err = MG_ERR_INIT;
    struct json_object *o;
    static const char text[] = "{\"t\":\"x\",\"i\":12,\"d\":12.0,\"f\":1.2e1,\"h\":12.7,\"n\":-3,"
                               "\"m\":-3.0,\"big\":1e30,\"huge\":99999999999999999999,\"b\":true,"
                               "\"z\":null,\"o\":{}}";
    if (mg_json_parse(text, sizeof(text) - 1, &o, &err) != 0)
        abort();
    is_str(mg_json_text(o, "t"), "x", "a text");
    is_str(mg_json_text(o, "i"), NULL, "a number is no text");
    is_str(mg_json_text(o, "none"), NULL, "what is missing is no text");
    is_int(mg_json_int(o, "i", -1), 12, "a number");
    is_int(mg_json_int(o, "d", -1), 12, "a number with a point");
    is_int(mg_json_int(o, "f", -1), 12, "a number with an exponent");
    is_int(mg_json_int(o, "h", -1), 12, "parts of a token do not count");
    is_int(mg_json_int(o, "n", -1), -3, "a negative number");
    is_int(mg_json_int(o, "m", 7), 7, "a negative one with a point is no count");
    is_int(mg_json_int(o, "big", 7), 7, "an absurd one is none");
    is_int(mg_json_int(o, "huge", 7), INT64_MAX, "one past 64 bits saturates");
    is_int(mg_json_int(o, "t", 7), 7, "a text is no number");
    is_int(mg_json_bool(o, "b", 0), 1, "a boolean");
    is_int(mg_json_bool(o, "i", 5), 5, "a number is none");
    ok(mg_json_get(o, "z") == NULL, "null reads as missing");
    ok(mg_json_get(o, "o") != NULL, "an object");
    ok(mg_json_get(NULL, "x") == NULL && mg_json_text(NULL, "x") == NULL &&
           mg_json_int(NULL, "x", 3) == 3 && mg_json_bool(NULL, "x", 1) == 1,
       "no object has no members");
    ok(mg_json_get(mg_json_get(o, "t"), "x") == NULL, "nor has a text");
    json_object_put(o);
}

/* A character as UTF-8. */
static size_t
utf8(unsigned c, char *out)
{
    if (c < 0x80)
        return out[0] = (char)c, 1;
    if (c < 0x800)
        return out[0] = (char)(0xc0 | c >> 6), out[1] = (char)(0x80 | (c & 63)), 2;
    size_t n = 0;
    if (c < 0x10000) {
        out[n++] = (char)(0xe0 | c >> 12);
    } else {
        out[n++] = (char)(0xf0 | c >> 18);
        out[n++] = (char)(0x80 | (c >> 12 & 63));
    }
    out[n++] = (char)(0x80 | (c >> 6 & 63));
    out[n++] = (char)(0x80 | (c & 63));
    return n;
}

/* A character as a JSON string of escapes, between others. */
static size_t
escaped(unsigned c, bool upper, char *out, size_t size)
{
    unsigned v = c - 0x10000, high = 0xd800 | v >> 10, low = 0xdc00 | (v & 0x3ff);
    int n = c < 0x10000 ? upper ? snprintf(out, size, "\"\\\\u\\u%04Xz\"", c)
                                : snprintf(out, size, "\"\\\\u\\u%04xz\"", c)
            : upper ? snprintf(out, size, "\"\\\\u\\u%04X\\u%04Xz\"", high, low)
                    : snprintf(out, size, "\"\\\\u\\u%04x\\u%04xz\"", high, low);
    return (size_t)n;
}

static void
test_escapes(bool upper, const char *what)
{
    long long wrong = 0;
    for (unsigned c = 1; c < 0x110000; c += c == 0xd7ff ? 0x801 : 1) {
        char text[64], want[16] = "\\u";
        size_t n = escaped(c, upper, text, sizeof(text)), len = 2 + utf8(c, want + 2);
        want[len++] = 'z';
        struct json_object *o = mg_json_of((struct mg_span){text, n});
        wrong += o == NULL || (size_t)json_object_get_string_len(o) != len
                 || memcmp(json_object_get_string(o), want, len) != 0;
        json_object_put(o);
    }
    is_int(wrong, 0, what);
}

int
main(void)
{
    plan(0);
    test_escapes(false, "every character is read from its escapes");
    test_escapes(true, "and from those with capital letters");
    test_grammar();
    test_messages();
    test_depth();
    test_of_span();
    test_readers();
    return done();
}
