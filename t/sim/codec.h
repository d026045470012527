/*
 * Small encodings: base64, percent-encoding, UTF-8 boundaries. Pure functions over bytes.
 */
#ifndef SIM_CODEC_H
#define SIM_CODEC_H

#include "buf.h"

/* Appends the standard base64 form (RFC 4648 section 4, with padding) of n bytes. */
void sim_base64_add(struct sim_buf *out, const void *data, size_t n);

/* Appends the decoded bytes. Returns 0, or -1 when a character is no base64. */
int sim_base64_decode(struct sim_buf *out, const char *s, size_t n);

/* Decodes %XX in place; '+' stays '+'. Returns the new length; the result is NUL-terminated. */
size_t sim_url_decode(char *s, size_t n);

/* True when all n bytes are well-formed UTF-8 (RFC 3629). */
bool sim_utf8_valid(const char *s, size_t n);

/* The largest length <= max at which s (n bytes of UTF-8) is not cut inside a character. */
size_t sim_utf8_cut(const char *s, size_t n, size_t max);

#endif
