#include "buf.h"

#include "mem.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sim_buf_reserve(struct sim_buf *b, size_t n)
{
    size_t cap = b->cap ? b->cap : 256;

    if (b->cap - b->len >= n) {
        return;
    }
    while (cap - b->len < n) {
        cap *= 2;
    }
    b->p = sim_resize(b->p, cap);
    b->cap = cap;
}

void sim_buf_add(struct sim_buf *b, const void *data, size_t n)
{
    if (!n) {
        return;
    }
    sim_buf_reserve(b, n);
    memcpy(b->p + b->len, data, n);
    b->len += n;
}

void sim_buf_puts(struct sim_buf *b, const char *s)
{
    sim_buf_add(b, s, strlen(s));
}

void sim_buf_fmt(struct sim_buf *b, const char *fmt, ...)
{
    va_list ap;
    int n;

    sim_buf_reserve(b, 128);
    va_start(ap, fmt);
    n = vsnprintf(b->p + b->len, b->cap - b->len, fmt, ap);
    va_end(ap);
    if (n < 0) {
        return;
    }
    if ((size_t)n >= b->cap - b->len) {
        sim_buf_reserve(b, (size_t)n + 1);
        va_start(ap, fmt);
        vsnprintf(b->p + b->len, b->cap - b->len, fmt, ap);
        va_end(ap);
    }
    b->len += (size_t)n;
}

void sim_buf_drop(struct sim_buf *b, size_t n)
{
    if (n >= b->len) {
        b->len = 0;
        return;
    }
    memmove(b->p, b->p + n, b->len - n);
    b->len -= n;
}

char *sim_buf_cstr(struct sim_buf *b)
{
    sim_buf_reserve(b, 1);
    b->p[b->len] = '\0';
    return b->p;
}

void sim_buf_free(struct sim_buf *b)
{
    free(b->p);
    b->p = NULL;
    b->len = b->cap = 0;
}

static void put_escaped(struct sim_buf *b, const char *s, size_t n)
{
    static const char hex[] = "0123456789abcdef";
    size_t from = 0;
    size_t i;

    for (i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        char esc[6] = {'\\', 'u', '0', '0', 0, 0};

        if (c >= 0x20 && c != '"' && c != '\\') {
            continue;
        }
        sim_buf_add(b, s + from, i - from);
        from = i + 1;
        if (c == '"' || c == '\\') {
            esc[1] = (char)c;
            sim_buf_add(b, esc, 2);
        } else if (c == '\n' || c == '\t' || c == '\r') {
            esc[1] = c == '\n' ? 'n' : c == '\t' ? 't' : 'r';
            sim_buf_add(b, esc, 2);
        } else {
            esc[4] = hex[c >> 4];
            esc[5] = hex[c & 15];
            sim_buf_add(b, esc, 6);
        }
    }
    sim_buf_add(b, s + from, n - from);
}

/* Writes the comma that is due and the key. */
static void lead(struct sim_buf *b, const char *key)
{
    if (b->len) {
        char last = b->p[b->len - 1];

        if (last != '{' && last != '[' && last != ':') {
            sim_buf_add(b, ",", 1);
        }
    }
    if (key) {
        sim_buf_add(b, "\"", 1);
        put_escaped(b, key, strlen(key));
        sim_buf_add(b, "\":", 2);
    }
}

void sim_j_open(struct sim_buf *b, const char *key, char bracket)
{
    lead(b, key);
    sim_buf_add(b, &bracket, 1);
}

void sim_j_close(struct sim_buf *b, char bracket)
{
    sim_buf_add(b, &bracket, 1);
}

void sim_j_text(struct sim_buf *b, const char *key, const char *s, size_t n)
{
    lead(b, key);
    sim_buf_add(b, "\"", 1);
    put_escaped(b, s, n);
    sim_buf_add(b, "\"", 1);
}

void sim_j_str(struct sim_buf *b, const char *key, const char *s)
{
    if (s) {
        sim_j_text(b, key, s, strlen(s));
    } else {
        sim_j_null(b, key);
    }
}

void sim_j_int(struct sim_buf *b, const char *key, int64_t v)
{
    lead(b, key);
    sim_buf_fmt(b, "%" PRId64, v);
}

void sim_j_bool(struct sim_buf *b, const char *key, bool v)
{
    lead(b, key);
    sim_buf_puts(b, v ? "true" : "false");
}

void sim_j_null(struct sim_buf *b, const char *key)
{
    lead(b, key);
    sim_buf_add(b, "null", 4);
}

void sim_j_raw(struct sim_buf *b, const char *key, const char *json)
{
    lead(b, key);
    sim_buf_puts(b, json);
}

void sim_j_none(struct sim_buf *b, const char *key)
{
    lead(b, key);
    sim_buf_add(b, "[]", 2);
}
