/* What a client saw of a stream becomes the object it stands for; an object becomes the stream
 * it would have been. */
#include "json/parse.h"
#include "tap.h"
#include "wire/replay.h"
#include "wire/sse.h"
#include "wire/transcript.h"

#include <string.h>

#define OUT_MAX ((size_t)1 << 22)
#define R(type, rest) "event: " type "\ndata: {\"type\":\"" type "\"," rest "}\n\n"
#define BASE "\"id\":\"resp_1\",\"object\":\"response\",\"model\":\"m\",\"error\":null," \
             "\"incomplete_details\":null,\"completed_at\":null,\"usage\":null"
#define BEGUN "{" BASE ",\"status\":\"in_progress\",\"output\":[]}"

static const struct mg_usage usage = {.input = 3, .output = 4, .has_input = true,
                                      .has_output = true};

static struct mg_transcript
transcript(enum mg_family family, const char *events, enum mg_transcript_end end, int expect)
{
    struct mg_transcript t;
    is_int(mg_transcript_read(family, mg_span_z(events), &usage, end, &t), expect, "it is read");
    return t;
}

/* A text at a path of keys and indexes in JSON, "" when there is none. */
static const char *
at(const struct mg_str *json, const char *path)
{
    static char found[4096];
    struct json_object *tree = mg_json_of(mg_str_span(json)), *node = tree;
    char copy[256];
    snprintf(copy, sizeof(copy), "%s", path);
    for (char *save = NULL, *key = strtok_r(copy, ".", &save); key != NULL && node != NULL;
         key = strtok_r(NULL, ".", &save))
        node = key[0] >= '0' && key[0] <= '9'
                   ? json_object_array_get_idx(node, (size_t)(key[0] - '0'))
                   : mg_json_get(node, key);
    snprintf(found, sizeof(found), "%s", node != NULL ? json_object_get_string(node) : "");
    json_object_put(tree);
    return found;
}

static void
test_cut_response(void)
{
    static const char events[] =
        R("response.created", "\"sequence_number\":0,\"response\":" BEGUN)
        "event: keepalive\ndata: {\"type\":\"keepalive\"}\n\n"
        R("response.output_item.added", "\"sequence_number\":1,\"output_index\":0,\"item\":"
          "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[]}")
        R("response.reasoning_summary_part.added", "\"sequence_number\":2,\"output_index\":0,"
          "\"item_id\":\"rs_1\",\"summary_index\":0,\"part\":{\"type\":\"summary_text\","
          "\"text\":\"\"}")
        R("response.reasoning_summary_text.delta", "\"sequence_number\":3,\"output_index\":0,"
          "\"summary_index\":0,\"delta\":\"So \"")
        R("response.reasoning_summary_text.delta", "\"sequence_number\":4,\"output_index\":0,"
          "\"summary_index\":0,\"delta\":\"it is\"")
        R("response.output_item.added", "\"sequence_number\":5,\"output_index\":1,\"item\":"
          "{\"type\":\"message\",\"id\":\"msg_1\",\"status\":\"in_progress\",\"role\":"
          "\"assistant\",\"content\":[]}")
        R("response.content_part.added", "\"sequence_number\":6,\"output_index\":1,"
          "\"content_index\":0,\"part\":{\"type\":\"output_text\",\"text\":\"\","
          "\"annotations\":[],\"logprobs\":[]}")
        R("response.output_text.delta", "\"sequence_number\":7,\"output_index\":1,"
          "\"content_index\":0,\"delta\":\"Hi \\u00e9\"")
        R("response.output_item.added", "\"sequence_number\":8,\"output_index\":2,\"item\":"
          "{\"type\":\"function_call\",\"id\":\"fc_1\",\"status\":\"in_progress\",\"call_id\":"
          "\"c\",\"name\":\"f\",\"arguments\":\"\"}")
        R("response.function_call_arguments.delta", "\"sequence_number\":9,\"output_index\":2,"
          "\"delta\":\"{\\\"a\\\"\"")
        R("response.function_call_arguments.delta", "\"sequence_number\":10,\"output_index\":2,"
          "\"delta\":\":1\"");
    struct mg_transcript t = transcript(MG_RESPONSES, events, MG_TRANSCRIPT_LEFT, 0);
    is_str(at(&t.object, "status"), "cancelled", "a response whose client left is cancelled");
    is_str(at(&t.object, "output.0.summary.0.text"), "So it is", "with its reasoning");
    is_str(at(&t.object, "output.1.content.0.text"), "Hi \xc3\xa9", "its text");
    is_str(at(&t.object, "output.1.status"), "incomplete", "which is incomplete");
    is_str(at(&t.object, "output.2.arguments"), "{\"a\":1", "and its call");
    ok(t.first == 0 && t.last == 11, "a terminal event is numbered behind the last one");
    ok(strstr(t.tail.p, "\"sequence_number\":11") != NULL, "and it is there");
    mg_transcript_free(&t);

    t = transcript(MG_RESPONSES, events, MG_TRANSCRIPT_FAILED, 0);
    is_str(at(&t.object, "status"), "failed", "one that broke off is failed");
    mg_transcript_free(&t);
}

static void
test_whole_response(void)
{
    static const char events[] =
        R("response.created", "\"sequence_number\":0,\"response\":" BEGUN)
        R("response.output_item.done", "\"sequence_number\":1,\"output_index\":0,\"item\":"
          "{\"type\":\"message\",\"id\":\"msg_1\",\"status\":\"completed\",\"role\":\"assistant\","
          "\"content\":[{\"type\":\"output_text\",\"text\":\"Hi\",\"annotations\":[]}]}")
        R("response.completed", "\"sequence_number\":2,\"response\":{" BASE
          ",\"status\":\"completed\",\"output\":[]}");
    struct mg_transcript t = transcript(MG_RESPONSES, events, MG_TRANSCRIPT_WHOLE, 0);
    is_str(at(&t.object, "status"), "completed", "the last event says how it ended");
    is_str(at(&t.object, "output.0.content.0.text"), "Hi",
           "items that it leaves out are taken from theirs");
    ok(t.whole && t.tail.len == 0 && t.last == 2, "nothing is added to its stream");
    mg_transcript_free(&t);
    t = transcript(MG_RESPONSES, "data: {\"type\":\"error\",\"message\":\"no\"}\n\n",
                   MG_TRANSCRIPT_FAILED, -1);
    mg_transcript_free(&t);
}

#define C(rest) "data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":7," \
                "\"model\":\"m\",\"choices\":[" rest "]}\n\n"

static void
test_chat(void)
{
    static const char events[] =
        C("{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},"
        "\"finish_reason\":null}")
        C("{\"index\":0,\"delta\":{\"content\":\"Hel\"},\"finish_reason\":null}")
        ": keep-alive\n\n"
        C("{\"index\":1,\"delta\":{\"content\":\"Two\"},\"finish_reason\":\"length\"}")
        C("{\"index\":0,\"delta\":{\"content\":\"lo\"},\"finish_reason\":null}")
        C("{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"b\",\"type\":"
          "\"function\",\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}},{\"index\":0,\"id\":"
          "\"a\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"x\"}}]},"
          "\"finish_reason\":null}")
        C("{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":"
          "\"\\\":1}\"}}]},\"finish_reason\":\"tool_calls\"}")
        "data: [DONE]\n\n";
    struct mg_transcript t = transcript(MG_CHAT, events, MG_TRANSCRIPT_WHOLE, 0);
    is_str(at(&t.object, "id"), "c1", "a completion has the id of its chunks");
    is_str(at(&t.object, "object"), "chat.completion", "and is one object");
    is_str(at(&t.object, "choices.0.message.content"), "Hello", "texts are joined");
    is_str(at(&t.object, "choices.0.message.tool_calls.0.function.arguments"), "{\"x\":1}",
           "pieces of calls are joined by their index");
    is_str(at(&t.object, "choices.0.message.tool_calls.1.function.name"), "g", "each its own");
    is_str(at(&t.object, "choices.1.message.content"), "Two", "choices are told apart");
    is_str(at(&t.object, "usage.completion_tokens"), "4", "usage that was not shown is added");
    ok(t.whole && !t.failed, "it is whole");
    mg_transcript_free(&t);
}

/* Texts are bytes: a NUL is one of them. Numbers are an upstream's: they may be in no order. */
static void
test_odd_streams(void)
{
    static const char response[] =
        R("response.created", "\"sequence_number\":9223372036854775807,\"response\":" BEGUN)
        R("response.output_item.added", "\"sequence_number\":7,\"output_index\":0,\"item\":"
          "{\"type\":\"function_call\",\"id\":\"fc_1\",\"call_id\":\"c\",\"name\":\"f\"}")
        R("response.function_call_arguments.delta", "\"sequence_number\":5,\"output_index\":0,"
          "\"delta\":\"a\\u0000b\"");
    static const char chat[] = C("{\"index\":0,\"delta\":{\"content\":\"a\\u0000b\"}}");
    struct mg_transcript t = transcript(MG_RESPONSES, response, MG_TRANSCRIPT_LEFT, 0);
    ok(strstr(t.object.p, "\"a\\u0000b\"") != NULL, "a NUL in a piece of a call is kept");
    ok(t.first == 5 && t.last == 8, "the end is numbered behind the largest number there is");
    mg_transcript_free(&t);
    t = transcript(MG_CHAT, chat, MG_TRANSCRIPT_WHOLE, 0);
    ok(strstr(t.object.p, "\"a\\u0000b\"") != NULL, "a NUL in a piece of a text is kept");
    mg_transcript_free(&t);
}

static void
test_cut_chat(void)
{
    static const char events[] =
        C("{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Hel\"},"
          "\"finish_reason\":null}")
        "data: {\"error\":{\"message\":\"broke\",\"type\":\"t\",\"param\":null,\"code\":null}}\n\n";
    struct mg_transcript t = transcript(MG_CHAT, events, MG_TRANSCRIPT_FAILED, 0);
    is_str(at(&t.object, "choices.0.finish_reason"), "length",
           "a choice that was cut is no whole answer");
    is_str(at(&t.object, "error.message"), "broke", "the error that was told is kept");
    ok(t.failed && !t.whole, "it failed");
    mg_transcript_free(&t);
    t = transcript(MG_CHAT, ": nothing\n\n", MG_TRANSCRIPT_LEFT, -1);
    mg_transcript_free(&t);
}

/* Every event of a stream has its number, one behind the other. */
static int
count_events(const struct mg_str *stream, int from)
{
    struct mg_sse sse;
    struct mg_sse_event event;
    int n = from;
    mg_sse_init(&sse);
    if (!mg_sse_feed(&sse, stream->p, stream->len))
        return -1;
    while (n >= 0 && mg_sse_next(&sse, true, &event)) {
        struct json_object *tree = mg_json_of(event.data);
        n = mg_json_int(tree, "sequence_number", -1) == n ? n + 1 : -1;
        json_object_put(tree);
    }
    mg_sse_free(&sse);
    return n;
}

static void
test_replay(void)
{
    static const char object[] =
        "{" BASE ",\"status\":\"completed\",\"output\":["
        "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[{\"type\":\"summary_text\",\"text\":"
        "\"So\"}],\"encrypted_content\":\"x\"},"
        "{\"type\":\"message\",\"id\":\"msg_1\",\"status\":\"completed\",\"role\":\"assistant\","
        "\"content\":[{\"type\":\"output_text\",\"text\":\"Hi\",\"annotations\":[],"
        "\"logprobs\":[]}]},"
        "{\"type\":\"function_call\",\"id\":\"fc_1\",\"status\":\"completed\",\"call_id\":\"c\","
        "\"name\":\"f\",\"arguments\":\"{}\"},"
        "{\"type\":\"custom_tool_call\",\"id\":\"ctc_1\",\"status\":\"completed\","
        "\"call_id\":\"d\","
        "\"name\":\"g\",\"input\":\"free\"},"
        "{\"type\":\"compaction\",\"id\":\"cmp_1\",\"encrypted_content\":\"y\"}]}";
    struct mg_str out, part;
    mg_str_init(&out, OUT_MAX);
    mg_str_init(&part, OUT_MAX);
    is_int(mg_replay_object(mg_span_z(object), -1, &out), 0, "an object becomes a stream");
    int all = count_events(&out, 0);
    is_int(all, 3 + 6 + 6 + 4 + 4 + 2, "of all events that it would have had");
    ok(strstr(out.p, "response.completed") != NULL, "with its end");
    is_int(mg_replay_object(mg_span_z(object), 9, &part), 0, "a reader goes on where it was");
    is_int(count_events(&part, 10), all, "with the same numbers");
    mg_str_reset(&part);
    is_int(mg_replay_events(mg_str_span(&out), 9, &part), 0, "stored events are read again");
    is_int(count_events(&part, 10), all, "from there, too");
    struct mg_transcript t = transcript(MG_RESPONSES, out.p, MG_TRANSCRIPT_WHOLE, 0);
    is_str(t.object.p, object, "and the stream tells of the same object");
    mg_transcript_free(&t);
    mg_str_free(&out);
    mg_str_free(&part);
}

int
main(void)
{
    test_cut_response();
    test_whole_response();
    test_chat();
    test_cut_chat();
    test_odd_streams();
    test_replay();
    return done();
}
