/* Growing byte strings with a hard maximum.
 *
 * Every buffer is born with the largest size it may ever have. An append that would pass it
 * appends nothing and marks the string as failed; later appends do nothing either, so a writer
 * may ignore each single result and ask mg_str_ok() once at the end. The bytes are always
 * followed by a NUL that `len` does not count. */
#ifndef MG_BASE_STR_H
#define MG_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* A borrowed run of bytes: not NUL-terminated, never freed through this. */
struct mg_span {
    const char *p;
    size_t n;
};

struct mg_str {
    char *p;     /* the bytes, NUL behind them; never NULL after mg_str_init */
    size_t len;  /* bytes in use */
    size_t cap;  /* bytes allocated; 0 while p points to a constant "" */
    size_t max;  /* an append past this fails */
    bool failed; /* sticky */
};

/* Starts an empty string that may grow to `max` bytes. Allocates nothing yet. */
void mg_str_init(struct mg_str *s, size_t max) __attribute__((nonnull));
/* Frees the bytes and makes the string empty again; the maximum stays. NULL is allowed. */
void mg_str_free(struct mg_str *s);
/* Empties the string and clears `failed`, keeping the memory for the next use. */
void mg_str_reset(struct mg_str *s) __attribute__((nonnull));
/* Makes room for `more` bytes behind len; false (and failed) when the maximum forbids it. */
bool mg_str_reserve(struct mg_str *s, size_t more) __attribute__((nonnull));

/* Append bytes, a C string, one byte, a formatted text, a span. What is appended must not lie in
 * the string itself, which may move. */
void mg_str_add(struct mg_str *s, const void *bytes, size_t n) __attribute__((nonnull(1)));
void mg_str_addz(struct mg_str *s, const char *text) __attribute__((nonnull));
void mg_str_addc(struct mg_str *s, char c) __attribute__((nonnull));
void mg_str_addf(struct mg_str *s, const char *fmt, ...)
    __attribute__((nonnull(1, 2), format(printf, 2, 3)));
void mg_str_vaddf(struct mg_str *s, const char *fmt, va_list ap)
    __attribute__((nonnull(1, 2), format(printf, 2, 0)));
void mg_str_addspan(struct mg_str *s, struct mg_span span) __attribute__((nonnull));

/* Removes the first `n` bytes (all, if there are fewer). */
void mg_str_drop(struct mg_str *s, size_t n) __attribute__((nonnull));
/* True as long as no append was refused. */
bool mg_str_ok(const struct mg_str *s) __attribute__((nonnull, warn_unused_result));
/* Hands the NUL-terminated bytes to the caller, who frees them; the string is empty after. */
char *mg_str_take(struct mg_str *s) __attribute__((nonnull, warn_unused_result));

/* The span of a whole string, of a C string, and of part of the bytes. */
struct mg_span mg_str_span(const struct mg_str *s) __attribute__((nonnull));
struct mg_span mg_span_z(const char *text) __attribute__((nonnull));
/* Byte equality of a span with a C string. */
bool mg_span_is(struct mg_span span, const char *text) __attribute__((nonnull));

#endif
