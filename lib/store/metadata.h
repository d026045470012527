/* The metadata of a stored completion: up to 16 pairs of texts that its client chooses. Pure. */
#ifndef MG_STORE_METADATA_H
#define MG_STORE_METADATA_H

#include "base/err.h"
#include "base/str.h"

#define MG_METADATA_PAIRS 16
#define MG_METADATA_NAME 64    /* characters of a key */
#define MG_METADATA_VALUE 512  /* characters of a value */
#define MG_METADATA_MAX ((size_t)1 << 20) /* bytes of its JSON, however it is spelled */

/* Checks JSON that claims to be metadata: an object of texts within the limits, or null. Appends
 * it to `out`, each key once; nothing for null. 0; -1 with err 422 and what is wrong with it. */
int mg_metadata_read(struct mg_span json, struct mg_str *out, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
