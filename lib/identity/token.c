#include "identity/token.h"

#include "base/id.h"

#include <string.h>

#define RANDOM_LEN 43
#define CHECK_LEN 6

_Static_assert(RANDOM_LEN + CHECK_LEN == MG_TOKEN_TAIL, "the parts fill it");

static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/* The characters that check the first n ones. */
static void
check_characters(const char *body, size_t length, char check[CHECK_LEN])
{
    uint8_t hash[MG_SHA256_BYTES];
    mg_sha256(body, length, hash);
    uint32_t n = (uint32_t)hash[0] << 24 | (uint32_t)hash[1] << 16 | (uint32_t)hash[2] << 8 |
                 hash[3];
    for (int i = 0; i < CHECK_LEN; i++, n /= 62)
        check[i] = digits[n % 62];
}

void
mg_token_make(const char *prefix, char *secret)
{
    size_t n = strlen(prefix), body = n + RANDOM_LEN;
    memcpy(secret, prefix, n);
    while (n < body) {
        uint8_t byte;
        mg_random(&byte, 1);
        if (byte < 4 * 62) /* the rest would make some characters likelier than others */
            secret[n++] = digits[byte % 62];
    }
    check_characters(secret, body, secret + body);
    secret[body + CHECK_LEN] = '\0';
}

bool
mg_token_well_formed(const char *prefix, const char *secret)
{
    char check[CHECK_LEN];
    size_t n = strlen(prefix), length = n + MG_TOKEN_TAIL;
    if (strnlen(secret, length + 1) != length || memcmp(secret, prefix, n) != 0 ||
        strspn(secret + n, digits) != MG_TOKEN_TAIL)
        return false;
    check_characters(secret, n + RANDOM_LEN, check);
    return mg_same(check, secret + n + RANDOM_LEN, CHECK_LEN);
}

void
mg_token_hash(const char *secret, uint8_t hash[MG_SHA256_BYTES])
{
    mg_sha256(secret, strlen(secret), hash);
}
