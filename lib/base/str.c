#include "base/str.h"

#include "base/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char empty[1];

void
mg_str_init(struct mg_str *s, size_t max)
{
    *s = (struct mg_str){.p = empty, .max = max < SIZE_MAX / 4 ? max : SIZE_MAX / 4};
}

void
mg_str_free(struct mg_str *s)
{
    if (s == NULL)
        return;
    if (s->cap > 0)
        free(s->p);
    mg_str_init(s, s->max);
}

void
mg_str_reset(struct mg_str *s)
{
    s->len = 0;
    s->failed = false;
    if (s->cap > 0)
        s->p[0] = '\0';
}

bool
mg_str_reserve(struct mg_str *s, size_t more)
{
    if (s->failed || more > s->max || s->len > s->max - more) {
        s->failed = true;
        return false;
    }
    size_t need = s->len + more + 1;
    if (need <= s->cap)
        return true;
    size_t cap = s->cap ? s->cap : 64;
    while (cap < need)
        cap = cap < (size_t)1 << 20 ? cap * 2 : cap + cap / 2;
    if (cap > s->max + 1)
        cap = s->max + 1;
    s->p = mg_realloc(s->cap ? s->p : NULL, cap);
    s->cap = cap;
    return true;
}

void
mg_str_add(struct mg_str *s, const void *bytes, size_t n)
{
    if (n == 0 || !mg_str_reserve(s, n))
        return;
    memcpy(s->p + s->len, bytes, n);
    s->len += n;
    s->p[s->len] = '\0';
}

void
mg_str_addz(struct mg_str *s, const char *text)
{
    mg_str_add(s, text, strlen(text));
}

void
mg_str_addc(struct mg_str *s, char c)
{
    mg_str_add(s, &c, 1);
}

void
mg_str_vaddf(struct mg_str *s, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n < 0) {
        s->failed = true;
    } else if (n > 0 && mg_str_reserve(s, (size_t)n)) {
        vsnprintf(s->p + s->len, (size_t)n + 1, fmt, again);
        s->len += (size_t)n;
    }
    va_end(again);
}

void
mg_str_addf(struct mg_str *s, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    mg_str_vaddf(s, fmt, ap);
    va_end(ap);
}

void
mg_str_addspan(struct mg_str *s, struct mg_span span)
{
    mg_str_add(s, span.p, span.n);
}

void
mg_str_drop(struct mg_str *s, size_t n)
{
    if (n >= s->len) {
        s->len = 0;
    } else {
        memmove(s->p, s->p + n, s->len - n);
        s->len -= n;
    }
    if (s->cap > 0)
        s->p[s->len] = '\0';
}

bool
mg_str_ok(const struct mg_str *s)
{
    return !s->failed;
}

char *
mg_str_take(struct mg_str *s)
{
    char *bytes = s->cap > 0 ? s->p : mg_strdup("");
    mg_str_init(s, s->max);
    return bytes;
}

struct mg_span
mg_str_span(const struct mg_str *s)
{
    return (struct mg_span){s->p, s->len};
}

struct mg_span
mg_span_z(const char *text)
{
    return (struct mg_span){text, strlen(text)};
}

bool
mg_span_is(struct mg_span span, const char *text)
{
    size_t n = strlen(text);
    return span.n == n && memcmp(span.p, text, n) == 0;
}
