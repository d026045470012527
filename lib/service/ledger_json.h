/* The ledger as JSON: every row that changed a balance, with the statement of the period. */
#ifndef MG_SERVICE_LEDGER_JSON_H
#define MG_SERVICE_LEDGER_JSON_H

#include "base/str.h"
#include "ledger/statement.h"
#include "ledger/usage.h"

/* GET /api/ledger: one page. `from_ms` and `to_ms` are the bounds of the period, 0 = none. */
void mg_json_ledger(const struct mg_usage_row *rows, size_t count, bool more,
                    const struct mg_statement *statement, int64_t from_ms, int64_t to_ms,
                    struct mg_str *out) __attribute__((nonnull(4, 7)));

#endif
