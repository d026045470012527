/* Packs are taken out of requests that are passed through, and nothing else is touched. */
#include "tap.h"

#include "wire/compaction.h"
#include "wire/purge.h"

static const uint8_t key[MG_PACK_KEY] = {7};
static struct mg_str packs[4]; /* thinking, reasoning, compaction, one of another account */

static void
make_pack(struct mg_str *out, uint8_t first, enum mg_pack_kind kind, const char *text)
{
    uint8_t own[MG_PACK_KEY] = {first};
    struct mg_pack pack = {.kind = kind, .origin = mg_span_z("elsewhere"),
                           .id = mg_span_z("rs_1"), .text = mg_span_z(text),
                           .blob = mg_span_z("proof")};
    mg_str_init(out, 4096);
    mg_pack_write(own, &pack, out);
}

/* The text with each "$N" replaced by the pack of that number. */
static char *
filled(const char *text)
{
    struct mg_str out;
    mg_str_init(&out, 65536);
    for (; *text != '\0'; text++) {
        if (text[0] == '$' && text[1] >= '0' && text[1] <= '3')
            mg_str_addspan(&out, mg_str_span(&packs[*++text - '0']));
        else
            mg_str_addc(&out, *text);
    }
    return mg_str_take(&out);
}

/* want NULL: nothing is to be taken out. */
static void
purged(enum mg_family family, const char *body, const char *want, const char *what)
{
    struct mg_err err = MG_ERR_INIT;
    struct mg_str out;
    char *in = filled(body);
    mg_str_init(&out, 65536);
    int rc = mg_purge_body(key, 1, family, mg_span_z(in), &out, &err);
    ok(rc == (want != NULL), "%s", what);
    char *expected = filled(want != NULL ? want : "");
    is_str(out.p, expected, "  and the rest is as it was");
    free(expected);
    mg_str_free(&out);
    mg_err_free(&err);
    free(in);
}

static void
test_messages(void)
{
    purged(MG_MESSAGES, "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"n\":1.50}", NULL,
           "a body without packs stays");
    purged(MG_MESSAGES,
           "{ \"messages\" : [ {\"role\":\"assistant\",\"content\":[ {\"type\":\"thinking\","
           "\"thinking\":\"a\",\"signature\":\"EqRkNative\"} , {\"type\":\"text\",\"text\":"
           "\"\\u0061\"} ]}]}", NULL, "a signature of its own stays");
    purged(MG_MESSAGES,
           "{ \"messages\" : [ {\"role\":\"assistant\",\"content\":[ {\"type\":\"thinking\","
           "\"thinking\":\"a\",\"signature\":\"$1\"} , {\"type\":\"text\",\"text\":"
           "\"\\u0061\"},{\"type\":\"redacted_thinking\",\"data\":\"$0\"} ]}], \"n\" : 1.50 }",
           "{ \"messages\" : [ {\"role\":\"assistant\",\"content\":[ {\"type\":\"text\",\"text\":"
           "\"\\u0061\"} ]}], \"n\" : 1.50 }", "thinking that is packed goes, both kinds");
    purged(MG_MESSAGES,
           "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}, {\"content\":[{\"signature\":"
           "\"$1\",\"type\":\"thinking\",\"thinking\":\"\"}],\"role\":\"assistant\"}, "
           "{\"role\":\"user\",\"content\":\"b\"}]}",
           "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}, "
           "{\"role\":\"user\",\"content\":\"b\"}]}", "a message that held nothing else goes too");
    purged(MG_MESSAGES, "{\"messages\":[{\"role\":\"user\",\"content\":\"$0\"},{\"role\":\"user\","
           "\"content\":[{\"type\":\"text\",\"text\":\"mg1.signature\"},{\"type\":\"tool_result\","
           "\"data\":\"$0\"}]}],\"system\":\"$0\"}", NULL, "what a user writes is no proof");
    purged(MG_MESSAGES, "{\"messages\":[{\"role\":\"assistant\",\"content\":[{\"type\":"
           "\"thinking\",\"thinking\":\"a\",\"signature\":\"mg1.torn\"},{\"type\":\"text\","
           "\"text\":\"b\"}]}]}",
           "{\"messages\":[{\"role\":\"assistant\",\"content\":[{\"type\":\"text\","
           "\"text\":\"b\"}]}]}", "a pack that is damaged goes like a good one");
}

#define CALL "{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"f\",\"input\":{}}"
#define RESULT "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"c\"}]}"
#define NATIVE "{\"type\":\"thinking\",\"thinking\":\"a\",\"signature\":\"native\"},"
#define PACKED "{\"type\":\"thinking\",\"thinking\":\"a\",\"signature\":\"$0\"},"
#define ENABLED "\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":1024}"
#define DISABLED "\"thinking\":{\"type\":\"disabled\"}"
#define ASSISTANT(blocks) "{\"role\":\"assistant\",\"content\":[" blocks "]}"

static void
test_loops(void)
{
    purged(MG_MESSAGES, "{\"messages\":[" ASSISTANT(PACKED CALL) "," RESULT "]," ENABLED "}",
           "{\"messages\":[" ASSISTANT(CALL) "," RESULT "]," DISABLED "}",
           "thinking ends where an unfinished tool loop lost it");
    purged(MG_MESSAGES, "{\"messages\":[" ASSISTANT(PACKED CALL) "," RESULT "],\"thinking\":"
           "{\"type\":\"adaptive\"}}",
           "{\"messages\":[" ASSISTANT(CALL) "," RESULT "],\"thinking\":{\"type\":\"adaptive\"}}",
           "but not where it is adaptive");
    purged(MG_MESSAGES, "{\"messages\":[" ASSISTANT(PACKED CALL) "," RESULT "," ASSISTANT(CALL)
           "," RESULT "]," ENABLED ",\"context_management\":{\"edits\":[{\"type\":"
           "\"clear_thinking_20251015\"}]}}",
           "{\"messages\":[" ASSISTANT(CALL) "," RESULT "," ASSISTANT(CALL) "," RESULT "],"
           DISABLED "}", "for the whole loop, and with it what would clear thinking");
    purged(MG_MESSAGES, "{\"messages\":[" ASSISTANT(PACKED CALL) "," RESULT ","
           ASSISTANT(NATIVE CALL) "," RESULT "]," ENABLED "}",
           "{\"messages\":[" ASSISTANT(CALL) "," RESULT "," ASSISTANT(NATIVE CALL) "," RESULT "],"
           ENABLED "}", "and goes on once the loop has thinking of its own");
    purged(MG_MESSAGES, "{\"messages\":[" ASSISTANT(PACKED CALL) "," RESULT ","
           ASSISTANT("{\"type\":\"text\",\"text\":\"b\"}") ",{\"role\":\"user\",\"content\":"
           "\"go on\"}]," ENABLED "}",
           "{\"messages\":[" ASSISTANT(CALL) "," RESULT ","
           ASSISTANT("{\"type\":\"text\",\"text\":\"b\"}") ",{\"role\":\"user\",\"content\":"
           "\"go on\"}]," ENABLED "}", "or the loop is over");
}

static void
test_responses(void)
{
    purged(MG_RESPONSES,
           "{\"input\":[{\"role\":\"user\",\"content\":\"a\"},{\"type\":\"reasoning\",\"id\":"
           "\"rs_1\",\"summary\":[],\"encrypted_content\":\"$0\"},{\"type\":\"function_call\","
           "\"name\":\"$0\"},{\"type\":\"reasoning\",\"id\":\"rs_2\",\"summary\":[],"
           "\"encrypted_content\":\"gAAAAnative\"}]}",
           "{\"input\":[{\"role\":\"user\",\"content\":\"a\"},{\"type\":\"function_call\","
           "\"name\":\"$0\"},{\"type\":\"reasoning\",\"id\":\"rs_2\",\"summary\":[],"
           "\"encrypted_content\":\"gAAAAnative\"}]}", "reasoning items that are packed go");
    purged(MG_RESPONSES, "{\"input\":\"$0\",\"instructions\":\"$0\"}", NULL, "texts stay");
    purged(MG_RESPONSES, "{\"input\":[ ],\"instructions\":\"$0\"}", NULL, "empty lists too");
    purged(MG_RESPONSES, "{\"input\":[{\"type\":\"compaction\",\"id\":\"cmp_1\","
           "\"encrypted_content\":\"$2\"},{\"role\":\"user\",\"content\":\"b\"}]}",
           "{\"input\":[{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":"
           "\"input_text\",\"text\":\"Summary of the conversation so far:\\n\\nthey \\\"spoke\\\""
           "\"}]},{\"role\":\"user\",\"content\":\"b\"}]}",
           "a compaction of the gateway's is told in words");
    purged(MG_RESPONSES, "{\"input\":[{\"type\":\"compaction\",\"encrypted_content\":"
           "\"gAAAAnative\"},{\"role\":\"user\",\"content\":\"mg1.\"}]}", NULL,
           "the upstream's own stays");
    struct mg_err err = MG_ERR_INIT;
    struct mg_str out;
    mg_str_init(&out, 65536);
    char *in = filled("{\"input\":[{\"type\":\"compaction\",\"encrypted_content\":\"$3\"}]}");
    is_int(mg_purge_body(key, 1, MG_RESPONSES, mg_span_z(in), &out, &err), -1,
           "one of another account is refused, it would be lost unseen");
    is_int(err.status, 400, "  as the client's mistake");
    free(in);
    mg_err_free(&err);
    mg_str_free(&out);
}

static void
test_chat(void)
{
    purged(MG_CHAT,
           "{\"messages\":[{\"role\":\"assistant\",\"reasoning_details\":[{\"type\":"
           "\"reasoning.encrypted\",\"data\":\"$0\"}],\"content\":\"a\"},{\"role\":\"assistant\","
           "\"content\":\"b\",\"reasoning_details\":[{\"data\":\"$1\"}, {\"type\":"
           "\"reasoning.text\",\"text\":\"c\"}]},{\"role\":\"user\",\"content\":\"$0\"}]}",
           "{\"messages\":[{\"role\":\"assistant\",\"content\":\"a\"},{\"role\":\"assistant\","
           "\"content\":\"b\",\"reasoning_details\":[{\"type\":"
           "\"reasoning.text\",\"text\":\"c\"}]},{\"role\":\"user\",\"content\":\"$0\"}]}",
           "details that are packed go, an empty list with them");
    purged(MG_COMPLETIONS, "{\"prompt\":\"$0\"}", NULL, "a prompt has no proofs");
}

static void
test_odd(void)
{
    purged(MG_MESSAGES, "{\"messages\":\"$0\"}", NULL, "odd bodies are left to the upstream");
    purged(MG_MESSAGES, "{\"messages\":[\"$0\",[\"$0\"],{\"content\":{\"a\":\"$0\"}}]}", NULL,
           "whatever they hold");
    purged(MG_MESSAGES, "[\"$0\"]", NULL, "be they no objects");
    purged(MG_CHAT, "{\"messages\":[{\"reasoning_details\":{\"data\":\"$0\"}}]}", NULL,
           "or of another shape");
    struct mg_err err = MG_ERR_INIT;
    struct mg_str out;
    mg_str_init(&out, 8);
    char *in = filled("{\"input\":[{\"type\":\"reasoning\",\"encrypted_content\":\"$0\"},1]}");
    is_int(mg_purge_body(key, 1, MG_RESPONSES, mg_span_z(in), &out, &err), -1,
           "a buffer that is too small is noticed");
    is_int(err.status, 500, "  as the service's mistake");
    free(in);
    mg_err_free(&err);
    mg_str_free(&out);
}

int
main(void)
{
    make_pack(&packs[0], key[0], MG_PACK_THINKING, "hm");
    make_pack(&packs[1], key[0], MG_PACK_REASONING, "[]");
    mg_str_init(&packs[2], 4096);
    mg_str_init(&packs[3], 4096);
    mg_compaction_write(key, 1, mg_span_z("they \"spoke\""), &packs[2]);
    mg_compaction_write(key, 2, mg_span_z("foreign"), &packs[3]);
    plan(0);
    test_messages();
    test_loops();
    test_responses();
    test_chat();
    test_odd();
    for (size_t i = 0; i < 4; i++)
        mg_str_free(&packs[i]);
    return done();
}
