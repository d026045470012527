#include "wire/golden.h"

#include "json/parse.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void taker(const struct golden *golden, const struct outcome *outcome, void *context);

static void
run_client(struct golden *g, const char *dir, const char *client, taker *take, void *context)
{
    struct outcome o;
    g->client = (enum mg_family)mg_family_parse(client);
    snprintf(g->expected, sizeof(g->expected), "%s/%s.%s", dir, client,
             g->stream ? "sse" : "json");
    struct mg_relay *relay = case_relay(g->client, g->upstream, g->stream, g->options);
    if (g->stream)
        case_run(relay, mg_str_span(&g->input), 0, &o);
    else
        case_body(relay, g->client, mg_str_span(&g->input), &o);
    take(g, &o, context);
    outcome_free(&o);
    mg_relay_free(&relay);
}

/* Runs one folder; returns how many outputs it has. */
static size_t
run_folder(const char *dir, const char *options_path, taker *take, void *context)
{
    struct golden g = {0};
    struct mg_str options;
    char input[600];
    case_slurp(options_path, &options);
    g.options = mg_json_of(mg_str_span(&options));
    mg_str_free(&options);
    snprintf(g.name, sizeof(g.name), "%s", strrchr(dir, '/') + 1);
    g.upstream = (enum mg_family)mg_family_parse(mg_json_text(g.options, "upstream"));
    snprintf(input, sizeof(input), "%s/upstream.sse", dir);
    g.stream = access(input, R_OK) == 0;
    if (!g.stream)
        snprintf(input, sizeof(input), "%s/upstream.json", dir);
    case_slurp(input, &g.input);
    struct json_object *clients = mg_json_get(g.options, "clients");
    size_t count = json_object_array_length(clients);
    for (size_t i = 0; i < count; i++)
        run_client(&g, dir, json_object_get_string(json_object_array_get_idx(clients, i)), take,
                   context);
    json_object_put(g.options);
    mg_str_free(&g.input);
    return count;
}

size_t
golden_each(const char *dir, taker *take, void *context)
{
    char pattern[1024];
    glob_t found;
    size_t count = 0;
    snprintf(pattern, sizeof(pattern), "%s/*/options.json", dir);
    if (glob(pattern, 0, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char folder[512];
        snprintf(folder, sizeof(folder), "%s", found.gl_pathv[i]);
        *strrchr(folder, '/') = '\0';
        count += run_folder(folder, found.gl_pathv[i], take, context);
    }
    globfree(&found);
    return count;
}
