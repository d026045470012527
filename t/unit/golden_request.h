/* Golden requests: folders of t/golden/request.
 *
 *   in.json         the client's body, byte for byte
 *   meta.json       {"client": family, "rule": a sentence, "to": {family: destination facts}}
 *   to-FAMILY.json  what comes out: {"body": …, "left": …} or {"error": …}
 *
 * "left" names what the reply must remember; only members that are there are compared. "holds"
 * and "lacks" list texts that the written body holds or lacks byte for byte. */
#ifndef MG_GOLDEN_REQUEST_H
#define MG_GOLDEN_REQUEST_H

#include "wire/translate.h"

#include <json-c/json_object.h>

/* The key of all tests. */
extern const uint8_t golden_key[MG_PACK_KEY];

/* A destination that takes everything, with the members of `facts` (may be NULL) put over it. */
struct mg_destination golden_destination(struct json_object *facts);
/* A whole file as a string; NULL when there is none. Free it. */
char *golden_read(const char *path, size_t *n);
/* Translates a body and returns what came out in the form of a to-FAMILY.json. Free it with
 * json_object_put. *raw (may be NULL) gets the written body; free it. */
struct json_object *golden_run(enum mg_family client, enum mg_family upstream, const char *body,
                               size_t n, struct json_object *facts, char **raw);

#endif
