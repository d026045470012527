#include "tokens/merge.h"

#include "tokens/table.h"
#include "tokens/tokens.h"

#include <stdbool.h>

#define SHORT 48 /* bytes: up to here a plain search for the lowest rank is the fastest */

static uint32_t
rank_of(const char *p, size_t n)
{
    if (n > MG_TOKENS_LONGEST)
        return MG_TOKENS_NONE;
    uint64_t h = mg_tokens_hash(p, n), want = h >> 47 << 47 | n;
    size_t bit = mg_tokens_bit(h);
    if (!(mg_tokens_table.filter[bit / 64] >> bit % 64 & 1))
        return MG_TOKENS_NONE;
    const uint64_t compared = UINT64_MAX << 47 | 255;
    for (size_t i = h & (MG_TOKENS_SLOTS - 1);; i = (i + 1) & (MG_TOKENS_SLOTS - 1)) {
        uint64_t slot = mg_tokens_table.slot[i];
        if (slot == 0)
            return MG_TOKENS_NONE;
        if ((slot & compared) == want &&
            memcmp(mg_tokens_table.bytes + (slot >> 26 & 0x1fffff), p, n) == 0)
            return slot >> 8 & 0x3ffff;
    }
}

/* part[i] .. part[i + 1] are the bytes of a token, rank[i] is what it and the next would be. */
static size_t
merge_short(const char *p, size_t n)
{
    uint32_t rank[SHORT + 2];
    uint8_t part[SHORT + 2];
    size_t parts = n;
    for (size_t i = 0; i <= n; i++) {
        part[i] = (uint8_t)i;
        rank[i] = i + 2 <= n ? mg_tokens_table.pair[mg_tokens_pair(p + i)] : MG_TOKENS_NONE;
    }
    while (parts > 1) {
        size_t best = 0;
        for (size_t i = 1; i + 1 < parts; i++)
            if (rank[i] < rank[best])
                best = i;
        if (rank[best] == MG_TOKENS_NONE)
            break;
        memmove(part + best + 1, part + best + 2, parts - best - 1);
        memmove(rank + best + 1, rank + best + 2, (parts - best - 1) * sizeof(*rank));
        parts--;
        rank[best] = best + 1 < parts
                         ? rank_of(p + part[best], (size_t)part[best + 2] - part[best])
                         : MG_TOKENS_NONE;
        if (best > 0)
            rank[best - 1] = rank_of(p + part[best - 1], (size_t)part[best + 1] - part[best - 1]);
    }
    return parts;
}

/* A long piece: neighbours in a doubly linked list over the byte positions, candidates in a
 * binary heap. A candidate whose rank is no longer that of its place is out of date. */
struct chain {
    const char *p;
    size_t n;
    uint16_t next[MG_TOKENS_WINDOW + 1], prev[MG_TOKENS_WINDOW + 1];
    uint32_t rank[MG_TOKENS_WINDOW + 1];
    uint64_t heap[3 * MG_TOKENS_WINDOW]; /* rank << 16 | place */
    size_t heaped;
};

static void
push(struct chain *c, size_t at)
{
    uint64_t entry = (uint64_t)c->rank[at] << 16 | at;
    size_t i = c->heaped++;
    for (; i > 0 && c->heap[(i - 1) / 2] > entry; i = (i - 1) / 2)
        c->heap[i] = c->heap[(i - 1) / 2];
    c->heap[i] = entry;
}

static uint64_t
pop(struct chain *c)
{
    uint64_t top = c->heap[0], last = c->heap[--c->heaped];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < c->heaped; i = child) {
        if (child + 1 < c->heaped && c->heap[child + 1] < c->heap[child])
            child++;
        if (c->heap[child] >= last)
            break;
        c->heap[i] = c->heap[child];
    }
    c->heap[i] = last;
    return top;
}

/* What the token at `at` and the one behind it would be. */
static void
rate(struct chain *c, size_t at)
{
    size_t second = c->next[at];
    c->rank[at] = second < c->n ? rank_of(c->p + at, c->next[second] - at) : MG_TOKENS_NONE;
    if (c->rank[at] != MG_TOKENS_NONE)
        push(c, at);
}

static size_t
merge_long(const char *p, size_t n)
{
    struct chain c;
    size_t parts = n;
    c.p = p;
    c.n = n;
    c.heaped = 0;
    for (size_t i = 0; i <= n; i++) {
        c.next[i] = (uint16_t)(i + 1);
        c.prev[i] = (uint16_t)(i - 1);
    }
    for (size_t i = 0; i + 1 < n; i++)
        if ((c.rank[i] = mg_tokens_table.pair[mg_tokens_pair(p + i)]) != MG_TOKENS_NONE)
            push(&c, i);
    while (c.heaped > 0) {
        uint64_t entry = pop(&c);
        size_t at = entry & 0xffff, gone = c.next[at];
        if (c.rank[at] != entry >> 16)
            continue;
        c.next[at] = c.next[gone];
        c.prev[c.next[at]] = (uint16_t)at;
        c.rank[gone] = MG_TOKENS_NONE;
        parts--;
        rate(&c, at);
        if (at > 0)
            rate(&c, c.prev[at]);
    }
    return parts;
}

/* Bytes of the next window: whole characters. */
static size_t
window(const char *p, size_t n)
{
    if (n <= MG_TOKENS_WINDOW)
        return n;
    size_t k = MG_TOKENS_WINDOW;
    for (unsigned back = 0; back < 3 && ((unsigned char)p[k] & 0xc0) == 0x80; back++)
        k--;
    return k;
}

size_t
mg_merge_count(const char *p, size_t n)
{
    if (n == 1 || rank_of(p, n) != MG_TOKENS_NONE)
        return 1;
    if (n <= SHORT)
        return merge_short(p, n);
    size_t tokens = 0;
    for (size_t k; n > 0; p += k, n -= k) {
        k = window(p, n);
        tokens += merge_long(p, k);
    }
    return tokens;
}
