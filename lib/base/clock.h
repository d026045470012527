/* What time it is: wall clock in milliseconds since 1970 UTC, monotonic clock in milliseconds. */
#ifndef MG_BASE_CLOCK_H
#define MG_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#define MG_RFC3339_SIZE 32

/* Wall clock, ms since the epoch, UTC. For stored times. */
int64_t mg_now_ms(void);
/* Monotonic clock, ms; only differences mean anything. For timeouts. */
int64_t mg_mono_ms(void);
/* Monotonic clock, µs. For measuring. */
int64_t mg_mono_us(void);
/* "2026-11-20T10:41:00Z" for a wall-clock value; returns buf. */
char *mg_rfc3339(int64_t ms, char buf[MG_RFC3339_SIZE]) __attribute__((nonnull));
/* The UTC month of a wall-clock value as people write it, such as 202611; and the first ms of
 * the month behind it. */
int mg_utc_month(int64_t ms);
int64_t mg_utc_next_month(int64_t ms);
/* Parses RFC 3339 ("2026-11-20", "2026-11-20T10:41:00Z", with fraction and offset) or a plain
 * number of epoch seconds. Returns 0 and fills *ms, or -1. */
int mg_rfc3339_parse(const char *text, int64_t *ms) __attribute__((nonnull));

#endif
