/* Two turns through translation: what a reply gave to the client comes back in its next request,
 * and the upstream gets its own reasoning and its own names again, to the byte. */
#include "unit/tap.h"
#include "json/parse.h"
#include "json/scan.h"
#include "wire/case.h"
#include "wire/translate.h"

static uint8_t key[MG_PACK_KEY];

/* The upstream's body for a client's request; *left as mg_translate_request makes it. */
static struct json_object *
translate(enum mg_family client, enum mg_family upstream, const char *body,
          struct mg_translation **left)
{
    struct mg_err err = MG_ERR_INIT;
    struct json_object *tree = mg_json_of(mg_span_z(body)), *result = NULL;
    struct mg_translate_in in = {
        .client = client, .upstream = upstream, .body = mg_span_z(body), .tree = tree,
        .key = key,
        .to = {.model = "up-1", .origin = "first", .image = true, .pdf = true, .tools = true,
               .structured = true, .reasoning = true, .max_output = 32000,
               .default_max_output = 8000}};
    struct mg_str out;
    mg_str_init(&out, CASE_MAX);
    if (mg_translate_request(&in, &out, left, &err) == 0)
        result = mg_json_of(mg_str_span(&out));
    else
        printf("# refused: %s\n", err.message);
    json_object_put(tree);
    mg_str_free(&out);
    mg_err_free(&err);
    return result;
}

/* The client's whole reply to the upstream's. Takes over `left`. */
static struct json_object *
reply(enum mg_family client, enum mg_family upstream, const char *body,
      struct mg_translation *left)
{
    struct mg_relay_setup setup = {.client = client, .upstream = upstream, .model = "power-ai",
                                   .request_id = "req_1", .translation = left};
    struct mg_relay *relay = mg_relay_new(&setup);
    struct mg_err err = MG_ERR_INIT;
    struct mg_str out;
    mg_str_init(&out, CASE_MAX);
    if (mg_relay_body(relay, mg_span_z(body), &out, &err) != 0)
        printf("# no reply: %s\n", err.message);
    struct json_object *result = mg_json_of(mg_str_span(&out));
    mg_str_free(&out);
    mg_err_free(&err);
    mg_relay_free(&relay);
    return result;
}

static const char *
plain(struct json_object *value)
{
    return json_object_to_json_string_ext(value,
                                          JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
}

static struct json_object *
at(struct json_object *list, int n)
{
    return json_object_is_type(list, json_type_array)
               ? json_object_array_get_idx(list, (size_t)n) : NULL;
}

/* ---- Responses client, Messages upstream ---- */

#define CODEX_TOOLS                                                                               \
    "[{\"type\":\"custom\",\"name\":\"apply_patch\",\"description\":\"edits\"},"                  \
    "{\"type\":\"namespace\",\"name\":\"shell\",\"description\":\"d\",\"tools\":["                \
    "{\"type\":\"function\",\"name\":\"run\",\"parameters\":{\"type\":\"object\"}}]}]"

static void
test_responses_over_messages(void)
{
    static const char first[] = "{\"model\":\"power-ai\",\"input\":\"hi\",\"store\":false,"
                                "\"include\":[\"reasoning.encrypted_content\"],"
                                "\"reasoning\":{\"effort\":\"high\"},\"tools\":" CODEX_TOOLS "}";
    struct mg_translation *left = NULL;
    struct json_object *up = translate(MG_RESPONSES, MG_MESSAGES, first, &left);
    struct json_object *tools = mg_json_get(up, "tools");
    const char *patch = mg_json_text(at(tools, 0), "name");
    const char *run = mg_json_text(at(tools, 1), "name");
    struct mg_str body, next;
    mg_str_init(&body, CASE_MAX);
    mg_str_init(&next, CASE_MAX);
    mg_str_addf(&body,
                "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\","
                "\"content\":[{\"type\":\"thinking\",\"thinking\":\"One \\u00e9.\",\"signature\":"
                "\"sig+/=1\"},{\"type\":\"tool_use\",\"id\":\"toolu_a\",\"name\":\"%s\",\"input\":"
                "{\"input\":\"*** \\\"x\\\"\\n\"}},{\"type\":\"redacted_thinking\",\"data\":"
                "\"Em/+=\"},{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"sig2\"},"
                "{\"type\":\"text\",\"text\":\"So.\"},{\"type\":\"tool_use\",\"id\":\"toolu_b\","
                "\"name\":\"%s\",\"input\":{\"n\": 1e400}}],\"stop_reason\":\"tool_use\","
                "\"stop_sequence\":null,\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}",
                patch, run);
    struct json_object *down = reply(MG_RESPONSES, MG_MESSAGES, body.p, left);
    struct json_object *output = mg_json_get(down, "output");
    is_str(mg_json_text(at(output, 1), "type"), "custom_tool_call", "a custom tool stays one");
    is_str(mg_json_text(at(output, 1), "input"), "*** \"x\"\n", "with its bare input");
    is_str(mg_json_text(at(output, 5), "name"), "run", "a tool of a namespace has its own name");
    is_str(mg_json_text(at(output, 5), "namespace"), "shell", "and its namespace");
    mg_str_addz(&next, "{\"model\":\"power-ai\",\"store\":false,\"tools\":" CODEX_TOOLS
                       ",\"reasoning\":{\"effort\":\"high\"},\"input\":[{\"role\":\"user\","
                       "\"content\":\"hi\"}");
    for (int i = 0; at(output, i) != NULL; i++)
        mg_str_addf(&next, ",%s", plain(at(output, i)));
    mg_str_addz(&next, ",{\"type\":\"custom_tool_call_output\",\"call_id\":\"toolu_a\",\"output\":"
                       "\"done\"},{\"type\":\"function_call_output\",\"call_id\":\"toolu_b\","
                       "\"output\":\"ok\"}]}");
    struct json_object *again = translate(MG_RESPONSES, MG_MESSAGES, next.p, &left);
    struct json_object *turn = mg_json_get(at(mg_json_get(again, "messages"), 1), "content");
    const char *said = turn ? plain(turn) : "";
    struct mg_str want;
    mg_str_init(&want, CASE_MAX);
    mg_str_addf(&want,
                "[{\"type\":\"thinking\",\"thinking\":\"One é.\",\"signature\":\"sig+/=1\"},"
                "{\"type\":\"tool_use\",\"id\":\"toolu_a\",\"name\":\"%s\",\"input\":{\"input\":"
                "\"*** \\\"x\\\"\\n\"}},{\"type\":\"redacted_thinking\",\"data\":\"Em/+=\"},"
                "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"sig2\"},{\"type\":"
                "\"text\",\"text\":\"So.\"},{\"type\":\"tool_use\",\"id\":\"toolu_b\",\"name\":"
                "\"%s\",\"input\":{\"n\":1e400}}]", patch, run);
    is_str(said, want.p, "the next turn gives every block back as the model made it");
    json_object_put(up);
    json_object_put(down);
    json_object_put(again);
    mg_translation_free(&left);
    mg_str_free(&body);
    mg_str_free(&next);
    mg_str_free(&want);
}

/* ---- Messages client ---- */

#define TOOL                                                                                      \
    "[{\"name\":\"run\",\"input_schema\":{\"type\":\"object\"}}]"

/* Two turns of a Messages client; returns what the upstream gets in the second. */
static struct json_object *
messages_turns(enum mg_family upstream, const char *body)
{
    static const char first[] =
        "{\"model\":\"power-ai\",\"max_tokens\":9000,\"thinking\":{\"type\":\"enabled\","
        "\"budget_tokens\":8000},\"tools\":" TOOL
        ",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";
    struct mg_translation *left = NULL;
    struct json_object *up = translate(MG_MESSAGES, upstream, first, &left);
    struct json_object *down = reply(MG_MESSAGES, upstream, body, left);
    struct mg_str next;
    mg_str_init(&next, CASE_MAX);
    mg_str_addf(&next,
                "{\"model\":\"power-ai\",\"max_tokens\":9000,\"tools\":" TOOL ",\"thinking\":{"
                "\"type\":\"enabled\",\"budget_tokens\":8000},\"messages\":[{\"role\":\"user\","
                "\"content\":\"hi\"},{\"role\":\"assistant\",\"content\":%s},{\"role\":\"user\","
                "\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"call_a\",\"content\":"
                "\"ok\"}]}]}",
                plain(mg_json_get(down, "content")));
    struct json_object *again = translate(MG_MESSAGES, upstream, next.p, &left);
    mg_translation_free(&left);
    mg_str_free(&next);
    json_object_put(up);
    json_object_put(down);
    return again;
}

static void
test_messages_over_responses(void)
{
    static const char body[] =
        "{\"id\":\"resp_1\",\"object\":\"response\",\"status\":\"completed\",\"output\":[{\"id\":"
        "\"rs_9\",\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"A\"},"
        "{\"type\":\"summary_text\",\"text\":\"B\"}],\"encrypted_content\":\"gAAA+/=\"},{\"id\":"
        "\"fc_1\",\"type\":\"function_call\",\"call_id\":\"call_a\",\"name\":\"run\",\"arguments\":"
        "\"{\\\"n\\\": 1e400}\"}],\"usage\":{\"input_tokens\":1,\"output_tokens\":1,"
        "\"total_tokens\":2}}";
    struct json_object *again = messages_turns(MG_RESPONSES, body);
    struct json_object *input = mg_json_get(again, "input");
    struct json_object *item = at(input, 1);
    is_str(mg_json_text(item, "id"), "rs_9", "encrypted reasoning comes back under its id");
    is_str(mg_json_text(item, "encrypted_content"), "gAAA+/=", "unchanged");
    is_str(item ? plain(mg_json_get(item, "summary")) : "",
           "[{\"type\":\"summary_text\",\"text\":\"A\"},"
           "{\"type\":\"summary_text\",\"text\":\"B\"}]",
           "with the summary it had");
    is_str(mg_json_text(at(input, 2), "arguments"), "{\"n\":1e400}",
           "the call keeps its arguments, as the client wrote them");
    json_object_put(again);
}

static void
test_messages_over_chat(void)
{
    static const char body[] =
        "{\"id\":\"c\",\"object\":\"chat.completion\",\"choices\":[{\"index\":0,\"message\":{"
        "\"role\":\"assistant\",\"content\":null,\"reasoning_content\":\"Hm \\u00e9.\","
        "\"tool_calls\":[{\"id\":\"call_a\",\"type\":\"function\",\"function\":{\"name\":"
        "\"run\",\"arguments\":"
        "\"{\\\"n\\\": 1}\"}}]},\"finish_reason\":\"tool_calls\"}]}";
    struct json_object *again = messages_turns(MG_CHAT, body);
    struct json_object *turn = at(mg_json_get(again, "messages"), 1);
    is_str(mg_json_text(turn, "reasoning_content"), "Hm \xc3\xa9.",
           "a Chat upstream gets its reasoning back");
    ok(turn != NULL && strstr(plain(turn), "mg1.") == NULL, "but never a packed proof");
    json_object_put(again);
}

/* ---- Chat client, Messages upstream ---- */

static void
test_chat_over_messages(void)
{
    static const char tools[] = "[{\"type\":\"function\",\"function\":{\"name\":\"run\","
                                "\"parameters\":{\"type\":\"object\"}}}]";
    static const char body[] =
        "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\","
        "\"content\":[{\"type\":\"thinking\",\"thinking\":\"One.\",\"signature\":\"sig1\"},"
        "{\"type\":\"tool_use\",\"id\":\"toolu_a\",\"name\":\"run\",\"input\":{}}],"
        "\"stop_reason\":\"tool_use\",\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}";
    struct mg_translation *left = NULL;
    struct mg_str next;
    mg_str_init(&next, CASE_MAX);
    mg_str_addf(&next, "{\"model\":\"power-ai\",\"reasoning_effort\":\"high\",\"tools\":%s,"
                       "\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}", tools);
    struct json_object *up = translate(MG_CHAT, MG_MESSAGES, next.p, &left);
    struct json_object *down = reply(MG_CHAT, MG_MESSAGES, body, left);
    struct json_object *message = mg_json_get(at(mg_json_get(down, "choices"), 0), "message");
    is_str(mg_json_text(message, "reasoning_content"), "One.", "a Chat client sees the reasoning");
    mg_str_reset(&next);
    mg_str_addf(&next, "{\"model\":\"power-ai\",\"reasoning_effort\":\"high\",\"tools\":%s,"
                       "\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},%s,{\"role\":\"tool\","
                       "\"tool_call_id\":\"toolu_a\",\"content\":\"ok\"}]}", tools,
                message ? plain(message) : "");
    struct json_object *again = translate(MG_CHAT, MG_MESSAGES, next.p, &left);
    struct json_object *turn = mg_json_get(at(mg_json_get(again, "messages"), 1), "content");
    is_str(turn ? plain(turn) : "",
           "[{\"type\":\"thinking\",\"thinking\":\"One.\",\"signature\":\"sig1\"},{\"type\":"
           "\"tool_use\",\"id\":\"toolu_a\",\"name\":\"run\",\"input\":{}}]",
           "and the model gets it back with its signature");
    json_object_put(up);
    json_object_put(down);
    json_object_put(again);
    mg_translation_free(&left);
    mg_str_free(&next);
}

int
main(void)
{
    plan(0);
    memset(key, 9, sizeof(key));
    test_responses_over_messages();
    test_messages_over_responses();
    test_messages_over_chat();
    test_chat_over_messages();
    return done();
}
