/* Money: exact prices, one rounding, decimal text both ways. */
#include "base/money.h"

#include "tap.h"

#include <inttypes.h>

static void
test_charge(void)
{
    is_int(mg_money_nano(mg_money_cost(1, 75000)), 75, "a token of $0.075 a million costs 75 nano");
    is_int(mg_money_nano(mg_money_cost(1, 546875)), 547,
           "a token of $0.546875 a million is rounded up");
    is_int(mg_money_nano(mg_money_cost(1000000, 546875)), 546875000,
           "a million of them cost exactly that");
    is_int(mg_money_nano(mg_money_cost(3, 1) + mg_money_cost(5, 1)), 1,
           "parts are added before they are rounded");
    is_int(mg_money_nano(0), 0, "nothing costs nothing");
    is_int(mg_money_nano(1), 1, "the smallest sum costs one nano-credit");
    is_int(mg_money_nano(1000), 1, "a thousand pico are one nano");
    is_int(mg_money_nano(1001), 2, "one more is the next");
    is_int(mg_money_nano(-5), 0, "nobody is paid for a request");
    is_int(mg_money_cost(-5, 100) == 0, 1, "negative tokens count as none");
    is_int(mg_money_nano(mg_money_cost(INT64_MAX, 1000000)), INT64_MAX,
           "what does not fit saturates");
    is_int(mg_money_nano((mg_pico)INT64_MAX * 1000), INT64_MAX, "the largest charge is exact");
    is_int(mg_money_nano((mg_pico)INT64_MAX * 1000 - 999), INT64_MAX, "also when it is rounded up");
}

static void
test_tokens(void)
{
    is_int(mg_money_tokens(75, 75000), 1, "75 nano pay one token of $0.075 a million");
    is_int(mg_money_tokens(74, 75000), 0, "74 pay none");
    is_int(mg_money_tokens(0, 5), 0, "no credit pays nothing");
    is_int(mg_money_tokens(-10, 5), 0, "nor does a debt");
    is_int(mg_money_tokens(1, 0), INT64_MAX, "free tokens have no end");
    is_int(mg_money_tokens(INT64_MAX, 1), INT64_MAX, "more than can be counted saturates");
    bool covered = true;
    for (int64_t price = 1; price < 3000000; price += 9973)
        for (int64_t nano = 1; nano < 100000; nano += 9967) {
            int64_t n = mg_money_tokens(nano, price);
            covered = covered && mg_money_nano(mg_money_cost(n, price)) <= nano &&
                      mg_money_nano(mg_money_cost(n + 1, price)) > nano;
        }
    ok(covered, "what an amount pays costs no more than it, and one token more does");
}

static void
text_is(int64_t nano, const char *want)
{
    char buf[MG_MONEY_SIZE];
    int64_t back = 1;
    is_str(mg_money_text(nano, buf), want, want);
    if (nano != INT64_MIN)
        ok(mg_money_parse(buf, 9, &back) == 0 && back == nano, "and is read back");
}

static void
test_text(void)
{
    text_is(0, "0");
    text_is(1, "0.000000001");
    text_is(-1, "-0.000000001");
    text_is(12500000000, "12.5");
    text_is(-12500000000, "-12.5");
    text_is(1000000000, "1");
    text_is(100000000000, "100");
    text_is(10, "0.00000001");
    text_is(INT64_MAX, "9223372036.854775807");
    text_is(INT64_MIN, "-9223372036.854775808");
}

static void
parses(const char *text, int digits, int64_t want)
{
    int64_t value = -77;
    int rc = mg_money_parse(text, digits, &value);
    if (!ok(rc == 0 && value == want, "'%s' with %d places is read", text, digits))
        printf("# rc %d value %" PRId64 "\n", rc, value);
}

static void
refuses(const char *text, int digits)
{
    int64_t value = -77;
    ok(mg_money_parse(text, digits, &value) == -1 && value == -77, "'%s' with %d places is refused",
       text, digits);
}

static void
test_parse(void)
{
    parses("0", 9, 0);
    parses("-0", 9, 0);
    parses("12.50", 9, 12500000000);
    parses("0.075", 6, 75000);
    parses("0.546875", 6, 546875);
    parses("3", 6, 3000000);
    parses("3.", 6, 3000000);
    parses(".5", 1, 5);
    parses("007", 0, 7);
    parses("5.0000000000000000000000000000000000000", 0, 5);
    parses("0.1000000000000000000000000000000000000", 1, 1);
    parses("-2.5", 1, -25);
    parses("9223372036854775807", 0, INT64_MAX);
    parses("9223372036.854775807", 9, INT64_MAX);
    parses("-9223372036854775807", 0, -INT64_MAX);
    refuses("9223372036854775808", 0);
    refuses("9223372036.854775808", 9);
    refuses("9223372037", 9);
    refuses("99999999999999999999999999999999999999999999999999999999", 0);
    refuses("99999999999999999999999999999999999999999999999999999999", 9);
    refuses("0.0000000001", 9);
    refuses("0.5468751", 6);
    refuses("1.5", 0);
    refuses("", 9);
    refuses(".", 9);
    refuses("-", 9);
    refuses("-.", 9);
    refuses("+1", 9);
    refuses(" 1", 9);
    refuses("1 ", 9);
    refuses("1,5", 9);
    refuses("1e3", 9);
    refuses("0x10", 9);
    refuses("1.2.3", 9);
    refuses("--1", 9);
    refuses("nan", 9);
    refuses("inf", 9);
    refuses("$5", 9);
}

int
main(void)
{
    plan(0);
    test_charge();
    test_tokens();
    test_text();
    test_parse();
    return done();
}
