#include "wire/compaction.h"

#include "base/alloc.h"
#include "base/digest.h"
#include "wire/base64.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "mg1.c." /* begins as a pack does: what searches for packs finds it, too */
#define SUMMARY_MAX ((size_t)20 << 20)

/* One key for each use: sealing, and making nonces. */
static void
derive(const uint8_t *key, const char *purpose, uint8_t out[MG_SHA256_BYTES])
{
    mg_hmac_sha256(key, MG_PACK_KEY, purpose, strlen(purpose), out);
}

/* What is authenticated beside the text; returns its length. */
static size_t
place_text(uint64_t owner, char buf[40])
{
    return (size_t)snprintf(buf, 40, "compaction:%llu", (unsigned long long)owner);
}

static void
make_nonce(const uint8_t *key, const char *place, size_t place_len, struct mg_span text,
           uint8_t nonce[MG_SEAL_NONCE])
{
    uint8_t own[MG_SHA256_BYTES], bound[MG_SHA256_BYTES], digest[MG_SHA256_BYTES];
    derive(key, "model-gateway compaction nonce 1", own);
    mg_hmac_sha256(own, sizeof(own), place, place_len, bound);
    mg_hmac_sha256(bound, sizeof(bound), text.p, text.n, digest);
    memcpy(nonce, digest, MG_SEAL_NONCE);
    mg_wipe(own, sizeof(own));
    mg_wipe(bound, sizeof(bound));
}

void
mg_compaction_write(const uint8_t *key, uint64_t owner, struct mg_span summary,
                    struct mg_str *out)
{
    uint8_t own[MG_SHA256_BYTES], nonce[MG_SEAL_NONCE];
    char place[40];
    size_t place_len = place_text(owner, place), n = summary.n + MG_SEAL_OVERHEAD;
    if (summary.n > SUMMARY_MAX)
        summary.n = 0; /* no model writes such a thing */
    uint8_t *sealed = mg_malloc(n);
    derive(key, "model-gateway compaction 1", own);
    make_nonce(key, place, place_len, summary, nonce);
    mg_seal_with(own, nonce, place, place_len, summary.p, summary.n, sealed);
    mg_str_addz(out, PREFIX);
    mg_base64url(sealed, summary.n + MG_SEAL_OVERHEAD, out);
    free(sealed);
    mg_wipe(own, sizeof(own));
}

static bool
open_sealed(const uint8_t *key, uint64_t owner, const struct mg_str *sealed,
            struct mg_pool *pool, struct mg_span *summary)
{
    uint8_t own[MG_SHA256_BYTES];
    char place[40];
    if (sealed->len < MG_SEAL_OVERHEAD)
        return false;
    size_t place_len = place_text(owner, place), n = sealed->len - MG_SEAL_OVERHEAD;
    char *text = mg_pool_alloc(pool, n + 1);
    derive(key, "model-gateway compaction 1", own);
    int rc = mg_unseal(own, place, place_len, (const uint8_t *)sealed->p, sealed->len,
                       (uint8_t *)text);
    mg_wipe(own, sizeof(own));
    *summary = (struct mg_span){text, n};
    return rc == 0;
}

bool
mg_compaction_read(const uint8_t *key, uint64_t owner, struct mg_span sealed,
                   struct mg_pool *pool, struct mg_span *summary)
{
    const size_t prefix = strlen(PREFIX);
    struct mg_str bytes;
    if (sealed.n <= prefix || sealed.n > 2 * SUMMARY_MAX || memcmp(sealed.p, PREFIX, prefix) != 0)
        return false;
    mg_str_init(&bytes, sealed.n);
    bool good = mg_base64_decode((struct mg_span){sealed.p + prefix, sealed.n - prefix}, &bytes) &&
                open_sealed(key, owner, &bytes, pool, summary);
    mg_str_free(&bytes);
    return good;
}
