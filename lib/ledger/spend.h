/* What each key spends in a month, kept beside the ledger rows.
 *
 * The rows of key_month are sums of charges: they are changed in the transaction that writes
 * the ledger rows, so a charge that lands once counts once, whatever was repeated or replayed.
 * A charge belongs to the UTC month of its row. Inside of this room. */
#ifndef MG_LEDGER_SPEND_H
#define MG_LEDGER_SPEND_H

#include "ledger/table.h"

/* Adds the new charges of the table's entries to the months of their keys. 0 or -1. */
int mg_spend_save(struct mg_table *table, struct mg_db *db, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
