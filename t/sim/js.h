/*
 * Short words for reading a json-c tree. All of them accept NULL and answer "not there".
 */
#ifndef SIM_JS_H
#define SIM_JS_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Parses n bytes strictly (whole text, UTF-8 checked, at most 200 levels). NULL on error, with the
 * reason in *why. Give back with json_object_put().
 */
struct json_object *sim_js_parse(const char *s, size_t n, const char **why);

/* Gives back what sim_js_parse() keeps for the calling thread; call when the thread ends. */
void sim_js_end(void);

/* Member key of an object, NULL when it is absent or null, or o is no object. */
struct json_object *sim_js_get(struct json_object *o, const char *key);

/* A member that is an object itself; NULL when absent or of another type. */
struct json_object *sim_js_object(struct json_object *o, const char *key);

/* True when the object has the key, be it null. */
bool sim_js_has(struct json_object *o, const char *key);

/* A string member; NULL when absent or of another type. */
const char *sim_js_str(struct json_object *o, const char *key);

/* An integer member, or dflt. */
int64_t sim_js_int(struct json_object *o, const char *key, int64_t dflt);

/* A boolean member, or dflt. */
bool sim_js_bool(struct json_object *o, const char *key, bool dflt);

/* True when the string member equals s. */
bool sim_js_is(struct json_object *o, const char *key, const char *s);

/* Length of an array member or of the array itself; 0 for everything else. */
size_t sim_js_len(struct json_object *array);

/* Element i of an array, NULL past its end. */
struct json_object *sim_js_at(struct json_object *array, size_t i);

/* The value as compact JSON text, "null" for NULL; valid until the tree changes. */
const char *sim_js_text(struct json_object *o);

#endif
