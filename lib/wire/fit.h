/* Does the request fit the destination? */
#ifndef MG_WIRE_FIT_H
#define MG_WIRE_FIT_H

#include "wire/crossing.h"

/* Checks the settled turn against what the destination can take and what each role may say:
 * images, documents, tools, structured output, an answer begun for the model. 0; -1 with a 400
 * that names the part. */
int mg_fit_check(struct mg_crossing *x) __attribute__((nonnull, warn_unused_result));

#endif
