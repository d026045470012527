/* Field tables: what a JSON body may hold, checked in one call.
 *
 * A handler lists the fields it reads (name, type, required, bounds, destination); reading
 * collects every problem with its `loc` for the 422 body instead of stopping at the first.
 * Members that the table does not name are left alone: bodies accept additional properties. */
#ifndef MG_JSON_FIELD_H
#define MG_JSON_FIELD_H

#include "base/err.h"

#include <json-c/json_object.h>
#include <stdbool.h>
#include <stdint.h>

enum mg_field_type {
    MG_FIELD_STRING, /* dest: const char * (borrowed from the tree) */
    MG_FIELD_INT,    /* dest: int64_t */
    MG_FIELD_BOOL,   /* dest: bool */
    MG_FIELD_ARRAY,  /* dest: struct json_object * (borrowed) */
    MG_FIELD_OBJECT, /* dest: struct json_object * (borrowed) */
    MG_FIELD_STRING_OR_ARRAY, /* dest: struct json_object * (borrowed) */
    MG_FIELD_ANY     /* dest: struct json_object * (borrowed; JSON null stays NULL) */
};

struct mg_field {
    const char *name;
    enum mg_field_type type;
    bool required;      /* missing or null is a problem */
    size_t offset;      /* of the destination in the struct given to mg_field_read */
    int64_t least, most;/* INT: value; STRING: bytes; ARRAY: elements; both 0 = no bound */
};

/* Reads the object `body` into `dest` by `count` rows. A field that is absent or null leaves
 * its destination as it is. Problems are added to err as 422 fields with loc "body/<prefix>
 * <name>" (`prefix` ends with '/' or is empty). 0 when there was none, else -1. */
int mg_field_read(struct json_object *body, const struct mg_field *fields, size_t count,
                  void *dest, const char *prefix, struct mg_err *err)
    __attribute__((nonnull(2, 4, 5, 6), warn_unused_result));

#endif
