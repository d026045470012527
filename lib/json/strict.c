#include "json/strict.h"

#include <string.h>

/* Behind the digits that start at i. */
static size_t
digits(const char *p, size_t n, size_t i)
{
    while (i < n && p[i] >= '0' && p[i] <= '9')
        i++;
    return i;
}

/* Behind the number that starts at i; json-c has seen to its sign, exponent and end. */
static bool
number(const char *p, size_t n, size_t *i)
{
    size_t start = *i + (p[*i] == '-');
    size_t end = digits(p, n, start);
    if (end == start || (p[start] == '0' && end > start + 1))
        return false;
    if (end < n && p[end] == '.') {
        start = end + 1;
        end = digits(p, n, start);
        if (end == start)
            return false;
    }
    if (end < n && (p[end] == 'e' || p[end] == 'E')) {
        end += end + 1 < n && (p[end + 1] == '+' || p[end + 1] == '-');
        end = digits(p, n, end + 1);
    }
    *i = end;
    return true;
}

/* *i is at an opening quote; moves behind the closing one. *nul: it holds an escaped NUL. */
static bool
string(const char *p, size_t n, size_t *i, bool *nul)
{
    *nul = false;
    for (size_t at = *i + 1; at < n; at++) {
        if ((unsigned char)p[at] < 0x20) {
            *i = at;
            return false;
        }
        if (p[at] == '"') {
            *i = at + 1;
            return true;
        }
        if (p[at] == '\\') {
            *nul = *nul || (n - at > 5 && memcmp(p + at, "\\u0000", 6) == 0);
            at++;
        }
    }
    *i = n;
    return false;
}

/* Whether the string that ends before i is the name of a member. */
static bool
is_name(const char *p, size_t n, size_t i)
{
    while (i < n && (p[i] == ' ' || p[i] == '\t' || p[i] == '\n' || p[i] == '\r'))
        i++;
    return i < n && p[i] == ':';
}

bool
mg_strict_json(const char *p, size_t n, size_t *where)
{
    size_t i = 0;
    bool good = true, nul;
    while (good && i < n) {
        char c = p[i];
        if (c == '"')
            good = string(p, n, &i, &nul) && !(nul && is_name(p, n, i));
        else if (c == '-' || (c >= '0' && c <= '9'))
            good = number(p, n, &i);
        else if (c == '\'' || c == 'N' || c == 'I')
            good = false;
        else
            i++;
    }
    *where = i;
    return good;
}
