/* Signatures of events: "t=SECONDS,v1=HEX[,v1=HEX…]", HMAC-SHA-256 under a shared secret of the
 * time, a dot and the raw bytes of the body. Pure. Source: Stripe, "Verify webhook signatures
 * manually"; several v1 come while a secret is rolled over, other schemes (v0) are ignored. */
#ifndef MG_PAYMENT_SIGNATURE_H
#define MG_PAYMENT_SIGNATURE_H

#include "base/err.h"
#include "base/str.h"

#include <stdint.h>

#define MG_SIGNATURE_SIZE 96      /* of a header with one signature, NUL included */
#define MG_SIGNATURE_TOLERANCE 300 /* seconds, into the past and into the future */

/* 0 when one of the header's signatures is right and its time near enough; else -1 with a 400
 * `invalid_signature`. `header` NULL: it was not sent. */
int mg_signature_check(const char *header, const char *secret, struct mg_span body,
                       int64_t now_ms, struct mg_err *err)
    __attribute__((nonnull(2, 5), warn_unused_result));
/* Writes such a header. */
void mg_signature_make(const char *secret, struct mg_span body, int64_t now_ms,
                       char header[MG_SIGNATURE_SIZE]) __attribute__((nonnull));

#endif
