/* The small parts of reply translation: order of blocks, wholeness of arguments, bare text of
 * custom tools, answers that had no room. */
#include "unit/tap.h"
#include "wire/balance.h"
#include "wire/bridge.h"
#include "wire/order.h"
#include "wire/summary.h"
#include "wire/translate.h"
#include "wire/unwrap.h"

/* ---- balance ---- */

static char
state_of(const char *text)
{
    struct mg_balance b = {0};
    for (const char *p = text; *p != '\0'; p++)
        mg_balance_feed(&b, (struct mg_span){p, 1});
    return mg_balance_whole(&b) ? 'w' : mg_balance_torn(&b) ? 't' : '-';
}

static void
test_balance(void)
{
    ok(state_of("{}") == 'w', "an empty object is whole");
    ok(state_of(" {\"a\":[1,{\"b\":\"}]\"}]} \n") == 'w', "brackets inside strings do not count");
    ok(state_of("{\"a\":\"\\\\\\\"}") == 't', "an escaped quote does not end a string");
    ok(state_of("{\"a\":[1,2") == 't', "an object that was begun is torn");
    ok(state_of("") == '-' && state_of("  ") == '-', "nothing is neither whole nor torn");
    ok(state_of("[1]") == '-' && state_of("text") == '-' && state_of("{} {}") == '-',
       "what is not one object is neither whole nor torn");
}

/* ---- unwrap ---- */

static bool
unwraps(const char *arguments, size_t cut, const char *want, bool whole)
{
    struct mg_unwrap u;
    struct mg_str out;
    size_t n = strlen(arguments);
    mg_unwrap_init(&u);
    mg_str_init(&out, 1 << 20);
    for (size_t at = 0; at < n; at += cut)
        mg_unwrap_feed(&u, (struct mg_span){arguments + at, cut < n - at ? cut : n - at}, &out);
    bool good = mg_unwrap_end(&u, &out) == whole && strcmp(out.p, want) == 0;
    if (!good)
        printf("# in pieces of %zu: %s\n", cut, out.p);
    mg_str_free(&out);
    mg_unwrap_free(&u);
    return good;
}

static void
test_unwrap(void)
{
    static const struct {
        const char *arguments, *text;
        bool whole;
        const char *what;
    } rows[] = {
        {"{\"input\":\"plain\"}", "plain", true, "plain text comes out bare"},
        {" {\n \"input\" :\t\"a\\n\\\"b\\\"\\\\\\u00e9\\/\" } ", "a\n\"b\"\\\xc3\xa9/", true,
         "white space is skipped and escapes are decoded"},
        {"{\"input\":\"\\ud83d\\ude00!\"}", "\xf0\x9f\x98\x80!", true,
         "a surrogate pair becomes one character"},
        {"{\"input\":\"\"}", "", true, "empty text stays empty"},
        {"*** Begin Patch", "*** Begin Patch", true, "text that is no JSON stays as it is"},
        {"{\"x\":1,\"input\":\"later\"}", "{\"x\":1,\"input\":\"later\"}", true,
         "an object of another kind stays as it is"},
        {"{\"input\":\"cut o", "cut o", false, "text that broke off is told as far as it came"},
        {"{\"input\":\"", "", false, "nothing is made up when it broke off at once"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        bool all = true;
        for (size_t cut = 1; cut <= strlen(rows[i].arguments); cut++)
            all &= unwraps(rows[i].arguments, cut, rows[i].text, rows[i].whole);
        ok(all, "%s, however it is cut", rows[i].what);
    }
}

/* ---- order ---- */

static void
note(void *self, const struct mg_event *event)
{
    struct mg_str *seen = self;
    static const char kinds[] = {[MG_EVENT_START] = 'S', [MG_EVENT_BEGIN] = '[',
                                 [MG_EVENT_DELTA] = ':', [MG_EVENT_SEAL] = '$',
                                 [MG_EVENT_CITE] = '@',  [MG_EVENT_END] = ']',
                                 [MG_EVENT_FINISH] = 'F'};
    mg_str_addf(seen, "%c%u", kinds[event->kind], event->number);
    mg_str_addspan(seen, event->text);
}

static void
test_order(void)
{
    struct mg_str seen;
    mg_str_init(&seen, 4096);
    struct mg_order *order = mg_order_new((struct mg_sink){note, &seen});
    const struct mg_event script[] = {
        {.kind = MG_EVENT_START},
        {.kind = MG_EVENT_BEGIN, .number = 0},
        {.kind = MG_EVENT_BEGIN, .number = 1},
        {.kind = MG_EVENT_DELTA, .number = 1, .text = {"b", 1}},
        {.kind = MG_EVENT_DELTA, .number = 0, .text = {"a", 1}},
        {.kind = MG_EVENT_BEGIN, .number = 2},
        {.kind = MG_EVENT_DELTA, .number = 2, .text = {"c", 1}},
        {.kind = MG_EVENT_END, .number = 2},
        {.kind = MG_EVENT_DELTA, .number = 1, .text = {"bb", 2}},
        {.kind = MG_EVENT_END, .number = 0},
        {.kind = MG_EVENT_DELTA, .number = 0, .text = {"late", 4}},
        {.kind = MG_EVENT_DELTA, .number = 1, .text = {"bbb", 3}},
        {.kind = MG_EVENT_END, .number = 1},
        {.kind = MG_EVENT_FINISH},
    };
    for (size_t i = 0; i < sizeof(script) / sizeof(script[0]); i++)
        mg_order_put(order, &script[i]);
    is_str(seen.p, "S0[0:0a]0[1:1b:1bb:1bbb]1[2:2c]2F0",
           "interleaved blocks come one behind the other, what is due at once");
    ok(mg_order_ok(order), "and nothing was lost");
    mg_order_free(&order);
    order = mg_order_new((struct mg_sink){note, &seen});
    mg_order_put(order, &script[1]);
    mg_order_put(order, &script[2]);
    char *large = calloc(1, 1 << 20);
    struct mg_event delta = {.kind = MG_EVENT_DELTA, .number = 1, .text = {large, 1 << 20}};
    for (int i = 0; i < 100; i++)
        mg_order_put(order, &delta);
    ok(!mg_order_ok(order), "what waits is bounded");
    mg_order_free(&order);
    free(large);
    mg_str_free(&seen);
}

/* ---- at once ---- */

static bool
says_at_once(struct mg_bridge *bridge, const char *data, const char *said)
{
    struct mg_sse_event event = {.data = mg_span_z(data), .has_data = true};
    struct mg_str out;
    mg_str_init(&out, 1 << 20);
    bool good = mg_bridge_event(bridge, &event, &out) == 0 && strstr(out.p, said) != NULL;
    if (!good)
        printf("# %s\n# gave %s\n", data, out.p);
    mg_str_free(&out);
    return good;
}

#define CHUNK(delta) "{\"choices\":[{\"index\":0,\"delta\":" delta "}]}"
#define CALL(index, id, name, arguments)                                                         \
    CHUNK("{\"tool_calls\":[{\"index\":" index ",\"id\":\"" id "\",\"function\":{\"name\":\"" name \
          "\",\"arguments\":\"" arguments "\"}}]}")

static void
test_at_once(void)
{
    struct mg_relay_setup setup = {.client = MG_MESSAGES, .upstream = MG_CHAT, .stream = true,
                                   .model = "m", .request_id = "r"};
    struct mg_bridge *bridge = mg_bridge_new(&setup);
    ok(says_at_once(bridge, CHUNK("{\"role\":\"assistant\"}"), "message_start"),
       "the beginning is told at once");
    ok(says_at_once(bridge, CHUNK("{\"content\":\"one\"}"), "one"), "so is text");
    ok(says_at_once(bridge, CALL("0", "a", "first", "{}"), "\"name\":\"first\""),
       "so is a call behind it");
    ok(says_at_once(bridge, CALL("1", "b", "second", "{"), "\"name\":\"second\""),
       "and the next call, as soon as the arguments of the first are whole");
    mg_bridge_free(&bridge);
}

static void
test_usage_so_far(void)
{
    struct mg_relay_setup setup = {.client = MG_CHAT, .upstream = MG_MESSAGES, .stream = true,
                                   .model = "m", .request_id = "r"};
    struct mg_bridge *bridge = mg_bridge_new(&setup);
    ok(says_at_once(bridge, "{\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":"
                            "5,\"output_tokens\":1}}}", "assistant"),
       "a Messages upstream states its input at the beginning");
    const struct mg_usage *usage = mg_bridge_usage(bridge);
    ok(usage->has_input && usage->input == 5 && !usage->has_output,
       "but its output only at the end");
    mg_bridge_free(&bridge);
}

/* ---- no room ---- */

static void
test_no_room(void)
{
    static const char refusal[] =
        "{\"error\":{\"message\":\"Could not finish the message because max_tokens or model "
        "output limit was reached. Please try again with higher max_tokens.\",\"type\":"
        "\"invalid_request_error\",\"param\":null,\"code\":null}}";
    ok(mg_bridge_is_no_room(mg_span_z(refusal)), "a limit too small for any answer is recognised");
    ok(!mg_bridge_is_no_room(mg_span_z("{\"error\":{\"message\":\"max_tokens is wrong\"}}")),
       "other refusals are not");
    for (int stream = 0; stream < 2; stream++) {
        struct mg_relay_setup setup = {.client = MG_MESSAGES, .upstream = MG_CHAT,
                                       .stream = stream, .model = "m", .request_id = "r"};
        struct mg_bridge *bridge = mg_bridge_new(&setup);
        struct mg_str out, said;
        mg_str_init(&out, 65536);
        mg_str_init(&said, 65536);
        mg_bridge_no_room(bridge, &out);
        if (stream)
            summarize_stream(MG_MESSAGES, mg_str_span(&out), &said);
        else
            summarize_body(MG_MESSAGES, mg_str_span(&out), &said);
        is_str(said.p, "text \nend length\ninput 0 cached 0 output 0 reasoning 0\n",
               stream ? "and answered by an empty stream that the limit ended"
                      : "and answered by an empty message that the limit ended");
        ok(mg_bridge_complete(bridge) && mg_bridge_eof(bridge, &out) == 0,
           "such an answer is complete");
        mg_str_free(&out);
        mg_str_free(&said);
        mg_bridge_free(&bridge);
    }
    for (enum mg_family upstream = MG_CHAT; upstream <= MG_MESSAGES; upstream++) {
        struct mg_relay_setup setup = {.client = MG_MESSAGES, .upstream = upstream,
                                       .model = "m", .request_id = "r"};
        struct mg_relay *relay = mg_relay_new(&setup);
        struct mg_str out;
        mg_str_init(&out, 65536);
        ok(mg_relay_no_room(relay, mg_span_z(refusal), &out) == (upstream != MG_MESSAGES),
           "%s", upstream != MG_MESSAGES ? "a translated refusal becomes an answer"
                                         : "one that is passed through stays a refusal");
        ok((out.len > 0) == (upstream != MG_MESSAGES), "  and says so");
        mg_str_free(&out);
        mg_relay_free(&relay);
    }
}

/* ---- what was left out ---- */

static void
test_dropped(void)
{
    static const char *const none[] = {NULL};
    static const char *const odd[] = {"top_k", "a\r\nset-cookie: x", "\xc3\xa9,b", NULL};
    static const char *const long_names[] = {"short", NULL, "last", NULL};
    struct mg_translation *left = mg_translation_new(MG_CHAT, MG_MESSAGES);
    struct mg_str out;
    mg_str_init(&out, 4096);
    left->dropped = none;
    mg_translation_dropped(left, &out);
    is_str(out.p, "", "nothing left out is nothing to tell");
    left->dropped = odd;
    mg_translation_dropped(left, &out);
    is_str(out.p, "top_k, a??set-cookie??x, ???b", "odd names cannot break out of a header");
    char name[2000];
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    const char *names[4];
    memcpy(names, long_names, sizeof(names));
    names[1] = name;
    left->dropped = names;
    mg_str_reset(&out);
    mg_translation_dropped(left, &out);
    is_str(out.p, "short, ...", "nor fill one");
    mg_str_free(&out);
    mg_translation_free(&left);
}

/* ---- a body where a stream was asked for ---- */

static void
test_body_for_stream(void)
{
    static const char body[] = "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"Hi\"},"
                               "\"finish_reason\":\"stop\"}]}";
    struct mg_relay_setup setup = {.client = MG_MESSAGES, .upstream = MG_CHAT, .stream = true,
                                   .model = "m", .request_id = "r"};
    for (int late = 0; late < 2; late++) {
        struct mg_bridge *bridge = mg_bridge_new(&setup);
        struct mg_err err = MG_ERR_INIT;
        struct mg_str out;
        mg_str_init(&out, 65536);
        if (late)
            mg_bridge_keepalive(bridge, &out);
        int rc = mg_bridge_body(bridge, mg_span_z(body), &out, &err);
        ok(rc == 0 && mg_bridge_complete(bridge) && strstr(out.p, "event: message_start")
               && strstr(out.p, "\"Hi\"") && strstr(out.p, "event: message_stop"),
           late ? "also behind a sign of life"
                : "a whole body in answer to a stream is told as a stream");
        mg_str_free(&out);
        mg_err_free(&err);
        mg_bridge_free(&bridge);
    }
}

static void
test_error_for_stream(void)
{
    struct mg_relay_setup setup = {.client = MG_MESSAGES, .upstream = MG_CHAT, .stream = true,
                                   .model = "m", .request_id = "r"};
    struct mg_bridge *bridge = mg_bridge_new(&setup);
    struct mg_err err = MG_ERR_INIT;
    struct mg_str out;
    mg_str_init(&out, 65536);
    int rc = mg_bridge_body(bridge, mg_span_z("{\"error\":{\"message\":\"lost\"}}"), &out, &err);
    ok(rc == -1 && strcmp(err.message, "lost") == 0 && out.len == 0 &&
           !mg_bridge_complete(bridge),
       "an error in answer to a stream is for the caller to tell");
    mg_bridge_fail(bridge, &err, &out);
    ok(strstr(out.p, "event: error") && strstr(out.p, "lost"), "inside the stream, if need be");
    mg_str_free(&out);
    mg_err_free(&err);
    mg_bridge_free(&bridge);
}

/* ---- signs of life ---- */

static void
test_keepalive(void)
{
    struct mg_relay_setup setup = {.client = MG_RESPONSES, .upstream = MG_CHAT, .stream = true,
                                   .model = "m", .request_id = "r"};
    struct mg_bridge *bridge = mg_bridge_new(&setup);
    struct mg_err err = MG_ERR_INIT;
    struct mg_str out;
    mg_str_init(&out, 1 << 20);
    mg_bridge_keepalive(bridge, &out);
    mg_bridge_keepalive(bridge, &out);
    ok(strstr(out.p, "\"sequence_number\":2,") != NULL && strstr(out.p, "response.created"),
       "a Responses client that waits is told created, then in_progress again and again");
    mg_err_set(&err, 502, "upstream_timeout", "Too slow.");
    mg_bridge_fail(bridge, &err, &out);
    size_t len = out.len;
    mg_bridge_keepalive(bridge, &out);
    mg_bridge_fail(bridge, &err, &out);
    ok(out.len == len && strstr(out.p, "response.failed"), "nothing follows the failure");
    mg_err_free(&err);
    mg_str_free(&out);
    mg_bridge_free(&bridge);
}

int
main(void)
{
    plan(0);
    test_balance();
    test_unwrap();
    test_order();
    test_at_once();
    test_usage_so_far();
    test_no_room();
    test_dropped();
    test_body_for_stream();
    test_error_for_stream();
    test_keepalive();
    return done();
}
