/* Prices of the past: what a ledger row was billed with, by the version that stands in it.
 * The table is append-only, so every version that was ever used is there; prices of today are in
 * snapshots. */
#ifndef MG_CATALOGUE_PRICE_H
#define MG_CATALOGUE_PRICE_H

#include "catalogue/catalogue.h"

/* The price with this version. 1 and *price filled, 0 when there is none, -1. */
int mg_price_read(struct mg_db *db, uint64_t version, struct mg_price *price, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
