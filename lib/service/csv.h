/* Tables as comma-separated values (RFC 4180: CRLF, quotes doubled), cell by cell.
 *
 * A text that a spreadsheet would take for a formula gets an apostrophe before it; numbers are
 * written as they are. Pure. */
#ifndef MG_SERVICE_CSV_H
#define MG_SERVICE_CSV_H

#include "base/id.h"
#include "base/str.h"
#include "ledger/usage.h"

#include <stdbool.h>
#include <stdint.h>

struct mg_csv {
    struct mg_str *out;
    bool begun; /* the line has a cell */
};

/* The next cell of the line: a text of anybody's, a whole number, an exact amount of credit, a
 * time (0 = empty). */
void mg_csv_text(struct mg_csv *csv, const char *text) __attribute__((nonnull));
void mg_csv_int(struct mg_csv *csv, int64_t number) __attribute__((nonnull));
void mg_csv_amount(struct mg_csv *csv, int64_t nano) __attribute__((nonnull));
void mg_csv_time(struct mg_csv *csv, int64_t ms) __attribute__((nonnull));
/* Ends the line. */
void mg_csv_end(struct mg_csv *csv) __attribute__((nonnull));

/* One line of /api/ledger.csv and of /api/usage.csv, and the line of names above them. `key` is
 * the name of the key that was used, "" = none. */
void mg_csv_ledger_head(struct mg_csv *csv) __attribute__((nonnull));
void mg_csv_ledger_row(struct mg_csv *csv, const struct mg_usage_row *row, const char *key)
    __attribute__((nonnull));
void mg_csv_usage_head(struct mg_csv *csv) __attribute__((nonnull));
void mg_csv_usage_row(struct mg_csv *csv, const struct mg_usage_row *row, const char *key)
    __attribute__((nonnull));

#endif
