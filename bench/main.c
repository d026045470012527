#include "bench.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

int64_t
bench_now_us(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

void
bench_die(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fprintf(stderr, ": %s\n", strerror(errno));
    exit(1);
}

void
bench_raise_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int
main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    bench_raise_files();
    if (argc > 1 && strcmp(argv[1], "upstream") == 0)
        return bench_upstream(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "streams") == 0)
        return bench_streams(argc - 1, argv + 1);
    fprintf(stderr,
            "usage: mg-bench upstream --listen HOST:PORT\n"
            "       mg-bench streams --url URL --key KEY --streams N --rate R --events E\n");
    return 2;
}
