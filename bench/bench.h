/* The two halves of the measurement: a provider that stamps its events, a client that reads the
 * stamps. Both run on one machine, so their monotonic clocks are the same clock. */
#ifndef MG_BENCH_H
#define MG_BENCH_H

#include <stdint.h>

/* Monotonic time in µs. */
int64_t bench_now_us(void);
/* Prints what went wrong and exits. */
void bench_die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
/* Raises the limit of open files as far as allowed. */
void bench_raise_files(void);

/* mg-bench upstream --listen HOST:PORT: Chat Completions only. A request whose body holds
 * "rate=R events=E" is answered with E events, R a second, each stamped with its send time; any
 * other with a fixed reply of about 1 KB. */
int bench_upstream(int argc, char **argv);
/* mg-bench streams --url http://HOST:PORT/PATH --key KEY --streams N --rate R --events E
 * [--ramp S]: opens N streams, checks every event, prints one JSON line. */
int bench_streams(int argc, char **argv);

#endif
