#include "base/clock.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t
mg_now_ms(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int64_t
mg_mono_us(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

int64_t
mg_mono_ms(void)
{
    return mg_mono_us() / 1000;
}

char *
mg_rfc3339(int64_t ms, char buf[MG_RFC3339_SIZE])
{
    time_t t = (time_t)(ms / 1000);
    struct tm tm;
    if (gmtime_r(&t, &tm) == NULL)
        memset(&tm, 0, sizeof(tm));
    strftime(buf, MG_RFC3339_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm);
    return buf;
}

int
mg_utc_month(int64_t ms)
{
    time_t t = (time_t)(ms / 1000);
    struct tm tm;
    if (gmtime_r(&t, &tm) == NULL)
        return 0;
    return (tm.tm_year + 1900) * 100 + tm.tm_mon + 1;
}

int64_t
mg_utc_next_month(int64_t ms)
{
    time_t t = (time_t)(ms / 1000);
    struct tm tm;
    if (gmtime_r(&t, &tm) == NULL)
        return ms;
    struct tm next = {.tm_year = tm.tm_year, .tm_mon = tm.tm_mon + 1, .tm_mday = 1};
    return (int64_t)timegm(&next) * 1000;
}

/* Reads exactly `count` digits at *text and moves behind them; -1 when they are not there. */
static int
digits(const char **text, int count)
{
    int n = 0;
    for (; count > 0; count--, (*text)++) {
        if (!isdigit((unsigned char)**text))
            return -1;
        n = n * 10 + (**text - '0');
    }
    return n;
}

/* The same behind a separator. */
static int
behind(char separator, const char **text, int count)
{
    if (**text != separator)
        return -1;
    (*text)++;
    return digits(text, count);
}

/* Reads ".123" at *text, if it is there, as milliseconds, and moves behind it. */
static int
fraction_ms(const char **text)
{
    int ms = 0, scale = 100;
    if (**text != '.' || !isdigit((unsigned char)(*text)[1]))
        return 0;
    for ((*text)++; isdigit((unsigned char)**text); (*text)++) {
        ms += (**text - '0') * scale;
        scale /= 10;
    }
    return ms;
}

/* Reads "Z", "+hh:mm" or nothing up to the end; returns 0 and the offset in seconds, or -1. */
static int
zone_offset(const char *text, int *seconds)
{
    *seconds = 0;
    if (*text == '\0' || strcmp(text, "Z") == 0 || strcmp(text, "z") == 0)
        return 0;
    int sign = *text == '-' ? -1 : 1;
    if (*text != '+' && *text != '-')
        return -1;
    text++;
    int hours = digits(&text, 2), minutes = behind(':', &text, 2);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || *text != '\0')
        return -1;
    *seconds = sign * (hours * 3600 + minutes * 60);
    return 0;
}

/* "2026-11-20" and nothing that the calendar does not have. */
static int
read_day(const char **text, struct tm *tm)
{
    int year = digits(text, 4), month = behind('-', text, 2), day = behind('-', text, 2);
    if (year < 0 || month < 1 || day < 1)
        return -1;
    *tm = (struct tm){.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day};
    timegm(tm); /* brings a 31st of February to March */
    return tm->tm_mon == month - 1 && tm->tm_mday == day ? 0 : -1;
}

static int
plain_seconds(const char *text, int64_t *ms)
{
    char *end;
    long long seconds = strtoll(text, &end, 10);
    if (*end != '\0' || seconds > 253402300799LL) /* the last second of the year 9999 */
        return -1;
    *ms = seconds * 1000;
    return 0;
}

int
mg_rfc3339_parse(const char *text, int64_t *ms)
{
    struct tm tm;
    int fraction = 0, offset = 0;
    if (*text != '\0' && text[strspn(text, "0123456789")] == '\0')
        return plain_seconds(text, ms);
    if (read_day(&text, &tm) != 0)
        return -1;
    if (*text == 'T' || *text == 't' || *text == ' ') {
        text++;
        tm.tm_hour = digits(&text, 2);
        tm.tm_min = behind(':', &text, 2);
        tm.tm_sec = behind(':', &text, 2);
        if (tm.tm_hour < 0 || tm.tm_hour > 23 || tm.tm_min < 0 || tm.tm_min > 59 ||
            tm.tm_sec < 0 || tm.tm_sec > 60)
            return -1;
        fraction = fraction_ms(&text);
        if (zone_offset(text, &offset) != 0)
            return -1;
    } else if (*text != '\0') {
        return -1;
    }
    *ms = ((int64_t)timegm(&tm) - offset) * 1000 + fraction;
    return 0;
}
