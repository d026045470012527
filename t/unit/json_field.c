/* Field tables: every type, every bound, every problem with its place. */
#include "json/field.h"

#include "json/parse.h"
#include "tap.h"

#include <stddef.h>

struct body {
    const char *text;
    int64_t number;
    bool flag;
    struct json_object *list, *object, *either, *any;
};

static const struct mg_field fields[] = {
    {"text", MG_FIELD_STRING, true, offsetof(struct body, text), 1, 5},
    {"number", MG_FIELD_INT, false, offsetof(struct body, number), 1, 100},
    {"flag", MG_FIELD_BOOL, false, offsetof(struct body, flag), 0, 0},
    {"list", MG_FIELD_ARRAY, false, offsetof(struct body, list), 1, 3},
    {"object", MG_FIELD_OBJECT, false, offsetof(struct body, object), 0, 0},
    {"either", MG_FIELD_STRING_OR_ARRAY, false, offsetof(struct body, either), 1, 3},
    {"any", MG_FIELD_ANY, false, offsetof(struct body, any), 0, 0},
};
#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static struct json_object *tree; /* what the last body points into */

static int
read_body(const char *json, const char *prefix, struct body *body, struct mg_err *err)
{
    struct mg_err bad = MG_ERR_INIT;
    json_object_put(tree);
    mg_err_free(err);
    if (mg_json_parse(json, strlen(json), &tree, &bad) != 0)
        abort();
    return mg_field_read(tree, fields, FIELDS, body, prefix, err);
}

static void
test_good(void)
{
    struct mg_err err = MG_ERR_INIT;
    struct body body = {.number = 7};
    is_int(read_body("{\"text\":\"abc\",\"unknown\":1}", "", &body, &err), 0,
           "what is required is enough, more is allowed");
    is_str(body.text, "abc", "it is read");
    is_int(body.number, 7, "what is not there stays as it was");
    int rc = read_body("{\"text\":\"abcde\",\"number\":12.0,\"flag\":true,\"list\":[1,2,3],"
                       "\"object\":{},\"either\":\"x\",\"any\":[]}",
                       "", &body, &err);
    is_int(rc, 0, "all fields");
    ok(body.number == 12 && body.flag && body.list != NULL && body.object != NULL &&
           body.either != NULL && body.any != NULL,
       "are read, a whole number with a point too");
    rc = read_body("{\"text\":\"a\",\"number\":null,\"flag\":null,\"list\":null,\"any\":null}", "",
                   &body, &err);
    is_int(rc, 0, "null is the same as missing");
    is_int(read_body("{\"text\":\"a\",\"either\":[1]}", "", &body, &err), 0, "either a list");
    is_int(read_body("{\"text\":\"a\",\"number\":1e1}", "", &body, &err), 0, "an exponent");
    is_int(body.number, 10, "is a number");
}

static void
problem(const char *json, const char *prefix, const char *loc, const char *type, const char *msg)
{
    struct mg_err err = MG_ERR_INIT;
    struct body body = {0};
    int rc = read_body(json, prefix, &body, &err);
    bool good = rc == -1 && err.status == 422 && err.fields == 1 &&
                strcmp(err.field[0].loc, loc) == 0 && strcmp(err.field[0].type, type) == 0 &&
                strstr(err.field[0].msg, msg) != NULL;
    if (!ok(good, "%s in %s", type, json) && err.fields > 0)
        printf("# %s %s %s\n", err.field[0].loc, err.field[0].type, err.field[0].msg);
    mg_err_free(&err);
}

static void
test_problems(void)
{
    problem("{}", "", "body/text", "missing", "Field required");
    problem("{\"text\":null}", "", "body/text", "missing", "Field required");
    problem("{\"text\":1}", "", "body/text", "string_type", "valid string");
    problem("{\"text\":\"\"}", "", "body/text", "too_short", "at least 1 bytes");
    problem("{\"text\":\"abcdef\"}", "", "body/text", "too_long", "at most 5 bytes");
    problem("{\"text\":\"a\\u0000b\"}", "", "body/text", "string_type", "valid string");
    problem("{\"text\":\"a\",\"number\":0}", "", "body/number", "greater_than_equal", "at least 1");
    problem("{\"text\":\"a\",\"number\":101}", "", "body/number", "less_than_equal", "at most 100");
    problem("{\"text\":\"a\",\"number\":99999999999999999999999}", "", "body/number",
            "less_than_equal", "at most 100");
    problem("{\"text\":\"a\",\"number\":1.5}", "", "body/number", "int_type", "valid integer");
    problem("{\"text\":\"a\",\"number\":\"5\"}", "", "body/number", "int_type", "valid integer");
    problem("{\"text\":\"a\",\"number\":true}", "", "body/number", "int_type", "valid integer");
    problem("{\"text\":\"a\",\"number\":1e300}", "", "body/number", "int_type", "valid integer");
    problem("{\"text\":\"a\",\"flag\":1}", "", "body/flag", "bool_type", "valid boolean");
    problem("{\"text\":\"a\",\"flag\":\"true\"}", "", "body/flag", "bool_type", "valid boolean");
    problem("{\"text\":\"a\",\"list\":{}}", "", "body/list", "list_type", "valid list");
    problem("{\"text\":\"a\",\"list\":[]}", "", "body/list", "too_short", "at least 1 items");
    problem("{\"text\":\"a\",\"list\":[1,2,3,4]}", "", "body/list", "too_long", "at most 3 items");
    problem("{\"text\":\"a\",\"object\":[]}", "", "body/object", "dict_type", "valid object");
    problem("{\"text\":\"a\",\"either\":1}", "", "body/either", "string_or_list_type", "or list");
    problem("{\"text\":\"a\",\"either\":\"abcd\"}", "", "body/either", "too_long", "3 bytes");
    problem("{\"text\":\"a\",\"either\":[1,2,3,4]}", "", "body/either", "too_long", "3 items");
    problem("[]", "", "body", "dict_type", "valid object");
    problem("\"x\"", "outer/", "body/outer", "dict_type", "valid object");
    problem("{}", "outer/0/", "body/outer/0/text", "missing", "Field required");
}

static void
test_all_at_once(void)
{
    struct mg_err err = MG_ERR_INIT;
    struct body body = {0};
    int rc = read_body("{\"text\":1,\"number\":\"x\",\"flag\":0,\"list\":5,\"object\":6}", "",
                       &body, &err);
    is_int(rc, -1, "a body full of mistakes");
    is_int((long long)err.fields, 5, "has all of them listed");
    is_str(err.field[4].loc, "body/object", "in the order of the table");
    mg_err_free(&err);
    is_int(mg_field_read(NULL, fields, FIELDS, &body, "", &err), -1, "no body is no object");
    is_str(err.field[0].type, "dict_type", "and is told so");
    mg_err_free(&err);
}

int
main(void)
{
    plan(0);
    test_good();
    test_problems();
    test_all_at_once();
    json_object_put(tree);
    return done();
}
