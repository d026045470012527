/* The tokenizer agrees with tiktoken, and no text makes it slow. */
#include "tap.h"

#include "base/clock.h"
#include "json/parse.h"
#include "tokens/tokens.h"

#include <limits.h>

#define LINE_MOST 65536

/* One snippet: {"tokens":N,"text":"…"}. */
static bool
agrees(const char *line, size_t number)
{
    struct mg_err err = MG_ERR_INIT;
    struct json_object *tree = NULL;
    bool good = false;
    if (mg_json_parse(line, strlen(line), &tree, &err) == 0) {
        struct json_object *text = mg_json_get(tree, "text");
        int64_t want = mg_json_int(tree, "tokens", -1);
        int64_t got = mg_tokens_count(json_object_get_string(text),
                                      (size_t)json_object_get_string_len(text));
        good = got == want;
        if (!good)
            printf("# snippet %zu: %lld tokens, %lld expected\n", number, (long long)got,
                   (long long)want);
    }
    json_object_put(tree);
    mg_err_free(&err);
    return good;
}

static void
test_snippets(void)
{
    static char line[LINE_MOST];
    char path[PATH_MAX];
    const char *source = getenv("MG_SRCDIR");
    size_t all = 0, right = 0;
    snprintf(path, sizeof(path), "%s/t/golden/tokens/snippets.jsonl", source ? source : ".");
    FILE *in = fopen(path, "r");
    if (!ok(in != NULL, "there are snippets"))
        return;
    while (fgets(line, sizeof(line), in) != NULL)
        right += agrees(line, ++all);
    fclose(in);
    ok(all >= 300, "there are %zu snippets", all);
    ok(right == all, "the count is that of tiktoken in every snippet (%zu of %zu)", right, all);
}

static void
test_edges(void)
{
    is_int(mg_tokens_count("", 0), 0, "no text has no tokens");
    is_int(mg_tokens_count(NULL, 0), 0, "also when there is no pointer");
    is_int(mg_tokens_count("Hello, world!", 13), 4, "a greeting has four");
    is_int(mg_tokens_count("a\0b", 3), 3, "NUL is a character like others");
    for (int i = 128; i < 256; i++) {
        char byte = (char)i;
        if (mg_tokens_count(&byte, 1) != 1)
            ok(false, "byte %d alone has one token", i);
    }
    is_int(mg_tokens_count("\xf1\x97", 2), 2, "half a character is its bytes");
    is_int(mg_tokens_count("\xff\xfe\xf5\xc0", 4), 4, "what is no UTF-8 is, too");
}

/* Microseconds for a megabyte of `unit` over and over. */
static int64_t
time_of(const char *unit, int64_t *tokens)
{
    const size_t size = (size_t)1 << 20, n = strlen(unit);
    char *text = malloc(size);
    for (size_t i = 0; i < size; i++)
        text[i] = unit[i % n];
    int64_t start = mg_mono_us();
    *tokens = mg_tokens_count(text, size);
    int64_t spent = mg_mono_us() - start;
    free(text);
    return spent;
}

/* Ten microseconds a byte would be a second for 100 KB: what is slow here grows faster than the
 * text. The bound is generous, for slow machines and sanitizers. */
static void
test_speed(void)
{
    static const char *const units[] = {
        "a", "A", " ", "\n", "=", "aB", "\xe6\x97\xa5", "\xcc\x81\x41", "0", "'s", " \n", "ab",
        "\xf0\x9f\x91\xa8\xe2\x80\x8d", "\xf0", "qz", "the quick brown fox ",
    };
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        int64_t tokens, spent = time_of(units[i], &tokens);
        ok(spent < 10 * (1 << 20) && tokens > 0 && tokens <= 1 << 20,
           "a megabyte of \"%s\": %lld tokens, %lld us", i == 3 || i == 10 ? "lines" : units[i],
           (long long)tokens, (long long)spent);
    }
}

int
main(void)
{
    plan(0);
    test_snippets();
    test_edges();
    test_speed();
    return done();
}
