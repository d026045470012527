/* Golden replies: folders with an upstream's answer and what each client must get for it.
 *
 *   options.json   the pair and what the request left (see case.h); "upstream" and "clients"
 *   upstream.sse   a stream; its outputs are <client>.sse
 *   upstream.json  or a whole reply; its outputs are <client>.json
 */
#ifndef MG_T_WIRE_GOLDEN_H
#define MG_T_WIRE_GOLDEN_H

#include "wire/case.h"

struct golden {
    char name[256];      /* of the folder */
    char expected[600]; /* path of the expected output */
    enum mg_family client, upstream;
    bool stream;
    struct mg_str input;
    struct json_object *options;
};

/* Runs every golden reply below `dir`, in the order of their names, and hands the outcome to
 * `take`. Returns how many there were. */
size_t golden_each(const char *dir,
                   void (*take)(const struct golden *golden, const struct outcome *outcome,
                                void *context),
                   void *context);

#endif
