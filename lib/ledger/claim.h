/* What one transaction knows of the requests that its jobs are about: their holds and charges.
 *
 * Several jobs of a batch may be about the same request (an extension and a settle, a settle and
 * its repetition); they share its claim, so that the second sees what the first did. Inside of
 * this room. */
#ifndef MG_LEDGER_CLAIM_H
#define MG_LEDGER_CLAIM_H

#include "base/id.h"
#include "ledger/table.h"

#include <stdbool.h>

struct mg_claim {
    uint8_t id[MG_ID_BYTES];
    uint64_t wallet_id;
    bool settles;            /* a job wants to end it */
    bool held;               /* it has a hold … */
    int64_t amount;          /* … of this much … */
    bool unlimited;          /* … or, with nothing in it, as a connection of a window … */
    int64_t found;           /* … and the database had it with this much */
    bool fresh, grown;       /* the hold is to be inserted; to be made larger */
    bool charged;            /* it has its ledger row … */
    int64_t charge, balance; /* … with these figures */
};

/* One claim a request, in the order of ids. */
struct mg_claims {
    struct mg_claim claim[MG_LIST_MOST];
    size_t count;
};

/* Adds a claim without looking whether it is there. */
void mg_claim_add(struct mg_claims *claims, const uint8_t id[MG_ID_BYTES])
    __attribute__((nonnull));
/* Sorts them and drops doubles; needed before mg_claim_find. */
void mg_claim_sort(struct mg_claims *claims) __attribute__((nonnull));
/* The claim of a request, NULL when there is none. */
struct mg_claim *mg_claim_find(struct mg_claims *claims, const void *id) __attribute__((nonnull));

/* Reads what the database knows, under the locks of the wallets. The holds of those that settle
 * are taken away with the same statement; of those without a hold the charge is looked up; the
 * holds of the others are read if `open` is set. 0 or -1. */
int mg_claim_load(struct mg_claims *claims, struct mg_table *table, struct mg_db *db, bool open,
                  struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* Writes new and grown holds. 0 or -1. */
int mg_claim_save(const struct mg_claims *claims, struct mg_table *table, struct mg_db *db,
                  uint64_t owner, int64_t now, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
