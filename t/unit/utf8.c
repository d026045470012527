/* UTF-8: every code point, every kind of malformed sequence, at every place of a word. */
#include "base/utf8.h"

#include "tap.h"

#include <stdint.h>

static size_t
encode(uint32_t c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)((n == 2 ? 0xc0 : n == 3 ? 0xe0 : 0xf0) | c);
    return n;
}

static void
test_code_points(void)
{
    bool good = true, surrogates = true, cut = true;
    for (uint32_t c = 0; c <= 0x10ffff; c++) {
        char text[4];
        size_t n = encode(c, text);
        bool valid = mg_utf8_valid(text, n);
        if (c >= 0xd800 && c <= 0xdfff)
            surrogates = surrogates && !valid;
        else
            good = good && valid;
        cut = cut && (n == 1 || !mg_utf8_valid(text, n - 1));
    }
    ok(good, "every code point is valid");
    ok(surrogates, "no surrogate is");
    ok(cut, "nor is a sequence without its last byte");
}

static void
test_malformed(void)
{
    static const char *const bad[] = {
        "\x80", "\xbf", "\xc0\x80", "\xc0\xaf", "\xc1\xbf", "\xe0\x80\x80", "\xe0\x9f\xbf",
        "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
        "\xf8\x88\x80\x80\x80", "\xfe", "\xff", "\xc3\x28", "\xe2\x28\xa1", "\xe2\x82\x28",
        "\xf0\x28\x8c\xbc", "\xf0\x90\x28\xbc", "\xf0\x90\x8c\x28", "\xed\xa0\x80",
        "\xed\xbf\xbf", "\xe2\x82", "\xc3", "\xf0\x9f\x98",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char text[64];
        bool refused = true;
        for (size_t at = 0; at < 20; at++) {
            memset(text, 'a', sizeof(text));
            memcpy(text + at, bad[i], strlen(bad[i]));
            refused = refused && !mg_utf8_valid(text, sizeof(text)) &&
                      !mg_utf8_valid(text, at + strlen(bad[i]));
        }
        ok(refused, "malformed sequence %zu is refused at every place", i);
    }
}

int
main(void)
{
    plan(0);
    ok(mg_utf8_valid("", 0), "an empty text is valid");
    ok(mg_utf8_valid(NULL, 0), "so is none");
    ok(mg_utf8_valid("a\0b", 3), "a NUL is a character like others");
    ok(mg_utf8_valid("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 plain text", 20),
       "characters of all lengths together");
    test_code_points();
    test_malformed();
    return done();
}
