#include "store/metadata.h"

#include "json/parse.h"

#include <json-c/linkhash.h>
#include <string.h>

/* Characters of a UTF-8 text. */
static size_t
characters(const char *text, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

static int
check_pair(const char *name, struct json_object *value, struct mg_err *err)
{
    size_t n = strlen(name);
    if (n == 0 || characters(name, n) > MG_METADATA_NAME)
        return mg_err_field(err, "string_too_long", "A key of metadata has 1 to 64 characters",
                            "body/metadata");
    if (!json_object_is_type(value, json_type_string))
        return mg_err_field(err, "string_type", "Input should be a valid string",
                            "body/metadata/%.64s", name);
    if (characters(json_object_get_string(value), (size_t)json_object_get_string_len(value)) >
        MG_METADATA_VALUE)
        return mg_err_field(err, "string_too_long",
                            "A value of metadata has at most 512 characters",
                            "body/metadata/%.64s", name);
    return 0;
}

int
mg_metadata_read(struct mg_span json, struct mg_str *out, struct mg_err *err)
{
    if (mg_span_is(json, "null"))
        return 0;
    struct json_object *tree = mg_json_of(json);
    int rc = 0;
    if (!json_object_is_type(tree, json_type_object)) {
        rc = mg_err_field(err, "dict_type", "Input should be a valid object", "body/metadata");
    } else if (json_object_object_length(tree) > MG_METADATA_PAIRS || json.n > MG_METADATA_MAX) {
        rc = mg_err_field(err, "too_long", "metadata has at most 16 pairs", "body/metadata");
    } else {
        json_object_object_foreach(tree, name, value)
        {
            if (check_pair(name, value, err) != 0)
                rc = -1;
        }
    }
    if (rc == 0)
        mg_str_addz(out, json_object_to_json_string_ext(tree, JSON_C_TO_STRING_PLAIN |
                                                                  JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(tree);
    return rc;
}
