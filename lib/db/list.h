/* Statement texts that take a varying number of values.
 *
 * A text is put together from constants only: head, n times the same places, tail. The values
 * are bound as always. Every length is a statement of its own in the connection's cache, so
 * lengths should be few: IN lists are rounded up to a power of two and filled by repeating a
 * value, rows are sent in groups of at most MG_LIST_ROWS. */
#ifndef MG_DB_LIST_H
#define MG_DB_LIST_H

#include "base/str.h"

#include <stddef.h>

#define MG_LIST_ROWS 64  /* rows of one insert */
#define MG_LIST_MOST 512 /* values of one IN list */

/* Empties `out` (a maximum of 64 KiB is always enough) and writes `head`, then `places` n times
 * with commas between ("?" or "(?,?,?)"), then `tail`. Returns the text. */
const char *mg_list_sql(struct mg_str *out, const char *head, const char *places, size_t n,
                        const char *tail) __attribute__((nonnull));

/* The length to which an IN list of n values (1 … MG_LIST_MOST) is filled up. */
size_t mg_list_round(size_t n);

#endif
