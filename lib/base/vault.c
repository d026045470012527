#include "base/vault.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
mg_vault_open(struct mg_vault *vault, const struct mg_conf *conf, struct mg_err *err)
{
    static const char label[] = "model-gateway master key mark";
    uint8_t digest[MG_SHA256_BYTES];
    if (mg_conf_master_key(conf, vault->key, err) != 0)
        return -1;
    mg_hmac_sha256(vault->key, sizeof(vault->key), label, sizeof(label) - 1, digest);
    memcpy(vault->mark, digest, sizeof(vault->mark));
    return 0;
}

void
mg_vault_close(struct mg_vault *vault)
{
    mg_wipe(vault, sizeof(*vault));
}

/* What is authenticated beside the secret; returns its length. */
static size_t
place_text(struct mg_vault_place place, char *buf, size_t size)
{
    int n = snprintf(buf, size, "%s:%llu:%llu", place.purpose, (unsigned long long)place.owner,
                     (unsigned long long)place.version);
    return n > 0 && (size_t)n < size ? (size_t)n : size - 1;
}

void
mg_vault_seal(const struct mg_vault *vault, struct mg_vault_place place, const char *secret,
              size_t n, uint8_t *out)
{
    char aad[96];
    size_t aad_len = place_text(place, aad, sizeof(aad));
    memcpy(out, vault->mark, MG_VAULT_MARK);
    mg_seal(vault->key, aad, aad_len, secret, n, out + MG_VAULT_MARK);
}

char *
mg_vault_unseal(const struct mg_vault *vault, struct mg_vault_place place, const void *sealed,
                size_t n, struct mg_err *err)
{
    char aad[96];
    size_t aad_len = place_text(place, aad, sizeof(aad));
    const uint8_t *bytes = sealed;
    if (n < MG_VAULT_OVERHEAD) {
        mg_err_internal(err, "%s: the sealed value is cut off (%zu bytes)", aad, n);
        return NULL;
    }
    if (memcmp(bytes, vault->mark, MG_VAULT_MARK) != 0) {
        mg_err_internal(err, "%s was sealed under another master key; is master_key_file the "
                             "right file?", aad);
        return NULL;
    }
    size_t len = n - MG_VAULT_OVERHEAD;
    char *secret = mg_malloc(len + 1);
    if (mg_unseal(vault->key, aad, aad_len, bytes + MG_VAULT_MARK, n - MG_VAULT_MARK,
                  (uint8_t *)secret) != 0) {
        free(secret);
        mg_err_internal(err, "%s: the sealed value does not open: its row was altered", aad);
        return NULL;
    }
    secret[len] = '\0';
    return secret;
}
