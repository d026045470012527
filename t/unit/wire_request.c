/* Requests from one format to another: the golden folders, and real traffic in a circle.
 *
 * MG_GOLDEN_WRITE=1 writes the expected files anew (look at the difference before you keep it).
 * `--print` writes every upstream request as a line for mg-conform batch. */
#include "golden_request.h"
#include "tap.h"

#include "json/parse.h"

#include <dirent.h>
#include <json-c/linkhash.h>

static char *
path_of(const char *format, const char *name, const char *file)
{
    char *path = NULL;
    const char *root = getenv("MG_SRCDIR");
    if (asprintf(&path, "%s/t/golden/%s/%s/%s", root != NULL ? root : ".", format, name, file) < 0)
        exit(1);
    return path;
}

static struct json_object *
read_json(const char *format, const char *name, const char *file)
{
    size_t n = 0;
    char *path = path_of(format, name, file);
    char *text = golden_read(path, &n);
    struct json_object *tree = text != NULL ? mg_json_of((struct mg_span){text, n}) : NULL;
    free(text);
    free(path);
    return tree;
}

static void
write_expected(const char *name, const char *file, struct json_object *got,
               struct json_object *old)
{
    static const char *const kept[] = {"holds", "lacks"};
    char *path = path_of("request", name, file);
    for (size_t i = 0; i < 2; i++) {
        struct json_object *list = mg_json_get(old, kept[i]);
        if (list != NULL)
            json_object_object_add(got, kept[i], json_object_get(list));
    }
    FILE *out = fopen(path, "w");
    if (out != NULL) {
        fprintf(out, "%s\n", json_object_to_json_string_ext(
                                 got, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
                                          JSON_C_TO_STRING_NOSLASHESCAPE));
        fclose(out);
    }
    free(path);
}

/* The texts of a list that the written body does not hold (or holds, when it must not). */
static const char *
wrong_text(struct json_object *list, const char *raw, bool wanted)
{
    for (size_t i = 0; list != NULL && i < json_object_array_length(list); i++) {
        const char *text = json_object_get_string(json_object_array_get_idx(list, i));
        if ((strstr(raw, text) != NULL) != wanted)
            return text;
    }
    return NULL;
}

static void
compare(const char *name, const char *upstream, const char *rule, struct json_object *got,
        struct json_object *want, const char *raw)
{
    static const char *const parts[] = {"body", "left", "error"};
    bool same = want != NULL;
    for (size_t i = 0; i < 3; i++)
        same &= json_object_equal(mg_json_get(got, parts[i]), mg_json_get(want, parts[i]));
    const char *lost = wrong_text(mg_json_get(want, "holds"), raw, true);
    const char *kept = wrong_text(mg_json_get(want, "lacks"), raw, false);
    if (!ok(same && lost == NULL && kept == NULL, "%s to %s: %s", name, upstream, rule)) {
        printf("#      got %s\n", json_object_to_json_string(got));
        printf("# expected %s\n", json_object_to_json_string(want));
        if (lost != NULL || kept != NULL)
            printf("# the body %s %s\n# %s\n", lost != NULL ? "lacks" : "holds",
                   lost != NULL ? lost : kept, raw);
    }
}

static void
print_line(const char *name, const char *upstream, struct json_object *facts,
           struct json_object *got)
{
    struct json_object *body = mg_json_get(got, "body");
    if (body != NULL)
        printf("{\"id\":\"%s to %s\",\"kind\":\"request\",\"family\":\"%s\",\"beta\":%s,"
               "\"body\":%s}\n", name, upstream, upstream,
               mg_json_bool(facts, "beta", 0) ? "true" : "false",
               json_object_to_json_string_ext(body, JSON_C_TO_STRING_PLAIN |
                                                        JSON_C_TO_STRING_NOSLASHESCAPE));
}

static void
run_case(const char *name, bool print)
{
    size_t n = 0;
    char *path = path_of("request", name, "in.json");
    char *body = golden_read(path, &n);
    struct json_object *meta = read_json("request", name, "meta.json");
    int client = meta != NULL ? mg_family_parse(mg_json_text(meta, "client")) : -1;
    if (body == NULL || client < 0) {
        ok(false, "%s has a body and says whose it is", name);
    } else {
        struct json_object *to = mg_json_get(meta, "to");
        json_object_object_foreach(to, upstream, facts)
        {
            char file[64], *raw;
            snprintf(file, sizeof(file), "to-%s.json", upstream);
            struct json_object *want = read_json("request", name, file);
            struct json_object *got = golden_run((enum mg_family)client,
                                                 (enum mg_family)mg_family_parse(upstream), body,
                                                 n, facts, &raw);
            if (print)
                print_line(name, upstream, facts, got);
            else if (getenv("MG_GOLDEN_WRITE") != NULL)
                write_expected(name, file, got, want);
            else
                compare(name, upstream, mg_json_text(meta, "rule"), got, want, raw);
            json_object_put(got);
            json_object_put(want);
            free(raw);
        }
    }
    json_object_put(meta);
    free(body);
    free(path);
}

static int
visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strchr(entry->d_name, '.') == NULL;
}

static void
each(const char *folder, void (*run)(const char *name, bool print), bool print)
{
    struct dirent **list;
    char *path = path_of(folder, "", "");
    int count = scandir(path, &list, visible, alphasort);
    for (int i = 0; i < count; i++) {
        run(list[i]->d_name, print);
        free(list[i]);
    }
    if (count >= 0)
        free(list);
    else if (!print)
        ok(false, "the folder %s is there", path);
    free(path);
}

static const char *const providers[MG_FAMILIES] = {
    [MG_CHAT] = "chat-completions", [MG_RESPONSES] = "responses", [MG_MESSAGES] = "anthropic",
};

/* Members whose texts must come through whatever the formats are. */
static bool
is_said(const char *key)
{
    static const char *const keys[] = {"text", "content", "description", "name", "data", "url",
                                       "image_url", "file_url", "instructions", "system", "input",
                                       "call_id", "tool_call_id", "tool_use_id", "output"};
    for (size_t i = 0; key != NULL && i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (strcmp(key, keys[i]) == 0)
            return true;
    }
    return false;
}

/* All strings of a tree, or those that are said, each with a NUL behind it. */
static void
gather(struct json_object *tree, const char *key, bool all, struct mg_str *out)
{
    if (json_object_is_type(tree, json_type_string)) {
        if (all || is_said(key))
            mg_str_add(out, json_object_get_string(tree),
                       (size_t)json_object_get_string_len(tree) + 1);
    } else if (json_object_is_type(tree, json_type_array)) {
        for (size_t i = 0; i < json_object_array_length(tree); i++)
            gather(json_object_array_get_idx(tree, i), NULL, all, out);
    } else if (json_object_is_type(tree, json_type_object)) {
        json_object_object_foreach(tree, name, value)
        {
            gather(value, name, all, out);
        }
    }
}

/* The first text of the request that the upstream's body lacks, or NULL. */
static const char *
lost_text(struct json_object *from, struct json_object *to, struct mg_str *said)
{
    struct mg_str all;
    const char *lost = NULL;
    mg_str_init(&all, (size_t)16 << 20);
    gather(from, NULL, false, said);
    gather(to, NULL, true, &all);
    for (size_t i = 0; i < said->len && lost == NULL; i += strlen(said->p + i) + 1) {
        const char *text = said->p + i;
        if (memmem(all.p, all.len, text, strlen(text)) == NULL)
            lost = text;
    }
    mg_str_free(&all);
    return lost;
}

static void
check_recording(const char *part, const char *name, const char *upstream, struct mg_span body,
                struct json_object *got)
{
    struct json_object *error = mg_json_get(got, "error"), *from = mg_json_of(body);
    const char *why = mg_json_text(error, "message"), *lost = NULL;
    struct mg_str said;
    mg_str_init(&said, (size_t)16 << 20);
    if (error == NULL) {
        json_object_object_del(from, "metadata"); /* state stays with the gateway */
        json_object_object_del(from, "response_format"); /* Messages has no name for a schema */
        json_object_object_del(from, "text");
        lost = lost_text(from, mg_json_get(got, "body"), &said);
        if (!ok(lost == NULL, "%s/%s goes to %s with all its texts", name, part, upstream))
            printf("# lost: %s\n", lost);
    } else {
        ok(mg_json_int(error, "status", 0) == 400 && why != NULL, "%s/%s is refused by %s: %s",
           name, part, upstream, why != NULL ? why : "");
    }
    mg_str_free(&said);
    json_object_put(from);
}

/* A recorded request to every format: all of them accepted or refused with a reason. */
static void
run_recording(const char *name, const char *file, enum mg_family client, bool print)
{
    char part[256];
    size_t n = 0;
    snprintf(part, sizeof(part), "%s/%s", providers[client], file);
    char *path = path_of("recordings", name, part);
    char *body = golden_read(path, &n);
    for (int upstream = 0; body != NULL && upstream < MG_FAMILIES; upstream++) {
        if (providers[upstream] == NULL || upstream == (int)client)
            continue;
        struct json_object *got = golden_run(client, (enum mg_family)upstream, body, n, NULL, NULL);
        if (print)
            print_line(part, mg_family_name((enum mg_family)upstream), NULL, got);
        else
            check_recording(part, name, mg_family_name((enum mg_family)upstream),
                            (struct mg_span){body, n}, got);
        json_object_put(got);
    }
    free(body);
    free(path);
}

/* The same format on both sides: what was written, read and written again, stays what it was. */
static void
run_circle(const char *name, const char *file, enum mg_family family)
{
    char part[256], *raw;
    size_t n = 0;
    snprintf(part, sizeof(part), "%s/%s", providers[family], file);
    char *path = path_of("recordings", name, part);
    char *body = golden_read(path, &n);
    if (body != NULL) {
        struct json_object *once = golden_run(family, family, body, n, NULL, &raw);
        struct json_object *again = golden_run(family, family, raw, strlen(raw), NULL, NULL);
        if (mg_json_get(once, "error") == NULL)
            ok(json_object_equal(mg_json_get(once, "body"), mg_json_get(again, "body")),
               "%s/%s written twice is the same", name, part);
        check_recording(part, name, "its own format", (struct mg_span){body, n}, once);
        json_object_put(once);
        json_object_put(again);
        free(raw);
    }
    free(body);
    free(path);
}

static void
run_recordings(const char *name, bool print)
{
    static const char *const files[] = {"request.json", "followup-request.json"};
    for (int family = 0; family < MG_FAMILIES; family++) {
        for (size_t i = 0; i < 2 && providers[family] != NULL; i++) {
            run_recording(name, files[i], (enum mg_family)family, print);
            if (!print)
                run_circle(name, files[i], (enum mg_family)family);
        }
    }
}

int
main(int argc, char **argv)
{
    bool print = argc > 1 && strcmp(argv[1], "--print") == 0;
    if (!print)
        plan(0);
    each("request", run_case, print);
    each("recordings", run_recordings, print);
    return print ? 0 : done();
}
