/* What a request asks of its model: images, documents, tools, structured output.
 *
 * Translation asks this on its way (wire/fit.h). A request that is passed through is not read so
 * closely, and need not be: this looks when the model is known to lack something, so that the
 * client gets a clear answer instead of an upstream's. How hard the model shall think is not
 * looked at: no two models of an upstream take the same, and what their upstream says about it
 * is what clients adapt to. */
#ifndef MG_WIRE_NEEDS_H
#define MG_WIRE_NEEDS_H

#include "wire/family.h"

#include <json-c/json_object.h>
#include <stdbool.h>

struct mg_needs {
    bool image;
    bool pdf;        /* documents, but plain text */
    bool tools;
    bool structured; /* an answer that keeps to a JSON schema */
};

/* Fills *needs from the parsed body. Shapes that the format does not know need nothing. */
void mg_needs_read(enum mg_family family, struct json_object *body, struct mg_needs *needs)
    __attribute__((nonnull));

#endif
