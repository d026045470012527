/* Hashes against published vectors; sealing against every kind of tampering. */
#include "base/digest.h"

#include "base/id.h"
#include "tap.h"

static void
test_hashes(void)
{
    uint8_t hash[MG_SHA256_BYTES];
    char hex[2 * MG_SHA256_BYTES + 1];
    mg_sha256("abc", 3, hash);
    is_str(mg_hex(hash, sizeof(hash), hex),
           "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
           "SHA-256 of abc (FIPS 180)");
    mg_sha256(NULL, 0, hash);
    is_str(mg_hex(hash, sizeof(hash), hex),
           "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
           "SHA-256 of nothing");
    mg_hmac_sha256("Jefe", 4, "what do ya want for nothing?", 28, hash);
    is_str(mg_hex(hash, sizeof(hash), hex),
           "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
           "HMAC-SHA-256, test case 2 of RFC 4231");
}

static void
test_same(void)
{
    ok(mg_same("abc", "abc", 3), "equal bytes are the same");
    ok(!mg_same("abc", "abd", 3), "others are not");
    ok(mg_same("abc", "xyz", 0), "no bytes are the same");
    char secret[] = "secret";
    mg_wipe(secret, sizeof(secret));
    ok(memcmp(secret, "\0\0\0\0\0\0\0", 7) == 0, "a wiped secret is gone");
    mg_wipe(NULL, 5);
    ok(true, "wiping nothing does no harm");
}

static const uint8_t key[MG_SEAL_KEY] = "0123456789abcdef0123456789abcde";

static void
test_seal(void)
{
    static const char text[] = "sk-secret";
    uint8_t sealed[sizeof(text) + MG_SEAL_OVERHEAD], again[sizeof(sealed)], plain[sizeof(text)];
    mg_seal(key, "7:1", 3, text, sizeof(text), sealed);
    mg_seal(key, "7:1", 3, text, sizeof(text), again);
    ok(memcmp(sealed, again, sizeof(sealed)) != 0, "sealing twice gives two results");
    is_int(mg_unseal(key, "7:1", 3, sealed, sizeof(sealed), plain), 0, "a seal opens");
    is_str((char *)plain, text, "and gives the text back");

    bool refused = true, wiped = true;
    for (size_t bit = 0; bit < 8 * sizeof(sealed); bit++) {
        memcpy(again, sealed, sizeof(sealed));
        again[bit / 8] ^= (uint8_t)(1 << bit % 8);
        memset(plain, 'x', sizeof(plain));
        refused = refused && mg_unseal(key, "7:1", 3, again, sizeof(again), plain) == -1;
        wiped = wiped && plain[0] == 0 && plain[sizeof(plain) - 1] == 0;
    }
    ok(refused, "one changed bit, whichever, and it does not open");
    ok(wiped, "and nothing of the text is left behind");
    for (size_t n = 0; n < sizeof(sealed); n++)
        refused = refused && mg_unseal(key, "7:1", 3, sealed, n, plain) == -1;
    ok(refused, "cut at any length it does not open");
    is_int(mg_unseal(key, "7:2", 3, sealed, sizeof(sealed), plain), -1, "nor at another place");
    is_int(mg_unseal(key, "7:1", 2, sealed, sizeof(sealed), plain), -1, "nor at half the place");
    is_int(mg_unseal(key, NULL, 0, sealed, sizeof(sealed), plain), -1, "nor at none");
    uint8_t other[MG_SEAL_KEY];
    memcpy(other, key, sizeof(other));
    other[31] ^= 1;
    is_int(mg_unseal(other, "7:1", 3, sealed, sizeof(sealed), plain), -1, "nor with another key");
}

static void
test_seal_nothing(void)
{
    uint8_t sealed[MG_SEAL_OVERHEAD], plain[1];
    mg_seal(key, NULL, 0, "", 0, sealed);
    is_int(mg_unseal(key, NULL, 0, sealed, sizeof(sealed), plain), 0, "nothing can be sealed");
    sealed[MG_SEAL_OVERHEAD - 1] ^= 1;
    is_int(mg_unseal(key, NULL, 0, sealed, sizeof(sealed), plain), -1, "and is guarded too");
}

int
main(void)
{
    plan(0);
    test_hashes();
    test_same();
    test_seal();
    test_seal_nothing();
    return done();
}
