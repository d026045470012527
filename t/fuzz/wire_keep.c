/* Fuzzing of what is kept of a stream: any bytes, as an upstream sends them through a relay or as
 * they are, become the object that they told of, and the object becomes a stream again.
 *
 * The first byte picks the formats, the second how the stream ended, its pieces, and whether a
 * relay is between; the rest is the stream. What is kept of JSON is JSON, a replay is numbered
 * without a gap, has one end at most, and from anywhere in it the rest is the same. */
#include "json/parse.h"
#include "wire/case.h"
#include "wire/replay.h"
#include "wire/sse.h"
#include "wire/transcript.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define JSON_DEEP 200 /* what is kept is wrapped some levels deeper than it came */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void
must(bool good)
{
    if (!good)
        abort();
}

/* How deep brackets nest at most, in or out of strings. */
static size_t
depth(struct mg_span text)
{
    size_t now = 0, most = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '{' || text.p[i] == '[')
            most = ++now > most ? now : most;
        else if ((text.p[i] == '}' || text.p[i] == ']') && now > 0)
            now--;
    }
    return most;
}

static bool
is_json(struct mg_span text)
{
    struct json_object *tree = NULL;
    struct mg_err err = MG_ERR_INIT;
    bool good = mg_json_parse(text.p, text.n, &tree, &err) == 0 &&
                json_object_is_type(tree, json_type_object);
    json_object_put(tree);
    mg_err_free(&err);
    return good;
}

/* What a walk over a stream has seen. */
struct walk {
    bool json;          /* all of its data */
    int64_t first, last;
    size_t numbered, ends;
    bool contiguous, ends_last;
};

static struct walk
walk(struct mg_span stream)
{
    static const char *const terminal[] = {"response.completed", "response.failed",
                                           "response.incomplete"};
    struct walk w = {.json = true, .first = -1, .last = -1, .contiguous = true};
    struct mg_sse sse;
    struct mg_sse_event event;
    mg_sse_init(&sse);
    must(mg_sse_feed(&sse, stream.p, stream.n));
    while (mg_sse_next(&sse, true, &event)) {
        if (event.data.n == 0 || mg_span_is(event.data, "[DONE]"))
            continue;
        w.json &= is_json(event.data);
        struct json_object *tree = mg_json_of(event.data);
        const char *type = mg_json_text(tree, "type");
        int64_t number = mg_json_int(tree, "sequence_number", -1);
        if (number >= 0) {
            w.contiguous &= w.last < 0 || number == w.last + 1;
            w.first = w.first < 0 ? number : w.first;
            w.last = number;
            w.numbered++;
        }
        w.ends_last = false;
        for (size_t i = 0; type != NULL && i < sizeof(terminal) / sizeof(terminal[0]); i++)
            if (strcmp(type, terminal[i]) == 0) {
                w.ends++;
                w.ends_last = true;
            }
        json_object_put(tree);
    }
    mg_sse_free(&sse);
    return w;
}

/* From anywhere in it, a replay of an object is the end of the whole one. */
static void
check_object(struct mg_span object)
{
    struct mg_str all, rest;
    mg_str_init(&all, CASE_MAX);
    mg_str_init(&rest, CASE_MAX);
    if (mg_replay_object(object, -1, &all) == 0) {
        struct walk w = walk(mg_str_span(&all));
        must(w.json && w.contiguous && w.first == 0 && w.ends <= 1 && w.ends_last == (w.ends == 1));
        must((size_t)w.last + 1 == w.numbered);
        must(mg_replay_object(object, w.last / 2, &rest) == 0 && rest.len <= all.len);
        must(memcmp(all.p + all.len - rest.len, rest.len > 0 ? rest.p : "", rest.len) == 0);
        must(walk(mg_str_span(&rest)).numbered == w.numbered - (size_t)(w.last / 2) - 1);
    } else {
        must(!mg_str_ok(&all) || !is_json(object));
    }
    mg_str_free(&all);
    mg_str_free(&rest);
}

/* A stream of ours with its tail has every number once and one end, and is replayed as it is. */
static void
check_stream(struct mg_span stream, const struct mg_transcript *t)
{
    struct mg_str whole, again;
    mg_str_init(&whole, CASE_MAX);
    mg_str_init(&again, CASE_MAX);
    mg_str_addspan(&whole, stream);
    mg_str_addspan(&whole, mg_str_span(&t->tail));
    struct walk w = walk(mg_str_span(&whole));
    must(w.ends == 1 && w.ends_last && w.contiguous && w.first == t->first && w.last == t->last);
    must(mg_replay_events(mg_str_span(&whole), -1, &again) == 0);
    must(walk(mg_str_span(&again)).numbered == w.numbered);
    mg_str_reset(&again);
    must(mg_replay_events(mg_str_span(&whole), w.last, &again) == 0 && again.len == 0);
    mg_str_free(&whole);
    mg_str_free(&again);
}

static void
check(enum mg_family client, struct mg_span stream, enum mg_transcript_end end,
      const struct outcome *translated)
{
    static const struct mg_usage usage = {.input = 3, .output = 4, .has_input = true,
                                          .has_output = true};
    struct mg_transcript t;
    bool judged = depth(stream) < JSON_DEEP && walk(stream).json;
    if (mg_transcript_read(client, stream, &usage, end, &t) == 0) {
        must(!judged || is_json(mg_str_span(&t.object)));
        must(!judged || walk(mg_str_span(&t.tail)).json);
        must(t.first <= t.last && (t.first >= 0) == (t.last >= 0));
        if (client == MG_RESPONSES && judged)
            check_object(mg_str_span(&t.object));
        if (client == MG_RESPONSES && translated != NULL)
            check_stream(stream, &t);
        must(translated == NULL || t.whole == translated->complete);
    }
    mg_transcript_free(&t);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static const enum mg_family upstreams[] = {MG_CHAT, MG_RESPONSES, MG_MESSAGES};
    if (n < 2)
        return 0;
    enum mg_family upstream = upstreams[bytes[0] % 3];
    enum mg_family client = bytes[0] / 3 % 2 ? MG_CHAT : MG_RESPONSES;
    enum mg_transcript_end end = bytes[1] / 2 % 3;
    struct mg_span stream = {(const char *)bytes + 2, n - 2};
    if (bytes[1] & 1) {
        check(client, stream, end, NULL);
        return 0;
    }
    struct outcome o;
    struct mg_relay *relay = case_relay(client, upstream, true, NULL);
    case_run(relay, stream, bytes[1] / 8, &o);
    check(client, mg_str_span(&o.out), end, client != upstream ? &o : NULL);
    outcome_free(&o);
    mg_relay_free(&relay);
    return 0;
}
