/* Request targets: what is taken apart how, and what is refused. */
#include "tap.h"

#include "base/str.h"
#include "http/uri.h"

static struct mg_pool *pool;
static struct mg_uri uri;
static struct mg_err err;

static int
parse(const char *target)
{
    mg_err_free(&err);
    return mg_uri_parse(target, pool, &uri, &err);
}

static void
refused(const char *target, const char *why)
{
    parse(target);
    ok(err.status == 400 && strcmp(err.code, "invalid_url") == 0, "%s is refused", why);
}

static void
test_paths(void)
{
    parse("/v1/models/a%2Fb%20c?x=1");
    is_int((long long)uri.segments, 3, "three segments");
    is_str(uri.segment[2], "a/b c", "an encoded slash belongs to its segment");
    is_str(uri.path, "/v1/models/a%2Fb%20c", "the raw path has no query");
    parse("/v1/models/");
    is_int((long long)uri.segments, 2, "one trailing slash is no segment");
    parse("/v1//models");
    is_str(uri.segment[1], "", "a doubled slash is an empty segment");
    is_int((long long)uri.segments, 3, "... that counts");
    parse("/");
    is_int((long long)uri.segments, 0, "the root has no segments");
    is_int(parse("http://host:80/v1/responses?a=b"), 0, "the absolute form is understood");
    is_str(uri.segment[1], "responses", "... without its host");
    is_int(parse("/v1/models/gr%C3%BCn"), 0, "UTF-8 may be encoded");
    is_str(uri.segment[2], "gr\xc3\xbcn", "... and is decoded");
    parse("/a/%252e%252e");
    is_str(uri.segment[1], "%2e%2e", "what is encoded twice is decoded once");
    is_int(parse("/a/..."), 0, "three dots are a name");
}

static void
test_queries(void)
{
    parse("/v1/responses/r?include%5B%5D=a&include[]=b%26c&limit=5&flag&m%5Bk%5D=v+w&&z=%2B");
    is_int((long long)uri.queries, 6, "every parameter is there, empty ones are not");
    is_str(uri.query[0].name, "include[]", "encoded brackets are brackets");
    is_str(uri.query[1].value, "b&c", "an encoded ampersand is part of the value");
    is_str(uri.query[3].name, "flag", "a name may stand alone");
    is_str(uri.query[3].value, "", "... with an empty value");
    is_str(uri.query[4].value, "v w", "a plus is a space");
    is_str(uri.query[5].value, "+", "an encoded plus is a plus");
    parse("/x?a=b=c");
    is_str(uri.query[0].value, "b=c", "the first equals sign separates");
}

static void
test_refusals(void)
{
    refused("/v1/%00", "an encoded NUL");
    refused("/v1/a%", "a lone percent sign");
    refused("/v1/a%2", "half an escape");
    refused("/v1/a%zz", "an escape that is not hexadecimal");
    refused("/v1/%c0%af", "an overlong slash");
    refused("/v1/%ff", "a byte that is no UTF-8");
    refused("/v1/../etc", "a climbing segment");
    refused("/v1/%2e%2E/etc", "an encoded climbing segment");
    refused("/v1/%2e", "a single encoded dot");
    refused("/v1/a%2f..%2fb", "climbing behind an encoded slash");
    refused("/v1/a%0d%0ab", "a line break");
    refused("v1/models", "a path without a slash");
    refused("", "an empty target");
    refused("*", "an asterisk");
    refused("/a#b", "a fragment");
    refused("http://host", "a host without a path");
    refused("/a?b=%", "a broken escape in the query");
    refused("/a?b=%00", "a NUL in the query");
    refused("/a?b=%e2%82", "cut UTF-8 in the query");
    refused("/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17", "a path of 17 segments");
}

static void
test_limits(void)
{
    char *target = malloc(MG_URI_MAX + 2);
    memset(target, 'a', MG_URI_MAX + 1);
    target[0] = '/';
    target[MG_URI_MAX + 1] = '\0';
    parse(target);
    is_int(err.status, 414, "a URL one byte too long is a 414");
    target[MG_URI_MAX] = '\0';
    is_int(parse(target), 0, "the longest URL is read");
    free(target);
    struct mg_str many;
    mg_str_init(&many, MG_URI_MAX);
    mg_str_addz(&many, "/?");
    for (int i = 0; i < MG_URI_PARAMETERS; i++)
        mg_str_addz(&many, "a=1&");
    is_int(parse(many.p), 0, "64 parameters are read");
    mg_str_addz(&many, "a=1");
    refused(many.p, "a 65th parameter");
    mg_str_free(&many);
}

int
main(void)
{
    plan(0);
    pool = mg_pool_new();
    mg_err_init(&err);
    test_paths();
    test_queries();
    test_refusals();
    test_limits();
    mg_err_free(&err);
    mg_pool_free(&pool);
    return done();
}
