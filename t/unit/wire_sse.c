/* The event reader: whole events however the bytes are cut and the lines are ended. */
#include "tap.h"

#include "wire/sse.h"

/* All events of `bytes`, fed in pieces of `step`, as "name|data\n"; raw bytes are collected. */
static void
read_all(const char *bytes, size_t n, size_t step, struct mg_str *events, struct mg_str *raw)
{
    struct mg_sse sse;
    struct mg_sse_event e;
    mg_sse_init(&sse);
    for (size_t at = 0; at < n || at == 0; at += step) {
        size_t len = n - at < step ? n - at : step;
        if (!mg_sse_feed(&sse, bytes + at, len))
            printf("# an event was refused\n");
        while (mg_sse_next(&sse, false, &e)) {
            mg_str_addspan(raw, e.raw);
            if (e.has_data)
                mg_str_addf(events, "%.*s|%.*s\n", (int)e.name.n, e.name.p, (int)e.data.n,
                            e.data.p);
        }
        if (n == 0)
            break;
    }
    while (mg_sse_next(&sse, true, &e)) {
        mg_str_addspan(raw, e.raw);
        if (e.has_data)
            mg_str_addf(events, "%.*s|%.*s\n", (int)e.name.n, e.name.p, (int)e.data.n, e.data.p);
    }
    mg_sse_free(&sse);
}

static const struct {
    const char *what, *bytes, *events;
} vectors[] = {
    {"LF ends lines", "event: a\ndata: 1\n\ndata: 2\n\n", "a|1\n|2\n"},
    {"CRLF ends lines", "event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", "a|1\n|2\n"},
    {"CR ends lines", "event: a\rdata: 1\r\rdata: 2\r\r", "a|1\n|2\n"},
    {"mixed line ends", "event: a\r\ndata: 1\n\r\ndata: 2\r\n\n", "a|1\n|2\n"},
    {"no space after the colon", "data:{\"a\":1}\n\n", "|{\"a\":1}\n"},
    {"only one space is taken", "data:  x\n\n", "| x\n"},
    {"several data lines are joined", "data: a\ndata: b\ndata\ndata: c\n\n", "|a\nb\n\nc\n"},
    {"comments are not data", ": hello\n\ndata: 1\n: x\n\n", "|1\n"},
    {"other fields are ignored", "id: 7\nretry: 5\ndata: 1\n\n", "|1\n"},
    {"the last event may lack its blank line", "data: 1\n\ndata: 2\n", "|1\n|2\n"},
    {"the last line may lack its end", "data: 1\n\ndata: 2", "|1\n|2\n"},
    {"a byte order mark is skipped", "\xef\xbb\xbf" "data: 1\n\n", "|1\n"},
    {"multibyte characters stay whole", "data: \xf0\x9f\x98\x80\xe4\xb8\xad\n\n",
     "|\xf0\x9f\x98\x80\xe4\xb8\xad\n"},
    {"empty data is data", "data:\n\n", "|\n"},
    {"extra blank lines are nothing", "\n\ndata: 1\n\n\n\ndata: 2\n\n", "|1\n|2\n"},
};

static void
test_cuts(const char *bytes, const char *want, const char *what)
{
    size_t n = strlen(bytes), bad = 0;
    for (size_t step = 1; step <= n; step++) {
        struct mg_str events, raw;
        mg_str_init(&events, 1 << 16);
        mg_str_init(&raw, 1 << 16);
        read_all(bytes, n, step, &events, &raw);
        if (strcmp(events.p, want) != 0 || raw.len != n || memcmp(raw.p, bytes, n) != 0) {
            printf("# in steps of %zu: %s\n", step, events.p);
            bad++;
        }
        mg_str_free(&events);
        mg_str_free(&raw);
    }
    ok(bad == 0, "%s, however it is cut, and no byte is lost", what);
}

static void
test_long_line(void)
{
    size_t n = (size_t)4 << 20;
    struct mg_str big, events, raw;
    mg_str_init(&big, n + 64);
    mg_str_init(&events, n + 64);
    mg_str_init(&raw, n + 64);
    mg_str_addz(&big, "data: ");
    for (size_t i = 0; i < n; i++)
        mg_str_addc(&big, 'x');
    mg_str_addz(&big, "\n\n");
    read_all(big.p, big.len, 1000, &events, &raw);
    is_int((long long)events.len, (long long)n + 2, "a line of 4 MB comes through whole");
    mg_str_free(&big);
    mg_str_free(&events);
    mg_str_free(&raw);
}

static void
test_limit(void)
{
    static char block[1 << 20];
    struct mg_sse sse;
    bool fine = true;
    int fed = 0;
    memset(block, 'x', sizeof(block));
    mg_sse_init(&sse);
    for (; fine && fed < 64; fed++)
        fine = mg_sse_feed(&sse, block, sizeof(block));
    ok(!fine && fed == 33, "an event larger than the maximum is refused");
    mg_sse_free(&sse);
}

static void
test_kind(void)
{
    static const char *const streams[] = {"data:{}", ": comment\n", "event: x\n", "id: 1\n",
                                          "retry: 5\n", "\n\r\ndata: x", "\xef\xbb\xbf" "data: x"};
    static const char *const others[] = {"", "{\"data:\":1}", "dat", "<html>", "data", "\n"};
    bool good = true;
    for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
        good &= mg_sse_is_stream(mg_span_z(streams[i]));
    ok(good, "a stream is known by its first line");
    good = true;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        good &= !mg_sse_is_stream(mg_span_z(others[i]));
    ok(good, "and nothing else is taken for one");
}

int
main(void)
{
    plan(0);
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
        test_cuts(vectors[i].bytes, vectors[i].events, vectors[i].what);
    test_long_line();
    test_limit();
    test_kind();
    return done();
}
