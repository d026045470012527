/* Limits on attempts, in the database, so that they hold across processes and hosts.
 *
 * A limit is a bucket of so many attempts for each subject; one comes back after a while. Which
 * subjects there are is hashed, so the table names nobody. The mathematics is that of the generic
 * cell rate algorithm: one number a bucket, the time at which it is full again. */
#ifndef MG_IDENTITY_THROTTLE_H
#define MG_IDENTITY_THROTTLE_H

#include "base/conf.h"
#include "base/err.h"
#include "db/db.h"

#include <stddef.h>
#include <stdint.h>

#define MG_PLACE_SIZE 46 /* text of an address */

enum mg_limit {
    MG_LIMIT_SIGN_IN,         /* wrong passwords for one name from one place */
    MG_LIMIT_SIGN_IN_NAME,    /* … for one name from places where it never signed in */
    MG_LIMIT_SIGN_IN_PLACE,   /* … from one place */
    MG_LIMIT_CONFIRM,         /* wrong passwords in a session, by account */
    MG_LIMIT_REGISTER,        /* accounts made from one place */
    MG_LIMIT_ASK,             /* mails asked for from one place */
    MG_LIMIT_MAIL,            /* mails to one address that strangers may cause */
    MG_LIMIT_TICKET           /* links shown from one place */
};

/* One attempt to be counted. */
struct mg_attempt {
    enum mg_limit limit;
    const char *subject;
};

/* Counts attempts in all their buckets, or in none: 0; or -1 with a 429 `too_many_attempts` and
 * Retry-After when one of them is used up, or a 503. Inside the caller's transaction a refusal
 * must end it. */
int mg_throttle_enter(struct mg_db *db, const struct mg_conf *conf,
                      const struct mg_attempt *attempts, size_t count, int64_t now_ms,
                      struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* Takes an attempt back that turned out to be none. 0 or -1. */
int mg_throttle_return(struct mg_db *db, const struct mg_conf *conf,
                       const struct mg_attempt *attempt, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Forgets what was counted. 0 or -1. */
int mg_throttle_forget(struct mg_db *db, const struct mg_attempt *attempt, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Remembers for 90 days that somebody signed in under a name from a place; and whether so. 0 or
 * -1; 1, 0 or -1. */
int mg_throttle_know(struct mg_db *db, const char *name_and_place, int64_t now_ms,
                     struct mg_err *err) __attribute__((nonnull, warn_unused_result));
int mg_throttle_knows(struct mg_db *db, const char *name_and_place, int64_t now_ms,
                      struct mg_err *err) __attribute__((nonnull, warn_unused_result));

/* Where an address counts as: an IPv4 address itself, of IPv6 the network of 64 bits that one
 * customer has. What is no address stays as it is. Returns place. */
char *mg_throttle_place(const char *address, char place[MG_PLACE_SIZE]) __attribute__((nonnull));

/* Removes buckets that are full. 0 or -1. */
int mg_throttle_tidy(struct mg_db *db, int64_t now_ms, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
