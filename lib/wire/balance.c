#include "wire/balance.h"

static bool
is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static void
in_string(struct mg_balance *b, char c)
{
    if (b->escaped)
        b->escaped = false;
    else if (c == '\\')
        b->escaped = true;
    else if (c == '"')
        b->in_string = false;
}

static void
outside(struct mg_balance *b, char c)
{
    if (is_space(c))
        return;
    if (b->whole || (!b->begun && c != '{')) {
        b->odd = true;
        return;
    }
    b->begun = true;
    if (c == '"') {
        b->in_string = true;
    } else if (c == '{' || c == '[') {
        b->depth++;
    } else if ((c == '}' || c == ']') && b->depth > 0 && --b->depth == 0) {
        b->whole = true;
    }
}

void
mg_balance_feed(struct mg_balance *b, struct mg_span piece)
{
    for (size_t i = 0; i < piece.n && !b->odd; i++) {
        if (b->in_string)
            in_string(b, piece.p[i]);
        else
            outside(b, piece.p[i]);
    }
}

bool
mg_balance_whole(const struct mg_balance *b)
{
    return b->whole && !b->odd;
}

bool
mg_balance_torn(const struct mg_balance *b)
{
    return b->begun && !b->whole && !b->odd;
}
