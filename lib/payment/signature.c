#include "payment/signature.h"

#include "base/digest.h"
#include "base/id.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIGNATURES 16 /* looked at in one header */
#define SIGNED_MOST ((size_t)2 << 20)

static void
sign(const char *secret, struct mg_span time, struct mg_span body, uint8_t sum[MG_SHA256_BYTES])
{
    struct mg_str text;
    mg_str_init(&text, SIGNED_MOST);
    mg_str_addspan(&text, time);
    mg_str_addc(&text, '.');
    mg_str_addspan(&text, body);
    mg_hmac_sha256(secret, strlen(secret), text.p, text.len, sum);
    mg_str_free(&text);
}

struct header {
    struct mg_span time;
    struct mg_span signature[SIGNATURES];
    size_t count;
};

/* False when it has no time or nothing that could be a signature. */
static bool
take_apart(const char *text, struct header *h)
{
    *h = (struct header){.count = 0};
    while (*text != '\0') {
        size_t n = strcspn(text, ",");
        if (n > 2 && strncmp(text, "t=", 2) == 0)
            h->time = (struct mg_span){text + 2, n - 2};
        else if (n > 3 && strncmp(text, "v1=", 3) == 0 && h->count < SIGNATURES)
            h->signature[h->count++] = (struct mg_span){text + 3, n - 3};
        text += n + (text[n] == ',');
    }
    size_t digits = h->time.n;
    return h->count > 0 && digits > 0 && digits <= 12 &&
           strspn(h->time.p, "0123456789") >= digits;
}

int
mg_signature_check(const char *header, const char *secret, struct mg_span body, int64_t now_ms,
                   struct mg_err *err)
{
    uint8_t right[MG_SHA256_BYTES], given[MG_SHA256_BYTES];
    struct header h;
    bool same = false;
    if (header == NULL || !take_apart(header, &h))
        return mg_err_set(err, 400, "invalid_signature", "The signature is missing or broken.");
    if (body.n > SIGNED_MOST / 2)
        return mg_err_set(err, 413, "request_too_large", "The event is too large.");
    sign(secret, h.time, body, right);
    for (size_t i = 0; i < h.count; i++)
        if (mg_unhex(h.signature[i].p, h.signature[i].n, given, sizeof(given)) == 0)
            same |= mg_same(given, right, sizeof(right));
    if (!same)
        return mg_err_set(err, 400, "invalid_signature", "The signature does not fit.");
    int64_t age = now_ms / 1000 - strtoll(h.time.p, NULL, 10);
    if (age > MG_SIGNATURE_TOLERANCE || age < -MG_SIGNATURE_TOLERANCE)
        return mg_err_set(err, 400, "invalid_signature",
                          "The event was signed too long ago, or in the future.");
    return 0;
}

void
mg_signature_make(const char *secret, struct mg_span body, int64_t now_ms,
                  char header[MG_SIGNATURE_SIZE])
{
    uint8_t sum[MG_SHA256_BYTES];
    char time[24], hex[2 * MG_SHA256_BYTES + 1];
    snprintf(time, sizeof(time), "%lld", (long long)(now_ms / 1000));
    sign(secret, mg_span_z(time), body, sum);
    snprintf(header, MG_SIGNATURE_SIZE, "t=%s,v1=%s", time, mg_hex(sum, sizeof(sum), hex));
}
