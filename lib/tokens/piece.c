#include "tokens/piece.h"

#include "tokens/table.h"

#include <stdbool.h>

enum {
    LETTER = MG_TOKENS_UPPER | MG_TOKENS_LOWER | MG_TOKENS_BOTH,
    HEAD = MG_TOKENS_UPPER | MG_TOKENS_BOTH | MG_TOKENS_MARK, /* may begin a word */
    TAIL = MG_TOKENS_LOWER | MG_TOKENS_BOTH | MG_TOKENS_MARK, /* may end it */
    SIGN = MG_TOKENS_OTHER | MG_TOKENS_MARK,
    BLANK = MG_TOKENS_SPACE | MG_TOKENS_BREAK
};

/* A character: its class and its bytes. At the end of the text both are 0. */
struct sign {
    unsigned cls;
    unsigned n;
};

static struct sign
class_at(uint32_t cp, unsigned n)
{
    return (struct sign){mg_tokens_table.cls[mg_tokens_table.page[cp >> 7]][cp & 127], n};
}

/* A byte that begins no character is a sign by itself. */
static struct sign
look_wide(const char *p, const char *end)
{
    const unsigned char *b = (const unsigned char *)p;
    size_t left = (size_t)(end - p);
    if (left >= 2 && b[0] >= 0xc2 && b[0] < 0xe0 && b[1] >> 6 == 2)
        return class_at((uint32_t)(b[0] & 31) << 6 | (b[1] & 63), 2);
    if (left >= 3 && b[0] >> 4 == 14 && b[1] >> 6 == 2 && b[2] >> 6 == 2)
        return class_at((uint32_t)(b[0] & 15) << 12 | (uint32_t)(b[1] & 63) << 6 | (b[2] & 63), 3);
    if (left >= 4 && b[0] >> 3 == 30 && b[1] >> 6 == 2 && b[2] >> 6 == 2 && b[3] >> 6 == 2) {
        uint32_t cp = (uint32_t)(b[0] & 7) << 18 | (uint32_t)(b[1] & 63) << 12 |
                      (uint32_t)(b[2] & 63) << 6 | (b[3] & 63);
        if (cp <= 0x10ffff)
            return class_at(cp, 4);
    }
    return (struct sign){MG_TOKENS_OTHER, 1};
}

static inline struct sign
look(const char *p, const char *end)
{
    if (p == end)
        return (struct sign){0, 0};
    if ((unsigned char)*p < 128)
        return (struct sign){mg_tokens_table.cls[0][(unsigned char)*p], 1};
    return look_wide(p, end);
}

/* Skips characters of some classes, at most `most` of them. */
static const char *
skip(const char *p, const char *end, unsigned classes, size_t most)
{
    for (; most > 0; most--) {
        struct sign s = look(p, end);
        if (!(s.cls & classes))
            break;
        p += s.n;
    }
    return p;
}

/* Behind 's 't 're 've 'm 'll 'd in any case, when one stands at p. (A long s would fold to s, but
 * no token joins it with anything, so that the count is the same.) */
static const char *
skip_contraction(const char *p, const char *end)
{
    if (end - p < 2 || *p != '\'')
        return p;
    char a = (char)(p[1] | 32), b = end - p > 2 ? (char)(p[2] | 32) : '\0';
    if (a == 's' || a == 't' || a == 'm' || a == 'd')
        return p + 2;
    if ((a == 'r' && b == 'e') || (a == 'v' && b == 'e') || (a == 'l' && b == 'l'))
        return p + 3;
    return p;
}

/* Letters from p on that make one word (a capitalised one, or one without capitals, as far as
 * there is a choice), without its contraction. p itself when there is none: what then stands
 * there is capitals only, which *capitals tells the end of. */
static const char *
word_end(const char *p, const char *end, const char **capitals)
{
    const char *at = p, *last = p; /* `last`: behind the last character that may end a word */
    for (struct sign s; (s = look(at, end)).cls & HEAD;) {
        at += s.n;
        if (s.cls & TAIL)
            last = at;
    }
    *capitals = at;
    if (look(at, end).cls & MG_TOKENS_LOWER)
        return skip(at, end, TAIL, SIZE_MAX);
    return last;
}

/* The first two alternatives of the pattern; p when neither fits. */
static const char *
match_word(const char *p, const char *end, struct sign first)
{
    const char *capitals, *to;
    const char *from = first.cls & LETTER ? p : p + first.n; /* a leading sign or blank */
    to = word_end(from, end, &capitals);
    if (to == from && first.cls != MG_TOKENS_MARK) /* a mark may be a word by itself */
        to = capitals > from ? capitals : p;
    return to == p ? p : skip_contraction(to, end);
}

/* White space with no word behind it that would take its last character along. */
static const char *
match_blank(const char *p, const char *end)
{
    const char *at = p, *last = p, *lines = NULL;
    for (struct sign s; (s = look(at, end)).cls & BLANK; at += s.n) {
        last = at;
        if (s.cls == MG_TOKENS_BREAK)
            lines = at + s.n;
    }
    if (lines != NULL)
        return lines;
    return at == end || last == p ? at : last;
}

static const char *
match_signs(const char *p, const char *end)
{
    p = skip(p, end, SIGN, SIZE_MAX);
    while (p < end && (*p == '\r' || *p == '\n' || *p == '/'))
        p++;
    return p;
}

const char *
mg_piece_end(const char *p, const char *end)
{
    struct sign first = look(p, end);
    if (first.cls == MG_TOKENS_NUMBER)
        return skip(p, end, MG_TOKENS_NUMBER, 3);
    if (first.cls != MG_TOKENS_BREAK) {
        const char *to = match_word(p, end, first);
        if (to != p)
            return to;
    }
    if (first.cls == MG_TOKENS_OTHER)
        return match_signs(p, end);
    if (*p == ' ' && look(p + 1, end).cls & SIGN)
        return match_signs(p + 1, end);
    return match_blank(p, end);
}
