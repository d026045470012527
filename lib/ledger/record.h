/* A settle as one line of text: "<checksum> <JSON object>\n", and back. Pure. Inside of this
 * room. */
#ifndef MG_LEDGER_RECORD_H
#define MG_LEDGER_RECORD_H

#include "base/str.h"
#include "ledger/ledger.h"

#define MG_RECORD_MOST 4096 /* bytes of a line */

/* Appends the line. */
void mg_record_write(struct mg_str *out, const struct mg_settle *settle)
    __attribute__((nonnull));
/* Reads a line of n bytes, with or without its end. 0, or -1 when it is torn or not one. */
int mg_record_read(const char *line, size_t n, struct mg_settle *settle)
    __attribute__((nonnull, warn_unused_result));

#endif
