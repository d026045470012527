#include "wire/names.h"

#include "base/digest.h"
#include "base/id.h"
#include "base/utf8.h"
#include "wire/base64.h"
#include "wire/turn.h"

#include <stdio.h>
#include <string.h>

#define ID_PREFIX "mgid_"
#define ID_HASH "mgidh_"
#define NAME_MAX_CHAT 64
#define NAME_MAX_MESSAGES 128
#define CALL_ID_MAX 64  /* Responses: call_id; ids of other formats have no such limit */
#define HASH_DIGITS 10

struct mg_name_row {
    struct mg_translated_tool tool;
    struct mg_name_row *next;
};

void
mg_names_init(struct mg_names *names, struct mg_pool *pool, enum mg_family upstream,
              const uint8_t *secret)
{
    *names = (struct mg_names){.pool = pool, .upstream = upstream};
    mg_map_init(&names->by_client, pool, secret);
    mg_map_init(&names->by_upstream, pool, secret);
}

static bool
is_word(struct mg_span text)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_' || c == '-'))
            return false;
    }
    return text.n > 0;
}

static size_t
longest(enum mg_family upstream)
{
    return upstream == MG_MESSAGES ? NAME_MAX_MESSAGES : NAME_MAX_CHAT;
}

/* The name cut and cleaned, with a piece of its hash behind it. `salt` tells apart names that
 * would still meet. */
static char *
hashed_name(struct mg_pool *pool, struct mg_span full, size_t max, unsigned salt)
{
    uint8_t key[4] = {(uint8_t)(salt >> 24), (uint8_t)(salt >> 16), (uint8_t)(salt >> 8),
                      (uint8_t)salt};
    uint8_t hash[MG_SHA256_BYTES];
    char hex[2 * MG_SHA256_BYTES + 1];
    mg_hmac_sha256(key, sizeof(key), full.p, full.n, hash);
    mg_hex(hash, sizeof(hash), hex);
    size_t keep = max - HASH_DIGITS - 1;
    if (keep > full.n)
        keep = full.n;
    char *name = mg_pool_alloc(pool, keep + HASH_DIGITS + 2);
    for (size_t i = 0; i < keep; i++)
        name[i] = is_word((struct mg_span){full.p + i, 1}) ? full.p[i] : '_';
    name[keep] = '_';
    memcpy(name + keep + 1, hex, HASH_DIGITS);
    return name;
}

/* What the upstream is told when nothing stands against it: the name with its namespace. */
static struct mg_span
full_name(struct mg_pool *pool, struct mg_span name, struct mg_span space)
{
    if (space.n == 0)
        return name;
    bool joined = space.n > 2 && memcmp(space.p + space.n - 2, "__", 2) == 0;
    struct mg_str full;
    mg_str_init(&full, space.n + name.n + 3);
    mg_str_addspan(&full, space);
    if (!joined)
        mg_str_addz(&full, "__");
    mg_str_addspan(&full, name);
    struct mg_span kept = {mg_pool_strndup(pool, full.p, full.len), full.len};
    mg_str_free(&full);
    return kept;
}

static const char *
upstream_name(struct mg_names *names, struct mg_span name, struct mg_span space)
{
    struct mg_span full = full_name(names->pool, name, space);
    size_t max = longest(names->upstream);
    char *told = is_word(full) && full.n <= max ? mg_pool_strndup(names->pool, full.p, full.n)
                                                : hashed_name(names->pool, full, max, 0);
    for (unsigned salt = 1; mg_map_get(&names->by_upstream, mg_span_z(told)) != NULL; salt++)
        told = hashed_name(names->pool, full, max, salt);
    return told;
}

const struct mg_translated_tool *
mg_names_tool(struct mg_names *names, struct mg_span name, struct mg_span space, bool custom,
              bool wrapped)
{
    struct mg_span key = mg_tool_key(names->pool, name, space);
    struct mg_name_row *row = mg_map_get(&names->by_client, key);
    if (row != NULL)
        return &row->tool;
    row = mg_pool_alloc(names->pool, sizeof(*row));
    row->tool.client = mg_pool_strndup(names->pool, name.p, name.n);
    row->tool.space = space.n > 0 ? mg_pool_strndup(names->pool, space.p, space.n) : NULL;
    row->tool.upstream = upstream_name(names, name, space);
    row->tool.custom = custom;
    row->tool.wrapped = wrapped;
    if (space.n == 0)
        key.p = row->tool.client;
    *mg_map_at(&names->by_client, key) = row;
    *mg_map_at(&names->by_upstream, mg_span_z(row->tool.upstream)) = row;
    if (names->last != NULL)
        names->last->next = row;
    else
        names->first = row;
    names->last = row;
    names->count++;
    return &row->tool;
}

const char *
mg_names_own(struct mg_names *names, const char *wish)
{
    char *told = mg_pool_strdup(names->pool, wish);
    for (unsigned salt = 1; mg_map_get(&names->by_upstream, mg_span_z(told)) != NULL; salt++)
        told = hashed_name(names->pool, mg_span_z(wish), longest(names->upstream), salt);
    *mg_map_at(&names->by_upstream, mg_span_z(told)) = told;
    return told;
}

const struct mg_translated_tool *
mg_names_all(const struct mg_names *names)
{
    struct mg_translated_tool *all = mg_pool_alloc(names->pool, (names->count + 1) * sizeof(*all));
    size_t i = 0;
    for (const struct mg_name_row *row = names->first; row != NULL; row = row->next)
        all[i++] = row->tool;
    return all;
}

static bool
is_valid_id(enum mg_family family, struct mg_span id)
{
    if (family == MG_MESSAGES)
        return is_word(id);
    return family != MG_RESPONSES || id.n <= CALL_ID_MAX;
}

/* Puts back what an earlier turn changed; false when the id is none of ours. */
static bool
restore_id(struct mg_span id, struct mg_str *out)
{
    size_t skip = strlen(ID_PREFIX);
    if (id.n <= skip || memcmp(id.p, ID_PREFIX, skip) != 0)
        return false;
    struct mg_str again;
    mg_str_init(&again, id.n + 8);
    bool good = mg_base64_decode((struct mg_span){id.p + skip, id.n - skip}, out) &&
                mg_utf8_valid(out->p, out->len) && memchr(out->p, '\0', out->len) == NULL &&
                !is_word(mg_str_span(out)); /* words are never coded */
    mg_base64url(out->p, out->len, &again);
    good = good && again.len == id.n - skip && memcmp(again.p, id.p + skip, again.len) == 0;
    mg_str_free(&again);
    return good;
}

static const char *
coded_id(enum mg_family family, struct mg_span id, struct mg_pool *pool)
{
    struct mg_str out;
    uint8_t hash[MG_SHA256_BYTES];
    size_t coded = strlen(ID_PREFIX) + (id.n * 4 + 2) / 3;
    bool whole = coded <= CALL_ID_MAX || (family == MG_MESSAGES && coded <= 4 * CALL_ID_MAX);
    mg_str_init(&out, 8 * CALL_ID_MAX);
    mg_str_addz(&out, whole ? ID_PREFIX : ID_HASH);
    if (!whole)
        mg_sha256(id.p, id.n, hash);
    mg_base64url(whole ? id.p : (const char *)hash, whole ? id.n : sizeof(hash), &out);
    const char *kept = mg_pool_strndup(pool, out.p, out.len);
    mg_str_free(&out);
    return kept;
}

const char *
mg_names_call_id(enum mg_family family, struct mg_span id, struct mg_pool *pool)
{
    struct mg_str raw;
    const char *kept = "";
    mg_str_init(&raw, id.n + 8);
    bool ours = restore_id(id, &raw);
    struct mg_span first = ours ? mg_str_span(&raw) : id;
    if (first.n > 0)
        kept = is_valid_id(family, first) ? mg_pool_strndup(pool, first.p, first.n)
                                          : coded_id(family, first, pool);
    mg_str_free(&raw);
    return kept;
}
