#include "sign.h"

#include "codec.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

enum { MAC = 32 };

static const char secret[] = "the secret of the simulated provider, known to nobody else";

static void mac_of(unsigned char out[MAC], const char *kind, const void *data, size_t n)
{
    struct sim_buf b = {0};
    unsigned len = MAC;

    sim_buf_add(&b, kind, strlen(kind) + 1);
    sim_buf_add(&b, data, n);
    HMAC(EVP_sha256(), secret, sizeof secret - 1, (const unsigned char *)b.p, b.len, out, &len);
    sim_buf_free(&b);
}

/* Decodes base64 that must be spelled exactly as we would spell it. Returns 0 or -1. */
static int decode_exactly(struct sim_buf *raw, const char *s)
{
    struct sim_buf again = {0};
    int rc = sim_base64_decode(raw, s, strlen(s));

    if (rc == 0) {
        sim_base64_add(&again, raw->p, raw->len);
        rc = strcmp(sim_buf_cstr(&again), s) == 0 ? 0 : -1;
    }
    sim_buf_free(&again);
    return rc;
}

/* base64 of mac and payload */
static const char *packed(struct sim_pool *pool, const char *kind, const struct sim_buf *payload,
                          const void *covered, size_t n)
{
    unsigned char mac[MAC];
    struct sim_buf all = {0};
    struct sim_buf text = {0};
    const char *s;

    mac_of(mac, kind, covered, n);
    sim_buf_add(&all, mac, MAC);
    sim_buf_add(&all, payload->p, payload->len);
    sim_base64_add(&text, all.p, all.len);
    s = sim_pool_copy(pool, text.p, text.len);
    sim_buf_free(&all);
    sim_buf_free(&text);
    return s;
}

/* What the thinking MAC covers: the nonce, a NUL, the text. */
static struct sim_buf thinking_cover(const char *nonce, size_t nonce_n, const char *text, size_t n)
{
    struct sim_buf b = {0};

    sim_buf_add(&b, nonce, nonce_n);
    sim_buf_add(&b, "", 1);
    sim_buf_add(&b, text, n);
    return b;
}

const char *sim_sign_thinking(struct sim_pool *pool, const char *text, size_t n, const char *nonce)
{
    struct sim_buf cover = thinking_cover(nonce, strlen(nonce), text, n);
    struct sim_buf payload = {0};
    const char *s;

    sim_buf_puts(&payload, nonce);
    s = packed(pool, "thinking", &payload, cover.p, cover.len);
    sim_buf_free(&payload);
    sim_buf_free(&cover);
    return s;
}

bool sim_sign_check_thinking(const char *text, size_t n, const char *signature)
{
    struct sim_buf raw = {0};
    bool ok = false;

    if (decode_exactly(&raw, signature) == 0 && raw.len >= MAC) {
        struct sim_buf cover = thinking_cover(raw.p + MAC, raw.len - MAC, text, n);
        unsigned char mac[MAC];

        mac_of(mac, "thinking", cover.p, cover.len);
        ok = memcmp(mac, raw.p, MAC) == 0;
        sim_buf_free(&cover);
    }
    sim_buf_free(&raw);
    return ok;
}

const char *sim_sign_seal(struct sim_pool *pool, const char *owner, const char *text, size_t n)
{
    struct sim_buf payload = {0};
    const char *s;

    sim_buf_add(&payload, owner, strlen(owner) + 1);
    sim_buf_add(&payload, text, n);
    s = packed(pool, "seal", &payload, payload.p, payload.len);
    sim_buf_free(&payload);
    return s;
}

int sim_sign_check(const char *owner, const char *sealed)
{
    struct sim_buf raw = {0};
    unsigned char mac[MAC];
    int answer = -1;

    if (decode_exactly(&raw, sealed) == 0 && raw.len > MAC &&
        memchr(raw.p + MAC, '\0', raw.len - MAC)) {
        mac_of(mac, "seal", raw.p + MAC, raw.len - MAC);
        if (memcmp(mac, raw.p, MAC) == 0) {
            answer = !owner || strcmp(owner, raw.p + MAC) == 0;
        }
    }
    sim_buf_free(&raw);
    return answer;
}
