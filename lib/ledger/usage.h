/* The history of a wallet: its ledger rows newest first, and sums over them.
 *
 * Read only. Amounts are nano-credits (a charge is negative here, as it stands in the ledger),
 * times ms since the epoch UTC, tokens by the categories that are billed apart. */
#ifndef MG_LEDGER_USAGE_H
#define MG_LEDGER_USAGE_H

#include "base/err.h"
#include "base/id.h"
#include "db/db.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MG_USAGE_PAGE 500 /* most rows of one page */

/* Which rows. Zeroed means: all charges. Texts are borrowed. */
struct mg_usage_filter {
    bool all_kinds;            /* grants, expiries and corrections too */
    uint64_t api_key_id;       /* 0 = any */
    const char *model;         /* the id the client asked for; NULL or "" = any */
    int64_t from_ms;           /* at or after; 0 = no bound */
    int64_t to_ms;             /* before; 0 = no bound */
    const uint8_t *request_id; /* MG_ID_BYTES; NULL = any */
};

/* One ledger row. The columns of a request are zero or "" in rows of another kind. */
struct mg_usage_row {
    uint64_t seq;            /* 1, 2, 3 … without a gap in a wallet */
    char kind[16];           /* "charge", "trial", "topup", "reward", "adjust", "clawback",
                                "expire" */
    int64_t amount;          /* of a charge <= 0 */
    int64_t balance_after;
    int64_t created_ms;
    uint8_t ref[MG_ID_BYTES]; /* of a charge: the request id */
    char note[128];
    uint64_t api_key_id;
    char model[128];
    char served_by[128];
    char label[64];
    char family[16];
    int64_t input, cache_read, cache_write_5m, cache_write_1h, output, reasoning; /* tokens */
    uint64_t price_version;
    uint32_t flags;          /* MG_ROW_ bits of ledger/ledger.h */
    int32_t status;          /* HTTP status the client saw */
    int32_t first_ms;        /* to the first byte of the reply, -1 = none */
    int32_t total_ms;
};

/* A page of rows, newest first. `before` is the cursor: 0 for the first page, then the seq of
 * the last row seen. Fills at most `limit` (1 … MG_USAGE_PAGE) of `rows`; *count says how many,
 * *more whether older ones match. 0 or -1. */
int mg_usage_page(struct mg_db *db, uint64_t wallet_id, const struct mg_usage_filter *filter,
                  uint64_t before, struct mg_usage_row *rows, size_t limit, size_t *count,
                  bool *more, struct mg_err *err) __attribute__((nonnull, warn_unused_result));

/* What sums are made by. */
enum mg_usage_by { MG_USAGE_BY_NOTHING, MG_USAGE_BY_DAY, MG_USAGE_BY_MODEL, MG_USAGE_BY_KEY };

struct mg_usage_sum {
    int64_t day_ms;      /* BY_DAY: start of the UTC day */
    char model[128];     /* BY_MODEL */
    uint64_t api_key_id; /* BY_KEY */
    int64_t rows;        /* of a filter for charges: requests */
    int64_t amount;      /* sum of the amounts */
    int64_t input, cache_read, cache_write_5m, cache_write_1h, output, reasoning;
};

/* Sums of the rows that match. BY_NOTHING always gives one entry; BY_DAY is in order of days
 * (days without a row are left out), the others by amount, dearest first. Fills at most
 * `limit`; *count says how many. 0 or -1. */
int mg_usage_sums(struct mg_db *db, uint64_t wallet_id, const struct mg_usage_filter *filter,
                  enum mg_usage_by by, struct mg_usage_sum *sums, size_t limit, size_t *count,
                  struct mg_err *err) __attribute__((nonnull, warn_unused_result));

#endif
