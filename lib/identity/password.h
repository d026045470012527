/* Passwords: which ones are accepted, how they are kept, and how many are computed at a time.
 *
 * A hash is scrypt (RFC 7914) by libscrypt, with its parameters inside: $s1$NNrrpp$salt$hash. One
 * takes about 0.1 s and 33 MB at the default cost, so a process computes two at a time, a few
 * more wait, and the rest is told to come back. Knows nothing of accounts. */
#ifndef MG_IDENTITY_PASSWORD_H
#define MG_IDENTITY_PASSWORD_H

#include "base/err.h"

#include <stdbool.h>

#define MG_PASSWORD_HASH 128 /* bytes of a hash with its NUL */
#define MG_PASSWORD_LEAST 10 /* bytes */
#define MG_PASSWORD_MOST 256

/* 0 when the text may become a password: 10 to 256 bytes of UTF-8, not the username or address
 * (NULL = not known), none of the commonest. -1 with a 422 that names `field` ("password"). */
int mg_password_check(const char *password, const char *username, const char *email,
                      const char *field, struct mg_err *err)
    __attribute__((nonnull(1, 4, 5), warn_unused_result));

struct mg_hasher;

/* `cost` is the exponent of scrypt's N. */
struct mg_hasher *mg_hasher_new(int cost) __attribute__((warn_unused_result));
/* NULL is allowed, *hasher becomes NULL. */
void mg_hasher_free(struct mg_hasher **hasher) __attribute__((nonnull));

/* Takes a place at the computation; waits when there are not too many others. 0, or -1 with a 429
 * `busy` and Retry-After. The two below need a place; leave it after the last of them. */
int mg_hasher_enter(struct mg_hasher *hasher, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
void mg_hasher_leave(struct mg_hasher *hasher) __attribute__((nonnull));

/* Hashes a password with a new salt. */
void mg_hasher_hash(struct mg_hasher *hasher, const char *password, char hash[MG_PASSWORD_HASH])
    __attribute__((nonnull));
/* Whether the password is the one of `hash`. NULL (nobody there) takes as long and is false. */
bool mg_hasher_matches(struct mg_hasher *hasher, const char *hash, const char *password)
    __attribute__((nonnull(1, 3), warn_unused_result));
/* Whether the hash was made with less work than today's: to be made again when it matched. */
bool mg_hasher_is_old(const struct mg_hasher *hasher, const char *hash)
    __attribute__((nonnull, warn_unused_result));

#endif
