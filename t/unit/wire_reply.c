/* Replies translated between formats: golden answers, and recordings of real services. */
#include "base/alloc.h"
#include "unit/tap.h"
#include "wire/case.h"
#include "wire/golden.h"
#include "wire/summary.h"

#include <glob.h>

static const char *srcdir;

/* ---- golden answers ---- */

static void
update(const struct golden *g, const struct outcome *o)
{
    FILE *f = fopen(g->expected, "wb");
    if (f != NULL) {
        fwrite(o->out.p, 1, o->out.len, f);
        fclose(f);
    }
}

static void
same_as_golden(const struct golden *g, const struct outcome *o, void *context)
{
    char what[512];
    struct mg_str want;
    (void)context;
    if (getenv("MG_GOLDEN_UPDATE") != NULL)
        update(g, o);
    case_slurp(g->expected, &want);
    snprintf(what, sizeof(what), "%s is told to a %s client as agreed", g->name,
             mg_family_name(g->client));
    is_bytes(o->out.p, o->out.len, want.p, want.len, what);
    mg_str_free(&want);
}

static bool
same_cut(const struct golden *g, const struct outcome *o, size_t cut)
{
    struct mg_relay *relay = case_relay(g->client, g->upstream, true, g->options);
    struct outcome again;
    case_run(relay, mg_str_span(&g->input), cut, &again);
    bool same = again.out.len == o->out.len && again.complete == o->complete
                && memcmp(again.out.p, o->out.p, o->out.len) == 0;
    outcome_free(&again);
    mg_relay_free(&relay);
    return same;
}

static void
same_however_cut(const struct golden *g, const struct outcome *o, void *context)
{
    static const size_t cuts[] = {1, 2, 3, 7, 64, 1000};
    bool *all = context;
    for (size_t i = 0; g->stream && i < sizeof(cuts) / sizeof(cuts[0]); i++)
        *all &= same_cut(g, o, cuts[i]);
}

/* Feeds a stream in two pieces, for every place between them. */
static void
same_at_every_cut(const struct golden *g, const struct outcome *o, void *context)
{
    bool *all = context;
    for (size_t at = 1; g->stream && strcmp(g->name, "chat-custom-tool") == 0
                        && at < g->input.len; at++) {
        struct mg_relay *relay = case_relay(g->client, g->upstream, true, g->options);
        struct mg_str out;
        mg_str_init(&out, CASE_MAX);
        *all &= mg_relay_feed(relay, g->input.p, at, &out) == 0
                && mg_relay_feed(relay, g->input.p + at, g->input.len - at, &out) == 0
                && mg_relay_eof(relay, &out) == 0;
        *all &= out.len == o->out.len && memcmp(out.p, o->out.p, out.len) == 0;
        mg_str_free(&out);
        mg_relay_free(&relay);
    }
}

static void
one_end(const struct golden *g, const struct outcome *o, void *context)
{
    bool success, *all = context;
    if (!g->stream)
        return;
    bool good = count_ends(g->client, mg_str_span(&o->out), &success) == 1
                && success == o->complete && o->complete == !(o->failed || o->cut);
    if (!good)
        printf("# %s for %s\n", g->name, mg_family_name(g->client));
    *all &= good;
}

static void
test_golden(void)
{
    char dir[512];
    bool all = true;
    snprintf(dir, sizeof(dir), "%s/t/golden/reply", srcdir);
    ok(golden_each(dir, same_as_golden, NULL) > 150, "there are golden answers");
    golden_each(dir, same_however_cut, &all);
    ok(all, "golden streams come out the same in pieces of 1, 2, 3, 7, 64 and 1000 bytes");
    golden_each(dir, same_at_every_cut, &all);
    ok(all, "a golden stream comes out the same cut in two at every byte");
    golden_each(dir, one_end, &all);
    ok(all, "every golden stream has exactly one end, a good one only if the answer was whole");
}

/* ---- recordings ---- */

static const struct {
    const char *folder;
    enum mg_family family;
} providers[] = {{"chat-completions", MG_CHAT}, {"responses", MG_RESPONSES},
                 {"anthropic", MG_MESSAGES}};

typedef void recording_test(const char *path, enum mg_family upstream, enum mg_family client,
                            bool stream);

static size_t
each_recording(recording_test *test)
{
    static const enum mg_family clients[] = {MG_CHAT, MG_RESPONSES, MG_MESSAGES};
    size_t count = 0;
    for (int p = 0; p < 3; p++) {
        char pattern[600];
        glob_t found;
        snprintf(pattern, sizeof(pattern), "%s/t/golden/recordings/*/%s/*response*.json",
                 srcdir, providers[p].folder);
        if (glob(pattern, 0, NULL, &found) != 0)
            continue;
        for (size_t i = 0; i < found.gl_pathc; i++) {
            bool stream = strstr(found.gl_pathv[i], "-streaming.json") != NULL;
            for (int c = 0; c < 3; c++) {
                if (clients[c] == providers[p].family)
                    continue;
                test(found.gl_pathv[i], providers[p].family, clients[c], stream);
                count++;
            }
        }
        globfree(&found);
    }
    return count;
}

static unsigned bad;

static void
expect(bool good, const char *what, const char *path, enum mg_family client)
{
    if (!good && bad++ < 20)
        printf("# %s: %s for %s\n", what, path, mg_family_name(client));
}

/* Some recordings were made without asking for usage: then only estimates can be told. */
static void
same_summary(struct mg_str *one, struct mg_str *other, const char *path, enum mg_family client)
{
    char *unstated = strstr(one->p, "input 0 cached 0 output 0 reasoning 0");
    bool same = strncmp(one->p, other->p, unstated ? (size_t)(unstated - one->p) : CASE_MAX) == 0;
    expect(same, "differs", path, client);
    if (!same && bad < 4)
        printf("# upstream said\n# %s\n# client got\n# %s\n", one->p, other->p);
    mg_str_reset(one);
    mg_str_reset(other);
}

static void
says_the_same(const char *path, enum mg_family upstream, enum mg_family client, bool stream)
{
    struct mg_relay *relay = case_relay(client, upstream, stream, NULL);
    struct mg_str in, one, other;
    struct outcome o;
    mg_str_init(&one, CASE_MAX);
    mg_str_init(&other, CASE_MAX);
    if (stream) {
        case_stream(upstream, path, &in);
        case_run(relay, mg_str_span(&in), 0, &o);
        summarize_stream(upstream, mg_str_span(&in), &one);
        summarize_stream(client, mg_str_span(&o.out), &other);
    } else {
        case_slurp(path, &in);
        case_body(relay, client, mg_str_span(&in), &o);
        summarize_body(upstream, mg_str_span(&in), &one);
        summarize_body(client, mg_str_span(&o.out), &other);
    }
    expect(o.complete && !o.failed && !o.cut, "not complete", path, client);
    same_summary(&one, &other, path, client);
    outcome_free(&o);
    mg_str_free(&in);
    mg_str_free(&one);
    mg_str_free(&other);
    mg_relay_free(&relay);
}

/* The same stream with signs of life between its events, and with CRLF. */
static void
disturbed(const struct mg_str *in, enum mg_family upstream, bool crlf, struct mg_str *out)
{
    for (size_t i = 0; i < in->len; i++) {
        if (in->p[i] == '\n' && crlf)
            mg_str_addc(out, '\r');
        mg_str_addc(out, in->p[i]);
        if (in->p[i] != '\n' || i == 0 || in->p[i - 1] != '\n')
            continue;
        mg_str_addz(out, crlf ? ": busy\r\n\r\n" : ": busy\n\n");
        if (upstream == MG_MESSAGES)
            mg_str_addz(out, "event: ping\ndata: {\"type\":\ndata:\"ping\"}\n\n");
    }
}

static void
says_the_same_disturbed(const char *path, enum mg_family upstream, enum mg_family client,
                        bool stream)
{
    struct mg_str in, noisy, one, other;
    if (!stream)
        return;
    mg_str_init(&one, CASE_MAX);
    mg_str_init(&other, CASE_MAX);
    mg_str_init(&noisy, CASE_MAX);
    case_stream(upstream, path, &in);
    for (int crlf = 0; crlf < 2; crlf++) {
        struct mg_relay *relay = case_relay(client, upstream, true, NULL);
        struct outcome o;
        mg_str_reset(&noisy);
        disturbed(&in, upstream, crlf, &noisy);
        case_run(relay, mg_str_span(&noisy), 5, &o);
        summarize_stream(upstream, mg_str_span(&in), &one);
        summarize_stream(client, mg_str_span(&o.out), &other);
        same_summary(&one, &other, path, client);
        outcome_free(&o);
        mg_relay_free(&relay);
    }
    mg_str_free(&in);
    mg_str_free(&noisy);
    mg_str_free(&one);
    mg_str_free(&other);
}

/* The stream ends after n bytes: never a success unless the upstream had said its end. */
static void
breaks_off(const char *path, enum mg_family upstream, enum mg_family client, bool stream)
{
    struct mg_str in;
    if (!stream)
        return;
    case_stream(upstream, path, &in);
    for (size_t n = 0; n < in.len; n += 1 + in.len / 40) {
        struct mg_relay *relay = case_relay(client, upstream, true, NULL);
        struct outcome o;
        bool success;
        case_run(relay, (struct mg_span){in.p, n}, 0, &o);
        int ends = count_ends(client, mg_str_span(&o.out), &success);
        expect(ends == 1, "not one end", path, client);
        expect(success == o.complete && o.complete == !o.cut, "a cut success", path, client);
        outcome_free(&o);
        mg_relay_free(&relay);
    }
    mg_str_free(&in);
}

/* Bytes are broken: whatever comes out has one end, and nothing crashes. */
static void
is_broken(const char *path, enum mg_family upstream, enum mg_family client, bool stream)
{
    struct mg_str in;
    unsigned seed = 12345;
    if (!stream)
        return;
    case_stream(upstream, path, &in);
    for (int i = 0; i < 10; i++) {
        struct mg_relay *relay = case_relay(client, upstream, true, NULL);
        struct outcome o;
        bool success;
        seed = seed * 1103515245u + 12345u;
        in.p[(seed >> 8) % in.len] = (char)(seed >> 24);
        case_run(relay, mg_str_span(&in), 0, &o);
        expect(count_ends(client, mg_str_span(&o.out), &success) == 1, "not one end", path,
               client);
        outcome_free(&o);
        mg_relay_free(&relay);
    }
    mg_str_free(&in);
}

static void
test_recordings(void)
{
    bad = 0;
    size_t count = each_recording(says_the_same);
    ok(count > 300 && bad == 0,
       "text, calls, end and tokens of a recording are the same on both sides");
    bad = 0;
    each_recording(says_the_same_disturbed);
    ok(bad == 0, "comments, pings and CRLF between the events change nothing");
    bad = 0;
    each_recording(breaks_off);
    ok(bad == 0, "a recording that breaks off anywhere has one end, never a false success");
    bad = 0;
    each_recording(is_broken);
    ok(bad == 0, "a recording with broken bytes has one end");
}

/* ---- side by side ---- */

static void
test_side_by_side(void)
{
    enum { STREAMS = 200, PIECES = 20 };
    struct mg_relay *relay[STREAMS];
    struct mg_str out[STREAMS];
    bool good = true;
    for (int i = 0; i < STREAMS; i++) {
        relay[i] = case_relay(i % 2 ? MG_MESSAGES : MG_RESPONSES, MG_CHAT, true, NULL);
        mg_str_init(&out[i], CASE_MAX);
    }
    for (int n = 0; n < PIECES; n++) {
        for (int i = 0; i < STREAMS; i++) {
            char event[200];
            int len = snprintf(event, sizeof(event),
                               "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":"
                               "\"<%d>\"},\"finish_reason\":%s}]}\n\n",
                               i, n == PIECES - 1 ? "\"stop\"" : "null");
            good &= mg_relay_feed(relay[i], event, (size_t)len, &out[i]) == 0;
        }
    }
    for (int i = 0; i < STREAMS; i++) {
        struct mg_str said, want;
        mg_str_init(&said, CASE_MAX);
        mg_str_init(&want, CASE_MAX);
        good &= mg_relay_eof(relay[i], &out[i]) == 0;
        summarize_stream(i % 2 ? MG_MESSAGES : MG_RESPONSES, mg_str_span(&out[i]), &said);
        mg_str_addz(&want, "text ");
        for (int n = 0; n < PIECES; n++)
            mg_str_addf(&want, "<%d>", i);
        mg_str_addz(&want, "\nend stop\n");
        good &= strncmp(said.p, want.p, want.len) == 0;
        mg_str_free(&said);
        mg_str_free(&want);
        mg_str_free(&out[i]);
        mg_relay_free(&relay[i]);
    }
    ok(good, "200 streams side by side do not mix");
}

int
main(void)
{
    plan(0);
    srcdir = getenv("MG_SRCDIR") ? getenv("MG_SRCDIR") : ".";
    test_golden();
    test_recordings();
    test_side_by_side();
    return done();
}
