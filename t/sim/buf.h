/*
 * A growable byte buffer and the JSON writer on top of it. The writer needs no state: whether a
 * comma is due is read off the last byte written, so a document must start in an empty buffer.
 * It refuses to know what the bytes mean.
 */
#ifndef SIM_BUF_H
#define SIM_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise before use. p is not NUL-terminated unless sim_buf_cstr() was called. */
struct sim_buf {
    char *p;
    size_t len;
    size_t cap;
};

/* Makes room for n more bytes without changing len. */
void sim_buf_reserve(struct sim_buf *b, size_t n);

void sim_buf_add(struct sim_buf *b, const void *data, size_t n);
void sim_buf_puts(struct sim_buf *b, const char *s);
void sim_buf_fmt(struct sim_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Removes the first n bytes. */
void sim_buf_drop(struct sim_buf *b, size_t n);

/* Terminates the bytes with NUL (not counted in len) and returns them. */
char *sim_buf_cstr(struct sim_buf *b);

/* Frees the bytes; the buffer is empty and usable again. */
void sim_buf_free(struct sim_buf *b);

/*
 * JSON writer. key is NULL inside an array and at the top. Text is escaped as JSON requires and
 * otherwise left as the UTF-8 it is.
 */
void sim_j_open(struct sim_buf *b, const char *key, char bracket);
void sim_j_close(struct sim_buf *b, char bracket);
void sim_j_text(struct sim_buf *b, const char *key, const char *s, size_t n);

/* A string value, or null for NULL. */
void sim_j_str(struct sim_buf *b, const char *key, const char *s);
void sim_j_int(struct sim_buf *b, const char *key, int64_t v);
void sim_j_bool(struct sim_buf *b, const char *key, bool v);
void sim_j_null(struct sim_buf *b, const char *key);

/* json must be one complete JSON value; it is copied as it is. */
void sim_j_raw(struct sim_buf *b, const char *key, const char *json);

/* An empty array. */
void sim_j_none(struct sim_buf *b, const char *key);

#endif
