#include "base/digest.h"

#include "base/id.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libcrypto only fails here when memory is gone or the build lacks the algorithm. */
static void
must(int ok)
{
    if (ok <= 0) {
        fprintf(stderr, "libcrypto refused a basic operation\n");
        abort();
    }
}

void
mg_sha256(const void *bytes, size_t n, uint8_t out[MG_SHA256_BYTES])
{
    must(EVP_Digest(bytes, n, out, NULL, EVP_sha256(), NULL));
}

void
mg_hmac_sha256(const void *key, size_t key_len, const void *bytes, size_t n,
               uint8_t out[MG_SHA256_BYTES])
{
    unsigned len = MG_SHA256_BYTES;
    must(HMAC(EVP_sha256(), key, (int)key_len, bytes, n, out, &len) != NULL);
}

bool
mg_same(const void *a, const void *b, size_t n)
{
    return CRYPTO_memcmp(a, b, n) == 0;
}

void
mg_wipe(void *p, size_t n)
{
    if (p != NULL)
        OPENSSL_cleanse(p, n);
}

void
mg_seal(const uint8_t key[MG_SEAL_KEY], const void *aad, size_t aad_len, const void *plain,
        size_t n, uint8_t *out)
{
    uint8_t nonce[MG_SEAL_NONCE];
    mg_random(nonce, sizeof(nonce));
    mg_seal_with(key, nonce, aad, aad_len, plain, n, out);
}

void
mg_seal_with(const uint8_t key[MG_SEAL_KEY], const uint8_t *nonce, const void *aad,
             size_t aad_len, const void *plain, size_t n, uint8_t *out)
{
    uint8_t *body = out + MG_SEAL_NONCE;
    int len = 0, tail = 0;
    memcpy(out, nonce, MG_SEAL_NONCE);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    must(ctx != NULL);
    must(EVP_EncryptInit_ex(ctx, EVP_aes_256_gcm(), NULL, key, nonce));
    if (aad_len > 0)
        must(EVP_EncryptUpdate(ctx, NULL, &len, aad, (int)aad_len));
    len = 0;
    if (n > 0)
        must(EVP_EncryptUpdate(ctx, body, &len, plain, (int)n));
    must(EVP_EncryptFinal_ex(ctx, body + len, &tail));
    must(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, MG_SEAL_TAG, body + n));
    EVP_CIPHER_CTX_free(ctx);
}

int
mg_unseal(const uint8_t key[MG_SEAL_KEY], const void *aad, size_t aad_len,
          const uint8_t *sealed, size_t len, uint8_t *plain)
{
    if (len < MG_SEAL_OVERHEAD)
        return -1;
    size_t n = len - MG_SEAL_OVERHEAD;
    const uint8_t *body = sealed + MG_SEAL_NONCE;
    uint8_t tag[MG_SEAL_TAG];
    int got = 0, tail = 0;
    memcpy(tag, body + n, MG_SEAL_TAG);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    must(ctx != NULL);
    must(EVP_DecryptInit_ex(ctx, EVP_aes_256_gcm(), NULL, key, sealed));
    if (aad_len > 0)
        must(EVP_DecryptUpdate(ctx, NULL, &got, aad, (int)aad_len));
    got = 0;
    if (n > 0)
        must(EVP_DecryptUpdate(ctx, plain, &got, body, (int)n));
    must(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, MG_SEAL_TAG, tag));
    int ok = EVP_DecryptFinal_ex(ctx, plain + got, &tail);
    EVP_CIPHER_CTX_free(ctx);
    if (ok <= 0) {
        mg_wipe(plain, n);
        return -1;
    }
    return 0;
}
