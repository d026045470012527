/* Random JSON documents for the tests of the scanner and the splicer: every kind of value,
 * odd spacing, escapes, brackets inside strings, duplicate keys. The same seed gives the same
 * document. */
#ifndef MG_RANDOM_JSON_H
#define MG_RANDOM_JSON_H

#include "base/str.h"

#include <stdint.h>

static uint64_t random_state = 88172645463325252ULL;

/* A number below `n` (xorshift). */
static inline unsigned
random_below(unsigned n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 33) % n;
}

static inline void
random_space(struct mg_str *out)
{
    static const char spaces[] = " \t\n\r";
    while (random_below(4) == 0)
        mg_str_addc(out, spaces[random_below(4)]);
}

static inline void
random_string(struct mg_str *out)
{
    static const char *const parts[] = {
        "a", "{", "}", "[", "]", ",", ":", "\\\"", "\\\\", "\\n", "\\u0041", "\\ud83d\\ude00",
        "\xc3\xa9", "\xf0\x9f\x98\x80", " ", "/", "\\/", "'", "model", "\\\\\\\"",
    };
    mg_str_addc(out, '"');
    for (unsigned n = random_below(6); n > 0; n--)
        mg_str_addz(out, parts[random_below(sizeof(parts) / sizeof(parts[0]))]);
    mg_str_addc(out, '"');
}

static inline void random_value(struct mg_str *out, unsigned depth);

/* Keys come from a few words, so that look-ups hit and duplicates happen. */
static inline void
random_object(struct mg_str *out, unsigned depth)
{
    static const char *const keys[] = {"a", "model", "stream", "b", "x\\\"y", "", "\\u0062",
                                       "{", "metadata"};
    mg_str_addc(out, '{');
    random_space(out);
    for (unsigned i = 0, n = random_below(6); i < n; i++) {
        if (i > 0) {
            mg_str_addc(out, ',');
            random_space(out);
        }
        mg_str_addf(out, "\"%s\"", keys[random_below(sizeof(keys) / sizeof(keys[0]))]);
        random_space(out);
        mg_str_addc(out, ':');
        random_space(out);
        random_value(out, depth - 1);
        random_space(out);
    }
    mg_str_addc(out, '}');
}

static inline void
random_array(struct mg_str *out, unsigned depth)
{
    mg_str_addc(out, '[');
    random_space(out);
    for (unsigned i = 0, n = random_below(5); i < n; i++) {
        if (i > 0)
            mg_str_addc(out, ',');
        random_space(out);
        random_value(out, depth - 1);
        random_space(out);
    }
    mg_str_addc(out, ']');
}

static inline void
random_value(struct mg_str *out, unsigned depth)
{
    static const char *const plain[] = {"0",    "-1",   "12.50", "1e3",  "1.0E-7",
                                        "true", "false", "null", "9007199254740993"};
    unsigned kind = random_below(depth > 0 ? 4 : 2);
    if (kind == 0)
        mg_str_addz(out, plain[random_below(sizeof(plain) / sizeof(plain[0]))]);
    else if (kind == 1)
        random_string(out);
    else if (kind == 2)
        random_array(out, depth);
    else
        random_object(out, depth);
}

#endif
