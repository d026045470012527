/* What translation costs beside pass-through: CPU time of a request and of an event.
 *
 *   mg-translate-bench [all|requests|streams] [RECORDINGS]    (default: t/golden/recordings)
 *
 * Requests are a coding session of some size: a system prompt, twenty tools, and tool calls with
 * their results, the way such clients send it anew with every turn. Streams are the recordings
 * below RECORDINGS as they are, and a long one: a recording whose text delta is repeated. Every
 * event is fed by itself, as it arrives. One core, no I/O; figures, not a test. */
#include "base/err.h"
#include "json/parse.h"
#include "json/writer.h"
#include "wire/case.h"
#include "wire/facts.h"
#include "wire/purge.h"
#include "wire/translate.h"
#include "wire/upward.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MEASURE_NS INT64_C(300000000)
#define LONG_DELTAS 2000
#define BODY_MAX ((size_t)16 << 20)

static const enum mg_family families[] = {MG_CHAT, MG_RESPONSES, MG_MESSAGES};
#define FAMILIES (sizeof(families) / sizeof(families[0]))
static const uint8_t key[MG_PACK_KEY] = {1};

static int64_t
cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void __attribute__((noreturn))
give_up(const char *what, struct mg_err *err)
{
    fprintf(stderr, "%s: %s %s\n", what, err->message, err->detail);
    exit(1);
}

/* ---- requests ---- */

static void
write_filler(struct mg_jw *w, const char *member, size_t n)
{
    static const char line[] = "    if (read_line(&in, line) != 0) /* \"quoted\"\tand so on */\n";
    mg_jw_string_begin(w, member);
    for (size_t done = 0; done < n; done += sizeof(line) - 1)
        mg_jw_string_part(w, line, sizeof(line) - 1);
    mg_jw_string_end(w);
}

static void
write_tools(struct mg_jw *w)
{
    mg_jw_array(w, "tools");
    for (int i = 0; i < 20; i++) {
        char name[32];
        snprintf(name, sizeof(name), "tool_%d", i);
        mg_jw_object(w, NULL);
        mg_jw_string(w, "name", name);
        write_filler(w, "description", 600);
        mg_jw_raw(w, "input_schema",
                  mg_span_z("{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\","
                            "\"description\":\"where\"},\"limit\":{\"type\":\"integer\"}},"
                            "\"required\":[\"path\"]}"));
        mg_jw_end(w);
    }
    mg_jw_end(w);
}

/* A call of a tool and its result. */
static void
write_round(struct mg_jw *w, int round)
{
    char id[32];
    snprintf(id, sizeof(id), "toolu_%06d", round);
    mg_jw_object(w, NULL);
    mg_jw_string(w, "role", "assistant");
    mg_jw_array(w, "content");
    mg_jw_object(w, NULL);
    mg_jw_string(w, "type", "text");
    write_filler(w, "text", 200);
    mg_jw_end(w);
    mg_jw_object(w, NULL);
    mg_jw_string(w, "type", "tool_use");
    mg_jw_string(w, "id", id);
    mg_jw_string(w, "name", "tool_3");
    mg_jw_raw(w, "input", mg_span_z("{\"path\":\"src/main.c\",\"limit\":200}"));
    mg_jw_end(w);
    mg_jw_end(w);
    mg_jw_end(w);
    mg_jw_object(w, NULL);
    mg_jw_string(w, "role", "user");
    mg_jw_array(w, "content");
    mg_jw_object(w, NULL);
    mg_jw_string(w, "type", "tool_result");
    mg_jw_string(w, "tool_use_id", id);
    write_filler(w, "content", 2000);
    mg_jw_end(w);
    mg_jw_end(w);
    mg_jw_end(w);
}

/* A session of at least `size` bytes as a Messages request. */
static void
write_session(size_t size, struct mg_str *out)
{
    struct mg_jw w;
    mg_jw_init(&w, out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "model", "power-ai");
    mg_jw_int(&w, "max_tokens", 32000);
    mg_jw_bool(&w, "stream", true);
    write_filler(&w, "system", 8000);
    write_tools(&w);
    mg_jw_array(&w, "messages");
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "role", "user");
    write_filler(&w, "content", 500);
    mg_jw_end(&w);
    for (int i = 0; out->len < size; i++)
        write_round(&w, i);
    mg_jw_end(&w);
    mg_jw_end(&w);
}

/* Everything that is done with a body before it goes up. */
static void
turn(enum mg_family client, enum mg_family upstream, struct mg_span body, struct mg_str *out)
{
    struct mg_err err = MG_ERR_INIT;
    struct mg_facts facts;
    struct mg_translation *left = NULL;
    struct json_object *tree;
    int rc = mg_json_parse(body.p, body.n, &tree, &err);
    if (rc == 0)
        rc = mg_facts_read(client, body, tree, &facts, &err);
    mg_str_reset(out);
    if (rc == 0 && client == upstream) {
        const struct mg_upward up = {client, "upstream-model", -1};
        rc = mg_purge_body(key, 1, client, body, out, &err);
        if (rc == 0)
            rc = mg_upward_body(&up, &facts, body, out);
    } else if (rc == 0) {
        const struct mg_translate_in in = {
            .client = client, .upstream = upstream, .body = body, .tree = tree, .stream = true,
            .key = key,
            .to = {.model = "upstream-model", .origin = "up", .image = true, .pdf = true,
                   .tools = true, .structured = true, .reasoning = true, .sampling = true}};
        rc = mg_translate_request(&in, out, &left, &err);
    }
    if (rc != 0)
        give_up(mg_family_name(upstream), &err);
    mg_translation_free(&left);
    json_object_put(tree);
}

static double
request_us(enum mg_family client, enum mg_family upstream, struct mg_span body)
{
    struct mg_str out;
    int64_t runs = 0, start, spent;
    mg_str_init(&out, BODY_MAX);
    turn(client, upstream, body, &out);
    start = cpu_ns();
    do {
        turn(client, upstream, body, &out);
        runs++;
    } while ((spent = cpu_ns() - start) < MEASURE_NS);
    mg_str_free(&out);
    return (double)spent / (double)runs / 1000;
}

static void
measure_requests(size_t size)
{
    struct mg_str session, body;
    mg_str_init(&session, BODY_MAX);
    write_session(size, &session);
    printf("\nrequest of %zu kB, us of CPU\n%-12s", session.len / 1000, "client");
    for (size_t u = 0; u < FAMILIES; u++)
        printf(" %14s", mg_family_name(families[u]));
    printf("\n");
    for (size_t c = 0; c < FAMILIES; c++) {
        mg_str_init(&body, BODY_MAX);
        if (families[c] == MG_MESSAGES)
            mg_str_addspan(&body, mg_str_span(&session));
        else
            turn(MG_MESSAGES, families[c], mg_str_span(&session), &body);
        printf("%-12s", mg_family_name(families[c]));
        for (size_t u = 0; u < FAMILIES; u++)
            printf(" %13.0f%s", request_us(families[c], families[u], mg_str_span(&body)),
                   u == c ? "=" : " ");
        printf("\n");
        mg_str_free(&body);
    }
    mg_str_free(&session);
}

/* ---- streams ---- */

struct stream {
    struct mg_str bytes;
    size_t *ends;  /* where each event ends */
    size_t events;
};

static size_t
event_end(const struct mg_str *bytes, size_t from)
{
    const char *blank = strstr(bytes->p + from, "\n\n");
    return blank != NULL ? (size_t)(blank + 2 - bytes->p) : bytes->len;
}

static void
split(struct stream *s)
{
    s->ends = calloc(s->bytes.len + 1, sizeof(*s->ends));
    s->events = 0;
    for (size_t at = 0; at < s->bytes.len; at = s->ends[s->events++])
        s->ends[s->events] = event_end(&s->bytes, at);
}

/* The recording with its first text delta told LONG_DELTAS times. */
static void
lengthen(enum mg_family family, const struct mg_str *from, struct mg_str *out)
{
    static const char *const marks[MG_FAMILIES] = {
        [MG_CHAT] = "\"delta\":{\"content\":\"",
        [MG_RESPONSES] = "\"type\":\"response.output_text.delta\"",
        [MG_MESSAGES] = "\"text_delta\"",
    };
    bool done = false;
    for (size_t at = 0, end; at < from->len; at = end) {
        end = event_end(from, at);
        const char *mark = strstr(from->p + at, marks[family]);
        size_t times = !done && mark != NULL && mark < from->p + end ? LONG_DELTAS : 1;
        done |= times > 1;
        for (size_t i = 0; i < times; i++)
            mg_str_add(out, from->p + at, end - at);
    }
    if (!done) {
        fprintf(stderr, "%s: the recording has no text delta\n", mg_family_name(family));
        exit(1);
    }
}

static void
relay_stream(enum mg_family client, enum mg_family upstream, const struct stream *s,
             struct mg_str *out)
{
    struct mg_relay *relay = case_relay(client, upstream, true, NULL);
    size_t at = 0;
    bool good = true;
    for (size_t i = 0; i < s->events && good; at = s->ends[i++]) {
        mg_str_reset(out);
        good = mg_relay_feed(relay, s->bytes.p + at, s->ends[i] - at, out) == 0;
    }
    if (!good || mg_relay_eof(relay, out) != 0) {
        fprintf(stderr, "%s to %s: a stream cannot be read\n", mg_family_name(upstream),
                mg_family_name(client));
        exit(1);
    }
    mg_relay_free(&relay);
}

/* ns an event of all the streams, one behind the other. */
static double
event_ns(enum mg_family client, enum mg_family upstream, const struct stream *streams,
         size_t count)
{
    struct mg_str out;
    int64_t events = 0, start, spent;
    mg_str_init(&out, BODY_MAX);
    start = cpu_ns();
    do {
        for (size_t i = 0; i < count; i++) {
            relay_stream(client, upstream, &streams[i], &out);
            events += (int64_t)streams[i].events;
        }
    } while ((spent = cpu_ns() - start) < MEASURE_NS);
    mg_str_free(&out);
    return (double)spent / (double)events;
}

static void
measure_row(enum mg_family upstream, const char *what, const struct stream *streams, size_t count)
{
    double pass = event_ns(upstream, upstream, streams, count);
    size_t events = 0;
    for (size_t i = 0; i < count; i++)
        events += streams[i].events;
    printf("%-10s %-12s %7zu", mg_family_name(upstream), what, events);
    for (size_t c = 0; c < FAMILIES; c++) {
        double ns = families[c] == upstream ? pass
                                            : event_ns(families[c], upstream, streams, count);
        printf(" %7.0f (%3.1f)", ns, ns / pass);
    }
    printf("\n");
}

static void
measure_streams(enum mg_family upstream, const char *recordings)
{
    static const char *const folders[MG_FAMILIES] = {
        [MG_CHAT] = "chat-completions", [MG_RESPONSES] = "responses",
        [MG_MESSAGES] = "anthropic"};
    char path[512];
    glob_t found;
    snprintf(path, sizeof(path), "%s/*/%s/*response-streaming.json", recordings,
             folders[upstream]);
    if (glob(path, 0, NULL, &found) != 0) {
        fprintf(stderr, "there are no recordings like %s\n", path);
        exit(1);
    }
    struct stream *all = calloc(found.gl_pathc, sizeof(*all)), longer;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        case_stream(upstream, found.gl_pathv[i], &all[i].bytes);
        split(&all[i]);
    }
    measure_row(upstream, "recordings", all, found.gl_pathc);
    snprintf(path, sizeof(path), "%s/simpleRequest/%s/response-streaming.json", recordings,
             folders[upstream]);
    struct mg_str one;
    case_stream(upstream, path, &one);
    mg_str_init(&longer.bytes, BODY_MAX);
    lengthen(upstream, &one, &longer.bytes);
    split(&longer);
    measure_row(upstream, "long text", &longer, 1);
    mg_str_free(&one);
    mg_str_free(&longer.bytes);
    free(longer.ends);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        mg_str_free(&all[i].bytes);
        free(all[i].ends);
    }
    free(all);
    globfree(&found);
}

int
main(int argc, char **argv)
{
    static const size_t sizes[] = {20000, 50000, 200000, 1000000};
    const char *part = argc > 1 ? argv[1] : "all";
    const char *recordings = argc > 2 ? argv[2] : "t/golden/recordings";
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("Columns of requests: format of the upstream; = is pass-through.\n");
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && strcmp(part, "streams") != 0; i++)
        measure_requests(sizes[i]);
    if (strcmp(part, "requests") == 0)
        return 0;
    printf("\nstream, ns of CPU an event (times pass-through)\n%-10s %-12s %7s", "upstream", "",
           "events");
    for (size_t c = 0; c < FAMILIES; c++)
        printf(" %13s", mg_family_name(families[c]));
    printf("   <- client\n");
    for (size_t u = 0; u < FAMILIES; u++)
        measure_streams(families[u], recordings);
    return 0;
}
