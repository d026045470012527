/* Times: what is written, what is read, what is refused. */
#include "base/clock.h"

#include "tap.h"

static void
test_format(void)
{
    char buf[MG_RFC3339_SIZE];
    is_str(mg_rfc3339(0, buf), "1970-01-01T00:00:00Z", "the beginning");
    is_str(mg_rfc3339(1795164237999, buf), "2026-11-20T08:43:57Z", "milliseconds are cut");
    is_int(mg_utc_month(1795164237999), 202611, "its month");
    is_str(mg_rfc3339(mg_utc_next_month(1795164237999), buf), "2026-12-01T00:00:00Z",
           "the month behind it");
    is_str(mg_rfc3339(mg_utc_next_month(1798761599999), buf), "2027-01-01T00:00:00Z",
           "the month behind the last ms of a year");
    is_int(mg_utc_month(1798761600000), 202701, "and what begins then");
    is_str(mg_rfc3339(951782400000, buf), "2000-02-29T00:00:00Z", "a leap day");
    is_str(mg_rfc3339(253402300799000, buf), "9999-12-31T23:59:59Z", "the last second");
    ok(strlen(mg_rfc3339(INT64_MAX, buf)) < MG_RFC3339_SIZE, "an absurd time stays in its buffer");
    ok(strlen(mg_rfc3339(INT64_MIN, buf)) < MG_RFC3339_SIZE, "also a negative one");
}

static const struct {
    const char *text;
    int64_t ms;
} good[] = {
    {"0", 0},
    {"1795164237", 1795164237000},
    {"1970-01-01", 0},
    {"2026-11-20", 1795132800000},
    {"2026-11-20T10:41:00Z", 1795171260000},
    {"2026-11-20 10:41:00", 1795171260000},
    {"2026-11-20t10:41:00z", 1795171260000},
    {"2026-11-20T10:41:00.5Z", 1795171260500},
    {"2026-11-20T10:41:00.123456789Z", 1795171260123},
    {"2026-11-20T10:41:00+01:30", 1795165860000},
    {"2026-11-20T10:41:00.250-00:30", 1795173060250},
    {"2000-02-29", 951782400000},
    {"1969-12-31T23:59:59Z", -1000},
    {"9999-12-31T23:59:59Z", 253402300799000},
};

static const char *const bad[] = {
    "", " ", "x", "-1", "+5", " 5", "5 ", "253402300800", "99999999999999999999", "2026-13-01",
    "2026-00-10", "2026-02-30", "2025-02-29", "2026-04-31", "2026-1-02", "2026-01-2", "26-01-02",
    "2026/01/02", "2026-01-02T", "2026-01-02T1:00:00", "2026-01-02T10:00", "2026-01-02T24:00:00",
    "2026-01-02T10:60:00", "2026-01-02T10:00:61", "2026-01-02T10:00:00.", "2026-01-02T10:00:00.Z",
    "2026-01-02T10:00:00+1", "2026-01-02T10:00:00+01", "2026-01-02T10:00:00+0100",
    "2026-01-02T10:00:00+24:00", "2026-01-02T10:00:00+01:60", "2026-01-02T10:00:00+-1:30",
    "2026-01-02T10:00:00+ 1:30", "2026-01-02T10:00:00ZZ", "2026-01-02T10:00:00 Z", "2026-01-02Z",
    "2026-01-02x", "-2026-01-02", "tomorrow",
};

static void
test_parse(void)
{
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        int64_t ms = -77;
        int rc = mg_rfc3339_parse(good[i].text, &ms);
        if (!ok(rc == 0 && ms == good[i].ms, "'%s' is read", good[i].text))
            printf("# rc %d, %lld instead of %lld\n", rc, (long long)ms, (long long)good[i].ms);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        int64_t ms = -77;
        ok(mg_rfc3339_parse(bad[i], &ms) == -1 && ms == -77, "'%s' is refused", bad[i]);
    }
}

static void
test_round_trip(void)
{
    bool same = true;
    for (int64_t ms = 0; ms < 253402300800000; ms += 86399000000 + 61000) {
        char buf[MG_RFC3339_SIZE];
        int64_t back;
        same = same && mg_rfc3339_parse(mg_rfc3339(ms, buf), &back) == 0 && back == ms;
    }
    ok(same, "what is written is read back, over eight thousand years");
}

static void
test_clocks(void)
{
    int64_t a = mg_mono_us(), b = mg_mono_us();
    ok(b >= a, "the monotonic clock does not go back");
    ok(mg_now_ms() > 1700000000000, "the wall clock is in this age");
    ok(mg_mono_ms() >= b / 1000, "milliseconds and microseconds are of one clock");
}

int
main(void)
{
    plan(0);
    test_format();
    test_parse();
    test_round_trip();
    test_clocks();
    return done();
}
