/* Names and ids that are valid on both sides, and schemas for Messages. */
#include "tap.h"

#include "base/pool.h"
#include "wire/names.h"
#include "wire/schema.h"
#include "wire/turn.h"

static const uint8_t secret[8] = "secret";
static const struct mg_span no_space = {"", 0};

static bool
valid(const char *text, size_t max)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    return n > 0 && n <= max && text[n] == '\0';
}

static void
test_ids(struct mg_pool *pool)
{
    is_str(mg_names_call_id(MG_MESSAGES, mg_span_z("toolu_01-Ab"), pool), "toolu_01-Ab",
           "a valid id stays");
    const char *odd = mg_names_call_id(MG_MESSAGES, mg_span_z("functions.Bash:0"), pool);
    ok(valid(odd, 500), "an id that Messages does not take becomes one that it takes");
    is_str(mg_names_call_id(MG_CHAT, mg_span_z(odd), pool), "functions.Bash:0",
           "and is turned back for a format that takes it");
    is_str(mg_names_call_id(MG_MESSAGES, mg_span_z(odd), pool), odd, "and is stable");
    is_str(mg_names_call_id(MG_MESSAGES, mg_span_z("mgid_nothing!"), pool),
           mg_names_call_id(MG_MESSAGES, mg_span_z("mgid_nothing!"), pool),
           "an id that only looks changed is treated like any other");
    is_str(mg_names_call_id(MG_CHAT, mg_span_z("mgid_abc"), pool), "mgid_abc",
           "and stays when it is valid");
    char more[91], other[91];
    memset(more, 'x', 90);
    memset(other, 'x', 90);
    more[90] = other[90] = '\0';
    other[89] = 'y';
    const char *a = mg_names_call_id(MG_RESPONSES, mg_span_z(more), pool);
    const char *b = mg_names_call_id(MG_RESPONSES, mg_span_z(other), pool);
    ok(strlen(a) <= 64 && strlen(b) <= 64 && strcmp(a, b) != 0,
       "long ids become short ones that differ");
    is_str(mg_names_call_id(MG_RESPONSES, mg_span_z(a), pool), a, "and are stable");
    is_str(mg_names_call_id(MG_MESSAGES, no_space, pool), "", "an empty id stays empty");
}

/* A name of the kind that clients make, by number. */
static char *
strange_name(struct mg_pool *pool, unsigned i)
{
    static const char *const parts[] = {"mcp__server", "read", ".", "/", "\xc3\xa9", "tool_search",
                                        "__", "a_very_long_piece_of_a_name_that_goes_on_and_on"};
    struct mg_str name;
    mg_str_init(&name, 4096);
    for (unsigned v = i + 1; v > 0; v /= 8)
        mg_str_addz(&name, parts[v % 8]);
    char *kept = mg_pool_strndup(pool, name.p, name.len);
    mg_str_free(&name);
    return kept;
}

static void
test_names(struct mg_pool *pool)
{
    struct mg_names names;
    struct mg_map seen;
    int invalid = 0, met = 0, lost = 0;
    mg_names_init(&names, pool, MG_CHAT, secret);
    mg_map_init(&seen, pool, secret);
    for (unsigned i = 0; i < 5000; i++) {
        char *name = strange_name(pool, i);
        const struct mg_translated_tool *tool = mg_names_tool(&names, mg_span_z(name), no_space,
                                                              false, false);
        void **place = mg_map_at(&seen, mg_span_z(tool->upstream));
        invalid += !valid(tool->upstream, 64);
        met += *place != NULL && strcmp(*place, name) != 0;
        *place = name;
        lost += valid(name, 64) && strcmp(name, tool->upstream) != 0 &&
                strlen(name) + 11 <= 64 && *place == NULL;
    }
    is_int(invalid, 0, "every name becomes one that Chat takes");
    is_int(met, 0, "no two names become one");
    is_int(lost, 0, "valid names stay");
}

static void
test_spaces(struct mg_pool *pool)
{
    struct mg_names names;
    mg_names_init(&names, pool, MG_MESSAGES, secret);
    const struct mg_translated_tool *a = mg_names_tool(&names, mg_span_z("find"), mg_span_z("crm"),
                                                       false, false);
    const struct mg_translated_tool *b = mg_names_tool(&names, mg_span_z("crm__find"), no_space,
                                                       false, false);
    is_str(a->upstream, "crm__find", "a namespace goes before the name");
    ok(strcmp(b->upstream, a->upstream) != 0, "a tool that has that very name gets another");
    is_str(a->space, "crm", "the namespace is kept for the reply");
    ok(mg_names_tool(&names, mg_span_z("find"), mg_span_z("crm"), true, true) == a,
       "the same tool is found again");
    const char *own = mg_names_own(&names, "json");
    const struct mg_translated_tool *json = mg_names_tool(&names, mg_span_z("json"), no_space,
                                                          false, false);
    ok(strcmp(own, json->upstream) != 0, "a tool of the gateway's own never takes a client's name");
    is_int((long long)names.count, 3, "only the client's tools are listed");
}

static void
adapts(struct mg_pool *pool, const char *from, const char *to, const char *what)
{
    struct mg_span schema = mg_span_z(from);
    bool good = mg_schema_adapt(pool, &schema);
    is_bytes(good ? schema.p : "", good ? schema.n : 0, to, strlen(to), what);
}

static void
test_schema(struct mg_pool *pool)
{
    adapts(pool, "{\"type\":\"string\",\"format\":\"uri\"}",
           "{\"type\":\"string\",\"format\":\"uri\"}", "what is taken stays");
    adapts(pool, "{\"type\":\"string\",\"format\":\"iban\"}",
           "{\"type\":\"string\",\"description\":\"(format: \\\"iban\\\")\"}",
           "a format that is not taken is told in words");
    adapts(pool, "{\"oneOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}",
           "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", "oneOf becomes anyOf");
    adapts(pool,
           "{\"type\":\"object\",\"properties\":{\"a\\u00e9\":{\"type\":\"number\","
           "\"maximum\":1e2}}}",
           "{\"type\":\"object\",\"properties\":{\"a\xc3\xa9\":{\"type\":\"number\","
           "\"description\":\"(maximum: 1e2)\"}},\"additionalProperties\":false}",
           "objects are closed, names and numbers kept");
    adapts(pool, "{\"type\":\"object\",\"properties\":{\"m\":{\"type\":\"object\"}}}", "",
           "an object with free member names cannot be said");
    adapts(pool, "{\"type\":\"object\",\"properties\":{\"c\":{\"$ref\":\"#\"}}}", "",
           "a schema that holds itself cannot be said");
    struct mg_str deep;
    mg_str_init(&deep, 1 << 20);
    for (int i = 0; i < 100; i++)
        mg_str_addz(&deep, "{\"type\":\"array\",\"items\":");
    mg_str_addz(&deep, "{\"type\":\"string\"}");
    for (int i = 0; i < 100; i++)
        mg_str_addc(&deep, '}');
    adapts(pool, deep.p, "", "nor one that is nested too deep");
    mg_str_free(&deep);
}

int
main(void)
{
    struct mg_pool *pool = mg_pool_new();
    plan(0);
    test_ids(pool);
    test_names(pool);
    test_spaces(pool);
    test_schema(pool);
    mg_pool_free(&pool);
    return done();
}
