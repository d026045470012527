/* Hashes, keyed hashes, authenticated encryption and comparison in constant time (libcrypto). */
#ifndef MG_BASE_DIGEST_H
#define MG_BASE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MG_SHA256_BYTES 32
#define MG_SEAL_KEY 32
#define MG_SEAL_NONCE 12
#define MG_SEAL_TAG 16
#define MG_SEAL_OVERHEAD (MG_SEAL_NONCE + MG_SEAL_TAG)

/* SHA-256 of n bytes; HMAC-SHA-256 under a key. */
void mg_sha256(const void *bytes, size_t n, uint8_t out[MG_SHA256_BYTES])
    __attribute__((nonnull(3)));
void mg_hmac_sha256(const void *key, size_t key_len, const void *bytes, size_t n,
                    uint8_t out[MG_SHA256_BYTES]) __attribute__((nonnull(1, 5)));
/* Equality of n bytes in a time that does not depend on them. */
bool mg_same(const void *a, const void *b, size_t n) __attribute__((nonnull));
/* Overwrites secrets before their memory is given back. */
void mg_wipe(void *p, size_t n);

/* AES-256-GCM: nonce ‖ ciphertext ‖ tag into out (n + MG_SEAL_OVERHEAD bytes). `aad` binds the
 * result to its place (account and version), so that a row copied elsewhere does not open. */
void mg_seal(const uint8_t key[MG_SEAL_KEY], const void *aad, size_t aad_len, const void *plain,
             size_t n, uint8_t *out) __attribute__((nonnull(1, 6)));
/* The same under a nonce of the caller's (MG_SEAL_NONCE bytes), who answers for never using one
 * twice for different texts. */
void mg_seal_with(const uint8_t key[MG_SEAL_KEY], const uint8_t *nonce, const void *aad,
                  size_t aad_len, const void *plain, size_t n, uint8_t *out)
    __attribute__((nonnull(1, 2, 7)));
/* Opens what mg_seal made: writes len - MG_SEAL_OVERHEAD bytes. 0, or -1 when the key, the
 * place or the bytes are not the ones that were sealed. */
int mg_unseal(const uint8_t key[MG_SEAL_KEY], const void *aad, size_t aad_len,
              const uint8_t *sealed, size_t len, uint8_t *plain)
    __attribute__((nonnull(1, 4, 6), warn_unused_result));

#endif
