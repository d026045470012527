/*
 * Smallest valid instance of a JSON schema: what the simulated model says when it is asked for
 * structured output, and what it passes to a tool when the script names no arguments.
 */
#ifndef SIM_SCHEMA_H
#define SIM_SCHEMA_H

#include "buf.h"
#include "js.h"

/*
 * Appends an instance of schema to out. Understands type (also a list), enum, const, default,
 * properties and required, items and minItems, anyOf, oneOf, allOf, local $ref, minLength,
 * minimum, exclusiveMinimum, and a few formats. Everything required is filled, nothing else.
 * root resolves "#/…" references; NULL or an empty schema gives {}.
 */
void sim_schema_instance(struct sim_buf *out, struct json_object *schema, struct json_object *root);

#endif
