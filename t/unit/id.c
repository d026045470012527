/* Identifiers: order, uniqueness, hexadecimal, request ids. */
#include "base/id.h"

#include "base/clock.h"
#include "tap.h"

static int
by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, MG_ID_BYTES);
}

static void
test_new(void)
{
    static uint8_t ids[10000][MG_ID_BYTES];
    bool shape = true, unique = true, ordered = true;
    for (size_t i = 0; i < 10000; i++) {
        mg_id_new(ids[i]);
        shape = shape && ids[i][6] >> 4 == 7 && ids[i][8] >> 6 == 2;
        ordered = ordered && (i == 0 || memcmp(ids[i - 1], ids[i], 6) <= 0);
    }
    ok(shape, "ids have version 7 and the variant of RFC 9562");
    ok(ordered, "ids made later do not sort before the earlier ones' millisecond");
    qsort(ids, 10000, MG_ID_BYTES, by_bytes);
    for (size_t i = 1; i < 10000; i++)
        unique = unique && by_bytes(ids[i - 1], ids[i]) != 0;
    ok(unique, "ten thousand ids are all different");
    int64_t ms = 0, now = mg_now_ms();
    mg_id_new(ids[0]);
    for (int i = 0; i < 6; i++)
        ms = ms << 8 | ids[0][i];
    ok(ms >= now && ms < now + 1000, "the first 48 bits are the time in ms");
}

static void
test_hex(void)
{
    char text[2 * 4 + 1];
    uint8_t bytes[4] = {0};
    is_str(mg_hex("\x00\x7f\x80\xff", 4, text), "007f80ff", "bytes as hexadecimal digits");
    is_int(mg_unhex("007F80fF", 8, bytes, 4), 0, "digits of both cases are read");
    ok(memcmp(bytes, "\x00\x7f\x80\xff", 4) == 0, "and give the bytes back");
    is_int(mg_unhex("007f80f", 7, bytes, 4), -1, "a missing digit is an error");
    is_int(mg_unhex("007f80fff", 9, bytes, 4), -1, "so is one too many");
    is_int(mg_unhex("007f80fg", 8, bytes, 4), -1, "or what is no digit");
    is_int(mg_unhex("007f80f:", 8, bytes, 4), -1, "also just behind 9");
    is_int(mg_unhex("007f80f@", 8, bytes, 4), -1, "and just before A");
    is_int(mg_unhex("", 0, bytes, 0), 0, "no bytes are no digits");
}

static void
test_request_id(void)
{
    uint8_t id[MG_ID_BYTES], back[MG_ID_BYTES];
    char text[MG_REQUEST_ID_SIZE];
    mg_id_new(id);
    mg_request_id(id, text);
    ok(strncmp(text, "req_", 4) == 0 && strlen(text) == 36, "a request id is req_ and 32 digits");
    is_int(mg_request_id_parse(text, back), 0, "it is read back");
    ok(memcmp(id, back, sizeof(id)) == 0, "and is the same");
    is_int(mg_request_id_parse(text + 4, back), 0, "also without its prefix");
    is_int(mg_request_id_parse("req_", back), -1, "a prefix alone is none");
    is_int(mg_request_id_parse("", back), -1, "nothing is none");
    text[35] = 'x';
    is_int(mg_request_id_parse(text, back), -1, "nor is one with a wrong digit");
}

static void
test_random(void)
{
    uint8_t a[64] = {0}, b[64] = {0};
    mg_random(a, sizeof(a));
    mg_random(b, sizeof(b));
    ok(memcmp(a, b, sizeof(a)) != 0, "random bytes differ");
    mg_random(a, 0);
    ok(true, "no random bytes are no problem");
}

int
main(void)
{
    plan(0);
    test_new();
    test_hex();
    test_request_id();
    test_random();
    return done();
}
