/* Random secrets that people carry: API keys, session tokens, the tokens of mails.
 *
 * A secret is a prefix, 43 random characters of 62 (256 bits) and six that check the others, so
 * that a mistyped or foreign one is refused without a query. The database knows it by its
 * SHA-256 alone: a slow or keyed hash adds nothing to 256 random bits. */
#ifndef MG_IDENTITY_TOKEN_H
#define MG_IDENTITY_TOKEN_H

#include "base/digest.h"

#include <stdbool.h>
#include <stdint.h>

#define MG_TOKEN_TAIL 49 /* characters behind the prefix */
#define MG_TOKEN_PREFIX_MOST 8

/* Makes a secret: strlen(prefix) + MG_TOKEN_TAIL characters and a NUL. */
void mg_token_make(const char *prefix, char *secret) __attribute__((nonnull));
/* True when `secret` has that form and its check characters fit. */
bool mg_token_well_formed(const char *prefix, const char *secret) __attribute__((nonnull));
/* What the database knows a secret by. */
void mg_token_hash(const char *secret, uint8_t hash[MG_SHA256_BYTES]) __attribute__((nonnull));

#endif
