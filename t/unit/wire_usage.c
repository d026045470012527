/* What is billed of upstreams that state their usage in odd ways: passed through and translated. */
#include "tap.h"

#include "wire/relay.h"

#include <stdlib.h>
#include <string.h>

#define SAY "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"}}]}\n\n"
#define STOP(more) "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"" more
#define USED(in, out) "\"usage\":{\"prompt_tokens\":" in ",\"completion_tokens\":" out "}"
#define WITH(more) \
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"}}]," more "}\n\n"
#define DONE "data: [DONE]\n\n"

#define BEGIN "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":" \
              "{\"input_tokens\":50,\"cache_read_input_tokens\":7,\"output_tokens\":1}}}\n\n"
#define END(usage) "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":" \
                   "{\"stop_reason\":\"end_turn\"},\"usage\":{" usage "}}\n\n" \
                   "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"

static const struct {
    const char *what;
    enum mg_family family;
    const char *stream;
    int64_t input, cache_read, output; /* output -1: not stated for good */
} cases[] = {
    {"usage inside the last choice", MG_CHAT,
     SAY STOP("," USED("19", "13")) "}]}\n\n" DONE, 19, 0, 13},
    {"usage in a member of the vendor's", MG_CHAT,
     SAY STOP() "}],\"x_groq\":{\"id\":\"r\"," USED("19", "13") "}}\n\n" DONE, 19, 0, 13},
    {"cached tokens beside the others", MG_CHAT,
     SAY STOP() "}],\"usage\":{\"prompt_tokens\":19,\"completion_tokens\":13,"
     "\"cached_tokens\":9}}\n\n" DONE, 10, 9, 13},
    {"figures as strings", MG_CHAT,
     SAY STOP() "}]," USED("\"19\"", "\"13\"") "}\n\n" DONE, 19, 0, 13},
    {"figures with a fraction", MG_CHAT,
     SAY STOP() "}]," USED("19.0", "1.3e1") "}\n\n" DONE, 19, 0, 13},
    {"growing usage in every chunk", MG_CHAT,
     WITH(USED("19", "1")) WITH(USED("19", "2")) STOP() "}]," USED("19", "3") "}\n\n" DONE,
     19, 0, 3},
    {"usage in every chunk but the last", MG_CHAT,
     WITH(USED("19", "1")) WITH(USED("19", "2")) STOP() "}]}\n\n" DONE, 19, 0, 2},
    {"zeros in every chunk, cut off", MG_CHAT, WITH(USED("19", "0")) WITH(USED("19", "0")),
     19, 0, -1},
    {"usage at the beginning only", MG_CHAT,
     WITH(USED("19", "0")) SAY STOP() "}]}\n\n" DONE, 19, 0, -1},
    {"zeros behind the figures", MG_CHAT,
     SAY STOP() "}]," USED("19", "13") "}\n\n"
     "data: {\"choices\":[]," USED("0", "0") "}\n\n" DONE, 19, 0, 13},
    {"reasoning beside the output", MG_CHAT,
     SAY STOP() "}],\"usage\":{\"prompt_tokens\":32,\"completion_tokens\":9,\"total_tokens\":135,"
     "\"prompt_tokens_details\":{\"cached_tokens\":6},"
     "\"completion_tokens_details\":{\"reasoning_tokens\":94}}}\n\n" DONE, 26, 6, 103},
    {"reasoning within the output", MG_CHAT,
     SAY STOP() "}],\"usage\":{\"prompt_tokens\":32,\"completion_tokens\":103,"
     "\"total_tokens\":135,\"completion_tokens_details\":{\"reasoning_tokens\":94}}}\n\n" DONE,
     32, 0, 103},
    {"an end mark with a blank behind it", MG_CHAT,
     SAY STOP() "}]," USED("19", "13") "}\n\ndata: [DONE] \n\n", 19, 0, 13},
    {"an explicit zero", MG_CHAT, SAY STOP() "}]," USED("0", "0") "}\n\n" DONE, 0, 0, 0},
    {"an end that repeats no input", MG_MESSAGES, BEGIN END("\"output_tokens\":9"), 50, 7, 9},
    {"an end that says 0 input", MG_MESSAGES,
     BEGIN END("\"input_tokens\":0,\"output_tokens\":9"), 50, 7, 9},
    {"an end that says 0 for all input", MG_MESSAGES,
     BEGIN END("\"input_tokens\":0,\"cache_read_input_tokens\":0,"
               "\"cache_creation_input_tokens\":0,\"output_tokens\":9"), 50, 7, 9},
    {"an end that found all of it cached", MG_MESSAGES,
     BEGIN END("\"input_tokens\":0,\"cache_read_input_tokens\":57,\"output_tokens\":9"), 0, 57, 9},
};

static struct mg_usage
usage_of(size_t i, enum mg_family client)
{
    struct mg_relay_setup setup = {.client = client, .upstream = cases[i].family, .stream = true,
                                   .show_usage = true, .model = "m", .request_id = "r"};
    struct mg_relay *r = mg_relay_new(&setup);
    struct mg_str out;
    mg_str_init(&out, 1 << 20);
    struct mg_usage usage = {.input = -1};
    if (mg_relay_feed(r, cases[i].stream, strlen(cases[i].stream), &out) == 0
        && (mg_relay_eof(r, &out) == 0 || cases[i].output < 0))
        usage = *mg_relay_usage(r);
    mg_relay_free(&r);
    mg_str_free(&out);
    return usage;
}

static void
is_metered(size_t i, enum mg_family client)
{
    struct mg_usage u = usage_of(i, client);
    int64_t output = u.has_output ? u.output : -1;
    bool good = u.has_input && u.input == cases[i].input && u.cache_read == cases[i].cache_read
                && output == cases[i].output;
    ok(good, "%s is metered (%s to %s)", cases[i].what, mg_family_name(cases[i].family),
       mg_family_name(client));
    if (!good)
        printf("# input %lld, cached %lld, output %lld\n", (long long)u.input,
               (long long)u.cache_read, (long long)output);
}

int
main(void)
{
    plan(0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        is_metered(i, MG_CHAT);
        is_metered(i, MG_MESSAGES);
        is_metered(i, MG_RESPONSES);
    }
    return done();
}
