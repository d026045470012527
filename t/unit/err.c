/* The error object: what it says, how it is wrapped and moved, its limits. */
#include "base/err.h"

#include "base/alloc.h"
#include "tap.h"

static void
test_set(void)
{
    struct mg_err err = MG_ERR_INIT;
    ok(!mg_err_is(&err), "an initialised object is no error");
    is_int(err.retry_after_s, -1, "and asks for no pause");
    is_int(mg_err_set(&err, 402, "insufficient_quota", "%d left", 3), -1, "setting returns -1");
    ok(mg_err_is(&err), "now it is one");
    is_int(err.status, 402, "its status");
    is_str(err.code, "insufficient_quota", "its code");
    is_str(err.message, "3 left", "its text");
    err.retry_after_s = 5;
    err.no_retry = true;
    err.verbatim = mg_strdup("body");
    mg_err_param(&err, 422, "bad", "model", "no %s", "such model");
    is_str(err.param, "model", "the field at fault");
    is_str(err.message, "no such model", "a new error replaces the old one");
    ok(err.retry_after_s == -1 && !err.no_retry && err.verbatim == NULL,
       "and nothing of the old one stays");
    mg_err_free(&err);
    ok(!mg_err_is(&err), "a freed object is no error");
}

static void
test_internal(void)
{
    struct mg_err err = MG_ERR_INIT;
    mg_err_internal(&err, "table %s is gone", "wallet");
    is_int(err.status, 500, "an internal error is a 500");
    ok(strstr(err.message, "wallet") == NULL, "the client does not read the detail");
    is_str(err.detail, "table wallet is gone", "the log does");
    mg_err_detail(&err, "while settling: %s", err.detail);
    is_str(err.detail, "while settling: table wallet is gone", "a detail can be wrapped in itself");
    mg_err_internal(&err, "outer: %s", err.detail);
    is_str(err.detail, "outer: while settling: table wallet is gone",
           "so can an internal error");
    mg_err_set(&err, 502, "bad_upstream", "upstream: %.20s", err.message);
    is_str(err.message, "upstream: The service could no", "and any other");
    mg_err_param(&err, 400, err.code, "x", "[%s]", err.message);
    is_str(err.code, "bad_upstream", "even its code");
    mg_err_free(&err);
}

static void
test_fields(void)
{
    struct mg_err err = MG_ERR_INIT;
    mg_err_field(&err, "missing", "Field required", "body/messages/%d/role", 3);
    is_int(err.status, 422, "a field makes it a 422");
    is_str(err.field[0].loc, "body/messages/3/role", "its place");
    is_str(err.field[0].msg, "Field required", "its text");
    is_str(err.field[0].type, "missing", "its type");
    is_str(err.param, "messages.3.role", "the first one names the parameter");
    is_str(err.message, "messages.3.role: Field required", "and gives the sentence");
    for (int i = 0; i < 100; i++)
        mg_err_field(&err, "t", "m", "body/%d", i);
    is_int((long long)err.fields, MG_ERR_FIELDS,
           "a body full of mistakes is not listed to its end");
    is_str(err.param, "messages.3.role", "later ones do not change the sentence");
    mg_err_set(&err, 404, "not_found", "gone");
    mg_err_field(&err, "missing", "Field required", "query");
    is_int((long long)err.fields, 1, "a field replaces an error of another status");
    is_str(err.param, "query", "a place without parts is the parameter itself");
    mg_err_free(&err);
}

static void
test_move(void)
{
    struct mg_err a = MG_ERR_INIT, b = MG_ERR_INIT;
    mg_err_field(&a, "missing", "old", "body/a");
    mg_err_field(&b, "missing", "new", "body/b");
    mg_err_move(&a, &b);
    is_str(a.field[0].msg, "new", "a moved error arrives");
    ok(!mg_err_is(&b) && b.field == NULL, "and is gone where it came from");
    mg_err_free(&a);
    mg_err_free(&b);
}

static void
test_long_texts(void)
{
    struct mg_err err = MG_ERR_INIT;
    char big[5000];
    memset(big, 'x', sizeof(big));
    big[sizeof(big) - 1] = '\0';
    mg_err_set(&err, 400, big, "%s", big);
    ok(strlen(err.code) == sizeof(err.code) - 1 && strlen(err.message) == sizeof(err.message) - 1,
       "long texts are cut, not written past their end");
    mg_err_param(&err, 400, "c", big, "%s", big);
    is_int((long long)strlen(err.param), sizeof(err.param) - 1, "a long parameter too");
    mg_err_field(&err, big, big, "body/%s", big);
    ok(strlen(err.field[0].loc) == sizeof(err.field[0].loc) - 1 &&
           strlen(err.field[0].type) == sizeof(err.field[0].type) - 1,
       "and the parts of a field");
    mg_err_free(&err);
}

int
main(void)
{
    plan(0);
    test_set();
    test_internal();
    test_fields();
    test_move();
    test_long_texts();
    return done();
}
