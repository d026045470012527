/* Runs replies through translation, by hand or in bulk.
 *
 *   wire-run CLIENT UPSTREAM [OPTIONS.json] < stream.sse      the client's stream
 *   wire-run --body CLIENT UPSTREAM [OPTIONS.json] < reply.json
 *   wire-run --batch DIR       every recording below DIR for every other family, streamed and
 *                              not, as JSON lines for `mg-conform batch`
 *   wire-run --golden DIR      the outputs of the golden replies in DIR, in the same form
 */
#include "json/parse.h"
#include "json/writer.h"
#include "wire/case.h"
#include "wire/golden.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const enum mg_family clients[] = {MG_CHAT, MG_RESPONSES, MG_MESSAGES};

static void
print(const struct mg_str *text)
{
    fwrite(text->p, 1, text->len, stdout);
}

/* One line of a batch. */
static void
print_line(const char *id, enum mg_family client, bool stream, const struct mg_str *out)
{
    struct mg_str line;
    struct mg_jw w;
    mg_str_init(&line, CASE_MAX * 2);
    mg_jw_init(&w, &line);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "id", id);
    mg_jw_string(&w, "kind", stream ? "stream" : "reply");
    mg_jw_string(&w, "family", mg_family_name(client));
    if (stream)
        mg_jw_bytes(&w, "sse", out->p, out->len);
    else
        mg_jw_raw(&w, "body", mg_str_span(out));
    mg_jw_bool(&w, "keepalive", true);
    mg_jw_end(&w);
    mg_str_addc(&line, '\n');
    print(&line);
    mg_str_free(&line);
}

static void
translate(const char *path, enum mg_family upstream, enum mg_family client, bool stream)
{
    struct mg_relay *relay = case_relay(client, upstream, stream, NULL);
    struct outcome o;
    struct mg_str in;
    char id[512];
    if (stream) {
        case_stream(upstream, path, &in);
        case_run(relay, mg_str_span(&in), 0, &o);
    } else {
        case_slurp(path, &in);
        case_body(relay, client, mg_str_span(&in), &o);
    }
    snprintf(id, sizeof(id), "%s for %s", path, mg_family_name(client));
    print_line(id, client, stream, &o.out);
    outcome_free(&o);
    mg_str_free(&in);
    mg_relay_free(&relay);
}

static void
batch(const char *dir)
{
    static const struct {
        const char *folder;
        enum mg_family family;
    } providers[] = {{"chat-completions", MG_CHAT}, {"responses", MG_RESPONSES},
                     {"anthropic", MG_MESSAGES}};
    for (int p = 0; p < 3; p++) {
        char pattern[1024];
        glob_t found;
        snprintf(pattern, sizeof(pattern), "%s/*/%s/*response*.json", dir, providers[p].folder);
        if (glob(pattern, 0, NULL, &found) != 0)
            continue;
        for (size_t i = 0; i < found.gl_pathc; i++) {
            bool stream = strstr(found.gl_pathv[i], "-streaming.json") != NULL;
            for (int c = 0; c < 3; c++) {
                if (clients[c] != providers[p].family)
                    translate(found.gl_pathv[i], providers[p].family, clients[c], stream);
            }
        }
        globfree(&found);
    }
}

static void
print_golden(const struct golden *g, const struct outcome *o, void *context)
{
    char id[512];
    (void)context;
    snprintf(id, sizeof(id), "%s for %s", g->name, mg_family_name(g->client));
    print_line(id, g->client, g->stream, &o->out);
}

static int
single(bool body, int argc, char **argv)
{
    int client = mg_family_parse(argv[0]), upstream = mg_family_parse(argv[1]);
    struct json_object *options = NULL;
    struct mg_str in, text;
    struct outcome o;
    if (client < 0 || upstream < 0)
        return 2;
    if (argc > 2) {
        case_slurp(argv[2], &text);
        options = mg_json_of(mg_str_span(&text));
        mg_str_free(&text);
    }
    case_slurp("/dev/stdin", &in);
    struct mg_relay *relay = case_relay((enum mg_family)client, (enum mg_family)upstream, !body,
                                        options);
    if (body)
        case_body(relay, (enum mg_family)client, mg_str_span(&in), &o);
    else
        case_run(relay, mg_str_span(&in), 0, &o);
    print(&o.out);
    int rc = o.cut || o.failed;
    outcome_free(&o);
    mg_relay_free(&relay);
    mg_str_free(&in);
    json_object_put(options);
    return rc;
}

int
main(int argc, char **argv)
{
    bool body = argc > 1 && strcmp(argv[1], "--body") == 0;
    if (argc == 3 && strcmp(argv[1], "--batch") == 0) {
        batch(argv[2]);
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "--golden") == 0)
        return golden_each(argv[2], print_golden, NULL) > 0 ? 0 : 1;
    if (argc - body < 3 || argc - body > 4) {
        fprintf(stderr, "usage: wire-run [--body] CLIENT UPSTREAM [OPTIONS.json] < reply\n"
                        "       wire-run --batch DIR | --golden DIR\n");
        return 2;
    }
    return single(body, argc - 1 - body, argv + 1 + body);
}
