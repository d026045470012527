/* Growing strings: bounds, failure, hand-over. */
#include "base/str.h"

#include "tap.h"

#include <stdint.h>

static void
test_growth(void)
{
    struct mg_str s;
    mg_str_init(&s, 1000);
    is_str(s.p, "", "a new string is empty and can be read");
    is_int((long long)s.len, 0, "its length is 0");
    mg_str_addz(&s, "ab");
    mg_str_addc(&s, 'c');
    mg_str_add(&s, "d\0e", 3);
    is_bytes(s.p, s.len, "abcd\0e", 6, "bytes are appended, NUL bytes too");
    ok(s.p[s.len] == '\0', "a NUL follows the bytes");
    mg_str_addf(&s, "-%d-%s", 7, "x");
    is_bytes(s.p, s.len, "abcd\0e-7-x", 10, "formatted text is appended");
    mg_str_addspan(&s, (struct mg_span){"yz!", 2});
    is_bytes(s.p + 10, s.len - 10, "yz", 2, "a span is appended");
    mg_str_add(&s, NULL, 0);
    ok(mg_str_ok(&s), "nothing at all can be appended");
    mg_str_free(&s);
    is_int((long long)s.len, 0, "a freed string is empty");
    mg_str_free(&s);
    mg_str_free(NULL);
    ok(true, "freeing twice and freeing nothing do no harm");
}

static void
test_bounds(void)
{
    struct mg_str s;
    mg_str_init(&s, 10);
    mg_str_add(&s, "0123456789", 10);
    ok(mg_str_ok(&s) && s.len == 10, "a string grows to exactly its maximum");
    mg_str_addc(&s, 'x');
    ok(!mg_str_ok(&s), "one byte more fails");
    is_bytes(s.p, s.len, "0123456789", 10, "the refused append appended nothing");
    mg_str_reset(&s);
    ok(mg_str_ok(&s) && s.len == 0, "reset clears the failure");
    mg_str_addz(&s, "01234567890");
    ok(!mg_str_ok(&s) && s.len == 0, "an append that does not fit as a whole is not cut");
    mg_str_addz(&s, "a");
    is_int((long long)s.len, 0, "after a failure small appends do nothing either");
    mg_str_addf(&s, "%d", 1);
    is_int((long long)s.len, 0, "nor do formatted ones");
    mg_str_free(&s);

    mg_str_init(&s, 10);
    mg_str_addf(&s, "%s", "01234567890");
    ok(!mg_str_ok(&s) && s.len == 0, "formatted text past the maximum is refused whole");
    mg_str_free(&s);

    mg_str_init(&s, 0);
    mg_str_addz(&s, "");
    ok(mg_str_ok(&s), "a string of maximum 0 takes nothing");
    mg_str_addc(&s, 'x');
    ok(!mg_str_ok(&s), "and refuses something");
    mg_str_free(&s);

    mg_str_init(&s, SIZE_MAX);
    mg_str_addz(&s, "fine");
    is_str(s.p, "fine", "the largest maximum does not overflow the arithmetic");
    ok(!mg_str_reserve(&s, SIZE_MAX - 2), "an absurd reservation fails");
    ok(!mg_str_ok(&s), "and marks the string");
    mg_str_free(&s);
}

static void
test_many(void)
{
    struct mg_str s;
    mg_str_init(&s, 3000000);
    for (int i = 0; i < 300000; i++)
        mg_str_add(&s, "0123456789", 10);
    ok(mg_str_ok(&s) && s.len == 3000000, "three million bytes in small steps");
    ok(memcmp(s.p + 2999990, "0123456789", 11) == 0, "the last ones are right");
    mg_str_free(&s);
}

static void
test_drop_and_take(void)
{
    struct mg_str s;
    mg_str_init(&s, 100);
    mg_str_drop(&s, 5);
    is_str(s.p, "", "dropping from an empty string leaves it empty");
    mg_str_addz(&s, "abcdef");
    mg_str_drop(&s, 2);
    is_str(s.p, "cdef", "the first bytes are dropped");
    mg_str_drop(&s, 0);
    is_str(s.p, "cdef", "dropping none drops none");
    mg_str_drop(&s, 99);
    is_str(s.p, "", "dropping more than there is drops all");
    mg_str_addz(&s, "again");
    char *taken = mg_str_take(&s);
    is_str(taken, "again", "the bytes are handed over");
    is_str(s.p, "", "and the string is empty");
    free(taken);
    taken = mg_str_take(&s);
    is_str(taken, "", "what is taken from an empty string can be freed");
    free(taken);
    mg_str_addz(&s, "x");
    is_str(s.p, "x", "the string can be used on");
    mg_str_free(&s);
}

static void
test_spans(void)
{
    struct mg_str s;
    mg_str_init(&s, 100);
    mg_str_add(&s, "ab\0c", 4);
    struct mg_span span = mg_str_span(&s);
    is_bytes(span.p, span.n, "ab\0c", 4, "the span of a string covers all of it");
    ok(!mg_span_is(span, "ab"), "a longer span is not its prefix");
    ok(mg_span_is((struct mg_span){"abc", 2}, "ab"), "a span equals a text byte by byte");
    ok(!mg_span_is((struct mg_span){"ab", 1}, "ab"), "a shorter span is another one");
    ok(mg_span_is(mg_span_z(""), ""), "empty is empty");
    mg_str_free(&s);
}

int
main(void)
{
    plan(0);
    test_growth();
    test_bounds();
    test_many();
    test_drop_and_take();
    test_spans();
    return done();
}
