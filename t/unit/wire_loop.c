/* Two turns through the gateway: what an upstream said comes back to it as it was.
 *
 * The client of each case does what clients do: it puts the answer into its history, adds the
 * results of the calls, and asks again. */
#include "golden_request.h"
#include "tap.h"

#include "json/parse.h"
#include "wire/relay.h"

#include <json-c/json_object.h>

/* Sends a client's body, gives back what the client gets for the upstream's reply. */
static struct json_object *
first_turn(enum mg_family client, enum mg_family upstream, const char *body, const char *reply)
{
    struct mg_err err = MG_ERR_INIT;
    struct mg_str out;
    struct mg_translation *left = NULL;
    struct json_object *answer = NULL;
    struct mg_translate_in in = {.client = client, .upstream = upstream, .key = golden_key,
                                 .body = mg_span_z(body), .to = golden_destination(NULL)};
    in.to.origin = "up-1";
    mg_str_init(&out, 1 << 20);
    if (mg_translate_request(&in, &out, &left, &err) == 0) {
        struct mg_relay_setup setup = {.client = client, .upstream = upstream, .model = "power-ai",
                                       .request_id = "req_1", .translation = left};
        struct mg_relay *relay = mg_relay_new(&setup);
        mg_str_reset(&out);
        if (mg_relay_body(relay, mg_span_z(reply), &out, &err) == 0)
            answer = mg_json_of(mg_str_span(&out));
        mg_relay_free(&relay);
    }
    if (!ok(answer != NULL, "the first turn of %s over %s is answered", mg_family_name(client),
            mg_family_name(upstream)))
        printf("# %s\n", err.message);
    mg_str_free(&out);
    mg_err_free(&err);
    return answer;
}

/* The second turn's upstream body as compact JSON; free it. */
static char *
second_turn(enum mg_family client, enum mg_family upstream, struct json_object *body)
{
    char *raw = NULL;
    const char *text = json_object_to_json_string_ext(body, JSON_C_TO_STRING_PLAIN);
    struct json_object *facts = mg_json_of(mg_span_z("{\"origin\":\"up-1\"}"));
    struct json_object *got = golden_run(client, upstream, text, strlen(text), facts, &raw);
    json_object_put(got);
    json_object_put(facts);
    return raw;
}

static void
holds(const char *body, const char *text, const char *what)
{
    if (!ok(strstr(body, text) != NULL, "%s", what))
        printf("# %s\n# lacks %s\n", body, text);
}

static struct json_object *
list_at(struct json_object *body, const char *member)
{
    return mg_json_get(body, member);
}

static void
append(struct json_object *list, const char *json)
{
    json_object_array_add(list, mg_json_of(mg_span_z(json)));
}

#define MESSAGES_REPLY                                                                           \
    "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[" \
    "{\"type\":\"thinking\",\"thinking\":\"Let me \\\"see\\\".\\n\",\"signature\":\"Sig+/==\"}," \
    "{\"type\":\"redacted_thinking\",\"data\":\"Emw==\"},{\"type\":\"text\",\"text\":\"Ok.\"},"  \
    "{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"%s\",\"input\":{\"input\":\"a\\n\"}}]," \
    "\"stop_reason\":\"tool_use\",\"stop_sequence\":null,\"usage\":{\"input_tokens\":5,"         \
    "\"output_tokens\":9}}"
#define THINKING_BACK                                                                           \
    "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"Let me \\\"see" \
    "\\\".\\n\",\"signature\":\"Sig+/==\"},{\"type\":\"redacted_thinking\",\"data\":\"Emw==\"}," \
    "{\"type\":\"text\",\"text\":\"Ok.\"},{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":"

static void
responses_over_messages(void)
{
    struct json_object *body = mg_json_of(mg_span_z(
        "{\"input\":[{\"role\":\"user\",\"content\":\"Go\"}],\"reasoning\":{\"effort\":\"low\"},"
        "\"max_output_tokens\":9000,\"tools\":[{\"type\":\"custom\",\"name\":\"patch\"},"
        "{\"type\":\"namespace\",\"name\":\"fs\",\"description\":\"\",\"tools\":["
        "{\"type\":\"custom\",\"name\":\"edit\"}]}]}"));
    char reply[1024];
    snprintf(reply, sizeof(reply), MESSAGES_REPLY, "fs__edit");
    struct json_object *answer =
        first_turn(MG_RESPONSES, MG_MESSAGES,
                   json_object_to_json_string_ext(body, JSON_C_TO_STRING_PLAIN), reply);
    struct json_object *output = list_at(answer, "output"), *input = list_at(body, "input");
    for (size_t i = 0; output != NULL && i < json_object_array_length(output); i++)
        json_object_array_add(input, json_object_get(json_object_array_get_idx(output, i)));
    const char *text = json_object_to_json_string_ext(output, JSON_C_TO_STRING_PLAIN);
    holds(text, "\"type\":\"custom_tool_call\"", "the client gets a call of its custom tool");
    holds(text, "\"namespace\":\"fs\"", "in its namespace");
    append(input, "{\"type\":\"custom_tool_call_output\",\"call_id\":\"toolu_1\","
                  "\"output\":\"1\"}");
    char *raw = second_turn(MG_RESPONSES, MG_MESSAGES, body);
    holds(raw, THINKING_BACK "\"fs__edit\",\"input\":{\"input\":\"a\\n\"}}]}",
          "a Responses client brings the turn of a Messages upstream back as it was");
    holds(raw, "\"thinking\":{\"type\":\"enabled\"", "and thinking goes on");
    free(raw);
    json_object_put(answer);
    json_object_put(body);
}

static void
chat_over_messages(void)
{
    struct json_object *body = mg_json_of(mg_span_z(
        "{\"messages\":[{\"role\":\"user\",\"content\":\"Go\"}],\"reasoning_effort\":\"low\","
        "\"max_tokens\":9000,\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}]}"));
    char reply[1024];
    snprintf(reply, sizeof(reply), MESSAGES_REPLY, "f");
    struct json_object *answer =
        first_turn(MG_CHAT, MG_MESSAGES,
                   json_object_to_json_string_ext(body, JSON_C_TO_STRING_PLAIN), reply);
    struct json_object *choices = list_at(answer, "choices"), *messages = list_at(body, "messages");
    struct json_object *choice = choices != NULL ? json_object_array_get_idx(choices, 0) : NULL;
    json_object_array_add(messages, json_object_get(mg_json_get(choice, "message")));
    append(messages, "{\"role\":\"tool\",\"tool_call_id\":\"toolu_1\",\"content\":\"1\"}");
    char *raw = second_turn(MG_CHAT, MG_MESSAGES, body);
    holds(raw, THINKING_BACK "\"f\",\"input\":{\"input\":\"a\\n\"}}]}",
          "a Chat client brings the turn of a Messages upstream back as it was");
    free(raw);
    json_object_put(answer);
    json_object_put(body);
}

/* A Messages client over any upstream: its history gets the content of the answer. */
static char *
messages_over(enum mg_family upstream, const char *reply, const char *id)
{
    struct json_object *body = mg_json_of(mg_span_z(
        "{\"max_tokens\":9000,\"messages\":[{\"role\":\"user\",\"content\":\"Go\"}],\"thinking\":"
        "{\"type\":\"adaptive\"},\"tools\":[{\"name\":\"f\",\"input_schema\":{\"type\":"
        "\"object\"}}]}"));
    struct json_object *answer =
        first_turn(MG_MESSAGES, upstream,
                   json_object_to_json_string_ext(body, JSON_C_TO_STRING_PLAIN), reply);
    struct json_object *turn = mg_json_of(mg_span_z("{\"role\":\"assistant\"}"));
    char result[256];
    snprintf(result, sizeof(result), "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
             "\"tool_use_id\":\"%s\",\"content\":\"1\"}]}", id);
    json_object_object_add(turn, "content", json_object_get(list_at(answer, "content")));
    json_object_array_add(list_at(body, "messages"), turn);
    append(list_at(body, "messages"), result);
    char *raw = second_turn(MG_MESSAGES, upstream, body);
    json_object_put(answer);
    json_object_put(body);
    return raw;
}

static void
messages_over_responses(void)
{
    char *raw = messages_over(
        MG_RESPONSES,
        "{\"id\":\"resp_1\",\"object\":\"response\",\"created_at\":1,\"status\":\"completed\","
        "\"model\":\"m\",\"output\":[{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[{"
        "\"type\":\"summary_text\",\"text\":\"Hm\"}],\"encrypted_content\":\"gAAA==\"},{\"type\":"
        "\"message\",\"id\":\"msg_1\",\"role\":\"assistant\",\"status\":\"completed\",\"content\":["
        "{\"type\":\"output_text\",\"text\":\"Ok.\",\"annotations\":[]}]},{\"type\":"
        "\"function_call\",\"id\":\"fc_1\",\"call_id\":\"call_1\",\"name\":\"f\",\"arguments\":"
        "\"{\\\"a\\\":1.0}\",\"status\":\"completed\"}],\"usage\":{\"input_tokens\":5,"
        "\"output_tokens\":9,\"total_tokens\":14}}",
        "call_1");
    holds(raw, "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[{\"type\":\"summary_text\","
               "\"text\":\"Hm\"}],\"encrypted_content\":\"gAAA==\"},{\"type\":\"message\","
               "\"role\":\"assistant\",\"content\":\"Ok.\"},{\"type\":\"function_call\","
               "\"call_id\":\"call_1\",\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1.0}\"}",
          "a Messages client brings the items of a Responses upstream back as they were");
    free(raw);
}

static void
messages_over_chat(void)
{
    char *raw = messages_over(
        MG_CHAT,
        "{\"id\":\"c\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":[{"
        "\"index\":0,\"finish_reason\":\"tool_calls\",\"message\":{\"role\":\"assistant\","
        "\"content\":\"Ok.\",\"reasoning_content\":\"Well.\",\"tool_calls\":[{\"id\":"
        "\"functions.f:0\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":"
        "\"{}\"}}]}}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":9,\"total_tokens\":14}}",
        "mgid_ZnVuY3Rpb25zLmY6MA");
    holds(raw, "{\"role\":\"assistant\",\"content\":\"Ok.\",\"reasoning_content\":\"Well.\","
               "\"tool_calls\":[{\"id\":\"functions.f:0\"",
          "a Messages client brings reasoning and odd ids of a Chat upstream back as they were");
    holds(raw, "\"tool_call_id\":\"functions.f:0\"", "on the result too");
    free(raw);
}

int
main(void)
{
    plan(0);
    responses_over_messages();
    chat_over_messages();
    messages_over_responses();
    messages_over_chat();
    return done();
}
