/* How fast the tokenizer is: one line a file, megabytes a second of one core.
 *
 *   mg-tokens-bench FILE…       whole files, for example the project's own sources
 *   mg-tokens-bench             what is worst for it: runs without a break */
#include "base/alloc.h"
#include "base/clock.h"
#include "tokens/tokens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MOST ((size_t)16 << 20)
#define RUN_US 500000

static void
measure(const char *name, const char *text, size_t n)
{
    int64_t start = mg_mono_us(), spent = 0, tokens = 0, rounds = 0;
    while (spent < RUN_US && n > 0) {
        tokens = mg_tokens_count(text, n);
        rounds++;
        spent = mg_mono_us() - start;
    }
    if (n > 0)
        printf("%-32s %9zu bytes %8lld tokens %5.2f bytes a token %7.1f MB/s\n", name, n,
               (long long)tokens, (double)n / (double)tokens,
               (double)n * (double)rounds / (double)spent);
}

static void
measure_file(const char *path, char *text)
{
    FILE *in = fopen(path, "rb");
    if (in == NULL) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    measure(path, text, fread(text, 1, FILE_MOST, in));
    fclose(in);
}

static void
measure_runs(char *text)
{
    static const char *const units[] = {"a", "=", "ab", "\xe6\x97\xa5", "aB", "0"};
    const size_t n = (size_t)1 << 20;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        for (size_t at = 0, length = strlen(units[i]); at < n; at++)
            text[at] = units[i][at % length];
        measure(units[i], text, n);
    }
}

int
main(int argc, char **argv)
{
    char *text = mg_malloc(FILE_MOST);
    for (int i = 1; i < argc; i++)
        measure_file(argv[i], text);
    if (argc == 1)
        measure_runs(text);
    free(text);
    return 0;
}
