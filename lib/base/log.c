#include "base/log.h"

#include "base/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const names[] = {"error", "warn", "info", "debug"};
static char program[32] = "gateway";
static enum mg_log_level lowest = MG_LOG_INFO;

void
mg_log_init(const char *name, enum mg_log_level level)
{
    snprintf(program, sizeof(program), "%s", name);
    lowest = level;
}

int
mg_log_level_parse(const char *name)
{
    for (int i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

void
mg_log(enum mg_log_level level, const char *fmt, ...)
{
    if (level > lowest)
        return;
    char line[2048], stamp[MG_RFC3339_SIZE];
    int64_t now = mg_now_ms();
    mg_rfc3339(now, stamp);
    stamp[19] = '\0'; /* cut the Z, the milliseconds go before it */
    int head = snprintf(line, sizeof(line), "%s.%03dZ %s %s[%d] ", stamp, (int)(now % 1000),
                        names[level], program, (int)getpid());
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(line + head, sizeof(line) - (size_t)head - 1, fmt, ap);
    va_end(ap);
    size_t len = (size_t)head + (n > 0 ? (size_t)n : 0);
    if (len > sizeof(line) - 2)
        len = sizeof(line) - 2;
    for (size_t i = (size_t)head; i < len; i++) /* one event, one line; no terminal tricks */
        if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
            line[i] = '?';
    line[len++] = '\n';
    ssize_t written = write(STDERR_FILENO, line, len);
    (void)written; /* a log that cannot be written must not stop the service */
}
