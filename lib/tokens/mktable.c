/* Build step: mktable VOCABULARY CLASSES TABLE. Writes the table of table.h from the two data
 * files of this folder. */
#include "tokens/table.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static struct mg_tokens_table table;

static void __attribute__((noreturn))
fail(const char *path, const char *what)
{
    fprintf(stderr, "mktable: %s: %s\n", path, what);
    exit(1);
}

static void
put(const char *bytes, uint64_t n, uint64_t rank, uint64_t at)
{
    uint64_t h = mg_tokens_hash(bytes, n);
    size_t i = h & (MG_TOKENS_SLOTS - 1);
    while (table.slot[i] != 0)
        i = (i + 1) & (MG_TOKENS_SLOTS - 1);
    table.slot[i] = n | rank << 8 | at << 26 | h >> 47 << 47;
    table.filter[mg_tokens_bit(h) / 64] |= UINT64_C(1) << mg_tokens_bit(h) % 64;
}

static void
read_vocabulary(const char *path)
{
    FILE *in = fopen(path, "rb");
    size_t at = 0;
    uint32_t rank = 0;
    if (in == NULL)
        fail(path, "cannot be read");
    memset(table.pair, 0xff, sizeof(table.pair));
    for (int n; (n = fgetc(in)) != EOF; rank++, at += (size_t)n) {
        if (n == 0 || n > (int)MG_TOKENS_LONGEST || rank == MG_TOKENS_COUNT ||
            at + (size_t)n > MG_TOKENS_BYTES ||
            fread(table.bytes + at, 1, (size_t)n, in) != (size_t)n)
            fail(path, "is not the expected vocabulary");
        put(table.bytes + at, (uint64_t)n, rank, at);
        if (n == 2)
            table.pair[mg_tokens_pair(table.bytes + at)] = rank;
    }
    if (rank != MG_TOKENS_COUNT || at != MG_TOKENS_BYTES)
        fail(path, "is not complete");
    fclose(in);
}

static uint8_t
class_of(char name)
{
    static const char names[] = "ULBMNSRO";
    const char *found = name != '\0' ? strchr(names, name) : NULL;
    return found != NULL ? (uint8_t)(1u << (found - names)) : 0;
}

static void
read_classes(const char *path, uint8_t *all)
{
    FILE *in = fopen(path, "r");
    unsigned first, last;
    char name;
    if (in == NULL)
        fail(path, "cannot be read");
    memset(all, MG_TOKENS_OTHER, 0x110000);
    while (fscanf(in, "%x %x %c\n", &first, &last, &name) == 3) {
        if (first > last || last > 0x10ffff || class_of(name) == 0)
            fail(path, "has a bad line");
        memset(all + first, class_of(name), last - first + 1);
    }
    if (!feof(in))
        fail(path, "has a bad line");
    fclose(in);
}

/* Equal pages are kept once. */
static void
pack_classes(const char *path, const uint8_t *all)
{
    size_t pages = 0;
    for (size_t i = 0; i < 0x110000 >> 7; i++) {
        size_t same = 0;
        while (same < pages && memcmp(table.cls[same], all + (i << 7), 128) != 0)
            same++;
        if (same == MG_TOKENS_PAGES)
            fail(path, "has too many different pages");
        if (same == pages)
            memcpy(table.cls[pages++], all + (i << 7), 128);
        table.page[i] = (uint8_t)same;
    }
}

int
main(int argc, char **argv)
{
    static uint8_t all[0x110000];
    if (argc != 4)
        fail("mktable", "usage: mktable VOCABULARY CLASSES TABLE");
    read_vocabulary(argv[1]);
    read_classes(argv[2], all);
    pack_classes(argv[2], all);
    FILE *out = fopen(argv[3], "wb");
    if (out == NULL || fwrite(&table, sizeof(table), 1, out) != 1 || fclose(out) != 0)
        fail(argv[3], "cannot be written");
    return 0;
}
