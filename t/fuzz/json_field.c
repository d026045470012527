/* Fuzzing of JSON in: any bytes through the parser and a table of every type of field.
 *
 * What is accepted must be within its bounds; what is refused must say so as a 400 or a 422;
 * what json-c read must survive being written and read again. */
#include "json/field.h"

#include "base/utf8.h"
#include "json/parse.h"
#include "json/scan.h"
#include "json/writer.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct body {
    const char *text;
    int64_t number;
    bool flag;
    struct json_object *list, *object, *either, *any;
};

static const struct mg_field fields[] = {
    {"text", MG_FIELD_STRING, true, offsetof(struct body, text), 1, 8},
    {"number", MG_FIELD_INT, false, offsetof(struct body, number), -5, 100},
    {"flag", MG_FIELD_BOOL, false, offsetof(struct body, flag), 0, 0},
    {"list", MG_FIELD_ARRAY, false, offsetof(struct body, list), 1, 3},
    {"object", MG_FIELD_OBJECT, false, offsetof(struct body, object), 0, 0},
    {"either", MG_FIELD_STRING_OR_ARRAY, false, offsetof(struct body, either), 0, 3},
    {"any", MG_FIELD_ANY, false, offsetof(struct body, any), 0, 0},
};
#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static void
must(bool good)
{
    if (!good)
        abort();
}

static void
check_fields(struct json_object *tree)
{
    struct mg_err err = MG_ERR_INIT;
    struct body body = {.number = 7};
    int rc = mg_field_read(tree, fields, FIELDS, &body, "outer/0/", &err);
    must((rc == 0) == (err.fields == 0) && (rc == 0 || err.status == 422));
    if (rc == 0) {
        must(body.text != NULL && strlen(body.text) >= 1 && strlen(body.text) <= 8);
        must(body.number >= -5 && body.number <= 100);
        must(body.list == NULL || json_object_array_length(body.list) <= 3);
    }
    for (size_t i = 0; i < err.fields; i++)
        must(strncmp(err.field[i].loc, "body/outer/0", 12) == 0);
    mg_err_free(&err);
}

/* The client's own text comes back in error bodies and replies. */
static void
check_quoting(const char *bytes, size_t n)
{
    struct mg_str out, back;
    mg_str_init(&out, 8 * n + 16);
    mg_str_init(&back, 8 * n + 16);
    mg_json_quote(&out, bytes, n);
    must(mg_str_ok(&out) && mg_utf8_valid(out.p, out.len));
    must(mg_scan_string(mg_str_span(&out), &back));
    if (mg_utf8_valid(bytes, n))
        must(back.len == n && (n == 0 || memcmp(back.p, bytes, n) == 0));
    mg_str_free(&out);
    mg_str_free(&back);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mg_err err = MG_ERR_INIT;
    struct json_object *tree;
    const char *bytes = (const char *)data;
    if (mg_json_parse(bytes, size, &tree, &err) == 0) {
        must(tree != NULL && mg_utf8_valid(bytes, size));
        check_fields(tree);
    } else {
        must(tree == NULL && err.status == 400 && err.message[0] != '\0');
    }
    json_object_put(tree);
    mg_err_free(&err);
    check_quoting(bytes, size);
    return 0;
}
