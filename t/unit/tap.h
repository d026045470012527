/* Test Anything Protocol for the C tests: a plan, sentences, a summary.
 *
 *   plan(2);
 *   ok(x > 0, "an amount is positive");
 *   is_str(got, "12.5", "trailing zeros are dropped");
 *   return done();
 */
#ifndef MG_TAP_H
#define MG_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tap_planned, tap_run, tap_failed;

static inline void
plan(int n)
{
    tap_planned = n;
    if (n > 0)
        printf("1..%d\n", n);
    setvbuf(stdout, NULL, _IOLBF, 0);
}

static inline void
skip_all(const char *why)
{
    printf("1..0 # SKIP %s\n", why);
    exit(0);
}

static inline bool __attribute__((format(printf, 2, 3)))
ok(bool good, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    printf("%sok %d - ", good ? "" : "not ", ++tap_run);
    vprintf(fmt, ap);
    printf("\n");
    va_end(ap);
    tap_failed += !good;
    return good;
}

static inline bool
is_int(long long got, long long want, const char *what)
{
    bool good = ok(got == want, "%s", what);
    if (!good)
        printf("#      got %lld\n# expected %lld\n", got, want);
    return good;
}

static inline bool
is_str(const char *got, const char *want, const char *what)
{
    bool good = ok(got != NULL && want != NULL ? strcmp(got, want) == 0 : got == want, "%s", what);
    if (!good)
        printf("#      got %s\n# expected %s\n", got ? got : "(null)", want ? want : "(null)");
    return good;
}

static inline bool
is_bytes(const char *got, size_t n, const char *want, size_t m, const char *what)
{
    bool good = ok(n == m && memcmp(got, want, n) == 0, "%s", what);
    if (!good)
        printf("#      got %zu bytes: %.*s\n# expected %zu bytes: %.*s\n", n,
               (int)(n < 300 ? n : 300), got, m, (int)(m < 300 ? m : 300), want);
    return good;
}

/* Prints the plan if it was not known before, says how it went; the exit status of main. */
static inline int
done(void)
{
    if (tap_planned == 0)
        printf("1..%d\n", tap_run);
    else if (tap_planned != tap_run)
        printf("# planned %d tests but ran %d\n", tap_planned, tap_run);
    return tap_failed > 0 || (tap_planned > 0 && tap_planned != tap_run);
}

#endif
