/* Reasoning that crosses formats: packs, and whom they go back to. */
#include "golden_request.h"
#include "tap.h"

#include "json/parse.h"
#include "wire/base64.h"
#include "wire/compaction.h"

static struct mg_span
span(const char *text)
{
    return mg_span_z(text);
}

static char *
packed(const uint8_t *key, struct mg_pack pack)
{
    struct mg_str out;
    mg_str_init(&out, 1 << 20);
    mg_pack_write(key, &pack, &out);
    return mg_str_take(&out);
}

static void
test_pack(void)
{
    struct mg_pool *pool = mg_pool_new();
    struct mg_pack in = {.kind = MG_PACK_REASONING, .origin = span("up-1"), .id = span("rs_1"),
                         .text = span("[{\"type\":\"summary_text\",\"text\":\"H\xc3\xa9\"}]"),
                         .blob = {"a\0b", 3}};
    struct mg_pack out;
    char *text = packed(golden_key, in), *again = packed(golden_key, in);
    is_str(text, again, "the same reasoning packs to the same text");
    ok(mg_pack_read(golden_key, span(text), pool, &out) && out.kind == in.kind &&
           out.origin.n == 4 && memcmp(out.origin.p, "up-1", 4) == 0 && out.id.n == 4 &&
           out.text.n == in.text.n && memcmp(out.text.p, in.text.p, in.text.n) == 0 &&
           out.blob.n == 3 && memcmp(out.blob.p, "a\0b", 3) == 0,
       "what was packed comes out byte for byte");
    ok(mg_pack_looks(span(text)), "a pack looks like one");
    uint8_t other[MG_PACK_KEY] = {7};
    ok(!mg_pack_read(other, span(text), pool, &out), "another key opens nothing");
    int opened = 0;
    for (size_t i = 4; text[i] != '\0'; i++) {
        char kept = text[i];
        text[i] = kept == 'A' ? 'B' : 'A';
        opened += mg_pack_read(golden_key, span(text), pool, &out);
        text[i] = kept;
    }
    is_int(opened, 0, "a pack with one digit changed is none");
    for (size_t n = strlen(text); n-- > 0;)
        opened += mg_pack_read(golden_key, (struct mg_span){text, n}, pool, &out);
    is_int(opened, 0, "a pack that was cut is none");
    ok(!mg_pack_read(golden_key, span("EuYBCkQYAiJA"), pool, &out), "a native signature is none");
    free(text);
    free(again);
    mg_pool_free(&pool);
}

/* The body that a request becomes, compact, or "" when it is refused. Free it. */
static char *
translated(enum mg_family client, enum mg_family upstream, const char *facts, const char *format,
           const char *pack)
{
    char *body = NULL, *raw = NULL;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (asprintf(&body, format, pack) < 0)
        exit(1);
#pragma GCC diagnostic pop
    struct json_object *to = mg_json_of(span(facts));
    json_object_put(golden_run(client, upstream, body, strlen(body), to, &raw));
    json_object_put(to);
    free(body);
    return raw;
}

static void
holds(const char *body, const char *text, const char *what)
{
    if (!ok(strstr(body, text) != NULL, "%s", what))
        printf("# %s\n# lacks %s\n", body, text);
}

static void
lacks(const char *body, const char *text, const char *what)
{
    if (!ok(*body != '\0' && strstr(body, text) == NULL, "%s", what))
        printf("# %s\n# holds %s\n", body, text);
}

#define RESPONSES_TURN                                                                            \
    "{\"input\":[{\"role\":\"user\",\"content\":\"Go\"},{\"type\":\"reasoning\",\"id\":\"rs_x\"," \
    "\"summary\":[{\"type\":\"summary_text\",\"text\":\"changed\"}],\"encrypted_content\":"       \
    "\"%s\"},{\"type\":\"function_call\",\"call_id\":\"c1\",\"name\":\"f\",\"arguments\":\"{}\"}," \
    "{\"type\":\"function_call_output\",\"call_id\":\"c1\",\"output\":\"ok\"}],\"tools\":["       \
    "{\"type\":\"function\",\"name\":\"f\"}],\"reasoning\":{\"effort\":\"low\"},"                 \
    "\"max_output_tokens\":9000}"

#define MESSAGES_TURN(block)                                                                      \
    "{\"max_tokens\":9000,\"messages\":[{\"role\":\"user\",\"content\":\"Go\"},{\"role\":"        \
    "\"assistant\",\"content\":[" block ",{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"f\","   \
    "\"input\":{}}]},{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","                  \
    "\"tool_use_id\":\"c1\",\"content\":\"ok\"}]}],\"tools\":[{\"name\":\"f\",\"input_schema\":"  \
    "{\"type\":\"object\"}}]}"

static void
test_thinking_through_responses(void)
{
    struct mg_pack thinking = {.kind = MG_PACK_THINKING, .origin = span("up-1"),
                               .text = span("First \"this\".\n"), .blob = span("Sig+/=")};
    char *pack = packed(golden_key, thinking);
    char *body = translated(MG_RESPONSES, MG_MESSAGES, "{\"origin\":\"up-1\"}", RESPONSES_TURN,
                            pack);
    holds(body, "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":"
                "\"First \\\"this\\\".\\n\",\"signature\":\"Sig+/=\"},{\"type\":\"tool_use\"",
          "thinking comes back as it was, first in its turn, whatever became of the summary");
    holds(body, "\"thinking\":{\"type\":\"enabled\"", "and thinking goes on in the tool loop");
    free(body);
    body = translated(MG_RESPONSES, MG_MESSAGES, "{\"origin\":\"up-2\"}", RESPONSES_TURN, pack);
    lacks(body, "Sig+/=", "a signature does not go to another upstream");
    lacks(body, "\"thinking\"", "and a loop whose thinking is not at hand goes on without");
    free(body);
    body = translated(MG_RESPONSES, MG_CHAT, "{}", RESPONSES_TURN, pack);
    lacks(body, "Sig+/=", "nor to another format");
    lacks(body, "mg1.", "and no pack goes anywhere");
    free(body);
    free(pack);

    struct mg_pack redacted = {.kind = MG_PACK_REDACTED, .blob = span("Emw==")};
    pack = packed(golden_key, redacted);
    body = translated(MG_RESPONSES, MG_MESSAGES, "{}", RESPONSES_TURN, pack);
    holds(body, "{\"type\":\"redacted_thinking\",\"data\":\"Emw==\"}", "redacted thinking too");
    free(body);
    free(pack);

    struct mg_pack empty = {.kind = MG_PACK_THINKING, .blob = span("Sig2")};
    pack = packed(golden_key, empty);
    body = translated(MG_RESPONSES, MG_MESSAGES, "{}", RESPONSES_TURN, pack);
    holds(body, "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"Sig2\"}",
          "and thinking that is only a signature");
    free(body);
    free(pack);
}

#define THOUGHT(id)                                                                               \
    "{\"type\":\"reasoning\",\"id\":\"" id "\",\"summary\":[],\"encrypted_content\":\"%s\"},"
#define CALL(id)                                                                                  \
    "{\"type\":\"function_call\",\"call_id\":\"" id "\",\"name\":\"f\",\"arguments\":\"{}\"},"

static void
test_interleaved(void)
{
    char *first = packed(golden_key, (struct mg_pack){.kind = MG_PACK_THINKING,
                                                      .text = span("one"), .blob = span("S1")});
    char *second = packed(golden_key, (struct mg_pack){.kind = MG_PACK_THINKING,
                                                       .text = span("two"), .blob = span("S2")});
    char *request = NULL;
    if (asprintf(&request,
                 "{\"input\":[{\"role\":\"user\",\"content\":\"Go\"},"
                 THOUGHT("rs_1") CALL("a") THOUGHT("rs_2") CALL("b")
                 "{\"type\":\"function_call_output\",\"call_id\":\"a\",\"output\":\"1\"},"
                 "{\"type\":\"function_call_output\",\"call_id\":\"b\",\"output\":\"2\"}]}",
                 first, second) < 0)
        exit(1);
    char *body = translated(MG_RESPONSES, MG_MESSAGES, "{}", "%s", request);
    holds(body,
          "\"signature\":\"S1\"},{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"f\",\"input\":{}},"
          "{\"type\":\"thinking\",\"thinking\":\"two\",\"signature\":\"S2\"},"
          "{\"type\":\"tool_use\",\"id\":\"b\"", "each thought stays before its own call");
    free(body);
    free(request);
    free(first);
    free(second);
}

static void
test_items_through_messages(void)
{
    struct mg_pack item = {.kind = MG_PACK_REASONING, .origin = span("up-1"), .id = span("rs_1"),
                           .text = span("[{\"type\":\"summary_text\",\"text\":\"Hm\"}]"),
                           .blob = span("gAAA==")};
    char *pack = packed(golden_key, item);
    const char *want = "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[{\"type\":"
                       "\"summary_text\",\"text\":\"Hm\"}],\"encrypted_content\":\"gAAA==\"},"
                       "{\"type\":\"function_call\"";
    char *body = translated(MG_MESSAGES, MG_RESPONSES, "{\"origin\":\"up-1\"}",
                            MESSAGES_TURN("{\"type\":\"thinking\",\"thinking\":\"Hm\","
                                          "\"signature\":\"%s\"}"), pack);
    holds(body, want, "a reasoning item comes back with its id and its encrypted text");
    free(body);
    body = translated(MG_MESSAGES, MG_RESPONSES, "{\"origin\":\"up-1\"}",
                      MESSAGES_TURN("{\"type\":\"redacted_thinking\",\"data\":\"%s\"}"), pack);
    holds(body, want, "also from a redacted block");
    free(body);
    body = translated(MG_MESSAGES, MG_RESPONSES, "{\"origin\":\"up-2\"}",
                      MESSAGES_TURN("{\"type\":\"redacted_thinking\",\"data\":\"%s\"}"), pack);
    lacks(body, "gAAA==", "but not to another upstream");
    free(body);
    body = translated(MG_MESSAGES, MG_MESSAGES, "{}",
                      MESSAGES_TURN("{\"type\":\"thinking\",\"thinking\":\"Hm\","
                                    "\"signature\":\"%s\"}"), pack);
    lacks(body, "mg1.", "a pack is never a signature for Messages");
    free(body);
    body = translated(MG_MESSAGES, MG_RESPONSES, "{}",
                      MESSAGES_TURN("{\"type\":\"thinking\",\"thinking\":\"Hm\","
                                    "\"signature\":\"%s\"}"), "EuYBnative");
    lacks(body, "EuYBnative", "a native signature never goes to Responses");
    free(body);
    free(pack);
}

static void
test_chat(void)
{
    char *thinking = packed(golden_key, (struct mg_pack){.kind = MG_PACK_THINKING,
                                                         .text = span("T"), .blob = span("S")});
    const char *turn = "{\"messages\":[{\"role\":\"user\",\"content\":\"Go\"},{\"role\":"
                       "\"assistant\",\"content\":null,\"reasoning_content\":\"T\","
                       "\"reasoning_details\":[{\"type\":\"reasoning.encrypted\",\"data\":\"%s\"}],"
                       "\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":"
                       "\"f\",\"arguments\":\"{}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"a\","
                       "\"content\":\"1\"}]}";
    char *body = translated(MG_CHAT, MG_MESSAGES, "{}", turn, thinking);
    holds(body, "[{\"type\":\"thinking\",\"thinking\":\"T\",\"signature\":\"S\"},{\"type\":"
                "\"tool_use\"", "a Chat client brings thinking back in its details");
    free(body);
    body = translated(MG_CHAT, MG_MESSAGES, "{}", turn, "unknown");
    lacks(body, "\"T\"", "reasoning without a proof is never given to Messages");
    free(body);
    free(thinking);

    char *chat = packed(golden_key, (struct mg_pack){.kind = MG_PACK_CHAT, .text = span("Well.")});
    body = translated(MG_MESSAGES, MG_CHAT, "{}",
                      MESSAGES_TURN("{\"type\":\"thinking\",\"thinking\":\"Well.\","
                                    "\"signature\":\"%s\"}"), chat);
    holds(body, "\"reasoning_content\":\"Well.\"", "a Chat upstream gets its own words back");
    free(body);
    body = translated(MG_MESSAGES, MG_RESPONSES, "{}",
                      MESSAGES_TURN("{\"type\":\"thinking\",\"thinking\":\"Well.\","
                                    "\"signature\":\"%s\"}"), chat);
    lacks(body, "Well.", "and nobody else does");
    free(body);
    free(chat);
}

static char *
sealed(const uint8_t *key, uint64_t owner, const char *summary)
{
    struct mg_str out;
    mg_str_init(&out, 1 << 20);
    mg_compaction_write(key, owner, span(summary), &out);
    return mg_str_take(&out);
}

static void
test_sealing(void)
{
    struct mg_pool *pool = mg_pool_new();
    struct mg_span summary;
    uint8_t other[MG_PACK_KEY] = {7};
    char *text = sealed(golden_key, 1, "The secret plan");
    char *again = sealed(golden_key, 1, "The secret plan");
    is_str(text, again, "the same summary seals to the same text");
    ok(mg_compaction_read(golden_key, 1, span(text), pool, &summary) &&
           mg_span_is(summary, "The secret plan"), "its owner opens it");
    ok(!mg_compaction_read(golden_key, 2, span(text), pool, &summary), "nobody else does");
    ok(!mg_compaction_read(other, 1, span(text), pool, &summary), "another key does not");
    struct mg_str bytes;
    mg_str_init(&bytes, 4096);
    ok(mg_base64_decode(span(text + 6), &bytes) &&
           memmem(bytes.p, bytes.len, "secret", 6) == NULL, "it cannot be read without the key");
    mg_str_free(&bytes);
    int opened = 0;
    for (size_t i = 6; text[i] != '\0'; i++) {
        char kept = text[i];
        text[i] = kept == 'A' ? 'B' : 'A';
        opened += mg_compaction_read(golden_key, 1, span(text), pool, &summary);
        text[i] = kept;
    }
    for (size_t n = strlen(text); n-- > 0;)
        opened += mg_compaction_read(golden_key, 1, (struct mg_span){text, n}, pool, &summary);
    is_int(opened, 0, "altered or cut it does not open");
    free(text);
    free(again);
    mg_pool_free(&pool);
}

static void
test_compaction(void)
{
    char *own = sealed(golden_key, 1, "We built it."), *body;
    for (enum mg_family to = MG_CHAT; to < MG_FAMILIES; to++) {
        if (to == MG_COMPLETIONS)
            continue;
        body = translated(MG_RESPONSES, to, "{}",
                          "{\"input\":[{\"type\":\"compaction\",\"encrypted_content\":"
                          "\"%s\"},{\"role\":\"user\",\"content\":\"Go on\"}]}", own);
        holds(body, "We built it.", "the gateway's own compaction is read by every upstream");
        free(body);
    }
    free(own);
    own = sealed(golden_key, 2, "We built it.");
    body = translated(MG_RESPONSES, MG_CHAT, "{}",
                      "{\"input\":[{\"type\":\"compaction\",\"encrypted_content\":\"%s\"}]}", own);
    is_str(body, "", "that of another account is not");
    free(body);
    free(own);
    char *pack = packed(golden_key, (struct mg_pack){.kind = MG_PACK_THINKING, .text = span("X")});
    body = translated(MG_RESPONSES, MG_CHAT, "{}",
                      "{\"input\":[{\"type\":\"compaction\",\"encrypted_content\":\"%s\"}]}", pack);
    is_str(body, "", "a pack of another kind is no compaction");
    free(body);
    free(pack);
}

int
main(void)
{
    plan(0);
    test_pack();
    test_thinking_through_responses();
    test_interleaved();
    test_items_through_messages();
    test_chat();
    test_sealing();
    test_compaction();
    return done();
}
