/* Fuzzing of what clients carry for us: compactions and packs, made here, brought back altered.
 *
 * The first two bytes say which byte of a sealed text is altered and how, the rest is a text.
 * What an attacker writes does not open; what was made for an account opens for it alone; what was
 * altered does not open as anything else. */
#include "wire/compaction.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t key[MG_PACK_KEY] = "an example key of thirty-two byt";

static void
must(bool good)
{
    if (!good)
        abort();
}

static bool
same(struct mg_span a, struct mg_span b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static void
alter(struct mg_str *text, const uint8_t how[2])
{
    size_t at = how[0] % text->len;
    if (how[1] == 0)
        text->len = at;
    else
        text->p[at] = (char)(text->p[at] ^ how[1]);
}

static void
check_compaction(const uint8_t how[2], struct mg_span words, struct mg_pool *pool)
{
    struct mg_span opened;
    struct mg_str sealed;
    mg_str_init(&sealed, 2 * words.n + 256);
    must(!mg_compaction_read(key, 7, words, pool, &opened));
    mg_compaction_write(key, 7, words, &sealed);
    must(mg_str_ok(&sealed) && mg_pack_looks(mg_str_span(&sealed)));
    must(!mg_compaction_read(key, 8, mg_str_span(&sealed), pool, &opened));
    must(mg_compaction_read(key, 7, mg_str_span(&sealed), pool, &opened) && same(opened, words));
    alter(&sealed, how); /* the two alphabets of base64 say the same */
    must(!mg_compaction_read(key, 7, mg_str_span(&sealed), pool, &opened) || same(opened, words));
    mg_str_free(&sealed);
}

static void
check_pack(const uint8_t how[2], struct mg_span words, struct mg_pool *pool)
{
    size_t third = words.n / 3;
    const struct mg_pack pack = {.kind = MG_PACK_REASONING, .origin = {"up", 2},
                                 .id = {words.p, third}, .text = {words.p + third, third},
                                 .blob = {words.p + 2 * third, words.n - 2 * third}};
    struct mg_pack opened;
    struct mg_str sealed;
    mg_str_init(&sealed, 2 * words.n + 256);
    must(!mg_pack_read(key, words, pool, &opened));
    mg_pack_write(key, &pack, &sealed);
    must(mg_str_ok(&sealed) && mg_pack_read(key, mg_str_span(&sealed), pool, &opened));
    must(same(opened.id, pack.id) && same(opened.text, pack.text) && same(opened.blob, pack.blob));
    alter(&sealed, how);
    must(!mg_pack_read(key, mg_str_span(&sealed), pool, &opened) ||
         (same(opened.id, pack.id) && same(opened.text, pack.text) &&
          same(opened.blob, pack.blob) && opened.kind == pack.kind));
    mg_str_free(&sealed);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    struct mg_pool *pool = mg_pool_new();
    struct mg_span words = {(const char *)data + 2, size - 2};
    check_compaction(data, words, pool);
    check_pack(data, words, pool);
    mg_pool_free(&pool);
    return 0;
}
