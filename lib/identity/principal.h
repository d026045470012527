/* Who is calling: a presented key looked up.
 *
 * One indexed read a request, never cached, so that a revoked key is refused by the very next
 * request on every host. */
#ifndef MG_IDENTITY_PRINCIPAL_H
#define MG_IDENTITY_PRINCIPAL_H

#include "base/digest.h"
#include "base/err.h"
#include "db/db.h"

#include <stdbool.h>
#include <stdint.h>

#define MG_KEY_MODELS_SIZE 2048 /* list of model ids of a key, with its NUL */

struct mg_principal {
    uint64_t account_id;      /* also the id of its wallet */
    uint64_t key_id;          /* 0: a dashboard session asks */
    uint64_t session_id;      /* 0: a key asks */
    bool system_key;          /* the permanent System Key; else a User API Key */
    bool suspended;           /* account suspended by the operator: 429 on coding routes */
    char username[64];
    char default_model[128];  /* "" = the service's managed alias */
    char models[MG_KEY_MODELS_SIZE]; /* ids that the key may ask for (identity/allowance.h); "" =
                                      * all */
    int64_t monthly_limit;    /* nano-credits that the key may spend in a UTC month; 0 = no limit */
    int64_t spent_month;      /* nano-credits that it has spent in this one */
    uint64_t catalogue;       /* version of the catalogue at this moment */
};

/* One question among several: whose key is this? */
struct mg_principal_look {
    const char *secret;        /* in: as presented, may be NULL or "" */
    struct mg_principal *who;  /* out, when found is 1 */
    struct mg_err *err;        /* out, when it is not */
    int found;                 /* 1: *who is filled; 0: err is a 401 whose text says what to do
                                * (missing, malformed, unknown, revoked or expired key: the same
                                * code `invalid_api_key`, no hint which); -1: err is a 503 */
    uint8_t hash[MG_SHA256_BYTES]; /* the file's own */
    bool asked;
};

#define MG_PRINCIPAL_LOOKS 64 /* questions of one statement */

/* Answers up to MG_PRINCIPAL_LOOKS questions with one statement. */
void mg_principal_of_keys(struct mg_db *db, struct mg_principal_look *const *looks, size_t count)
    __attribute__((nonnull));
/* Answers one: returns its `found`. */
int mg_principal_of_key(struct mg_db *db, const char *secret, struct mg_principal *who,
                        struct mg_err *err) __attribute__((nonnull(1, 3, 4), warn_unused_result));

#endif
