/* Identifiers: random bytes, time-ordered request ids, hexadecimal. */
#ifndef MG_BASE_ID_H
#define MG_BASE_ID_H

#include <stddef.h>
#include <stdint.h>

#define MG_ID_BYTES 16
#define MG_ID_HEX 33          /* 32 digits and a NUL */
#define MG_REQUEST_ID_SIZE 40 /* "req_" + hex + NUL, with room */

/* Fills buf with bytes of the system's generator; aborts if there is none. */
void mg_random(void *buf, size_t n) __attribute__((nonnull));
/* A new id: 48 bits of time (ms), then random bits; ids of one host sort by time (UUIDv7). */
void mg_id_new(uint8_t id[MG_ID_BYTES]) __attribute__((nonnull));
/* Lower-case hex of n bytes plus a NUL into buf (2n+1 bytes); returns buf. */
char *mg_hex(const void *bytes, size_t n, char *buf) __attribute__((nonnull));
/* The reverse: exactly n bytes of 2n hex digits. 0, or -1. */
int mg_unhex(const char *text, size_t len, uint8_t *bytes, size_t n) __attribute__((nonnull));
/* "req_<hex>" of an id, as sent in x-request-id, and the reverse (0, or -1). */
char *mg_request_id(const uint8_t id[MG_ID_BYTES], char buf[MG_REQUEST_ID_SIZE])
    __attribute__((nonnull));
int mg_request_id_parse(const char *text, uint8_t id[MG_ID_BYTES]) __attribute__((nonnull));

#endif
