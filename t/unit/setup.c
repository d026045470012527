/* Setup scripts: whatever a value holds, it stays a value in every language. */
#include "json/parse.h"
#include "setup/escape.h"
#include "setup/script.h"
#include "setup/template.h"
#include "tap.h"

#include <stdlib.h>
#include <unistd.h>

static struct mg_err err = MG_ERR_INIT;

static const char *const hostile[] = {
    "plain", "", "'", "''", "\"", "$(touch pwned)", "`touch pwned`", "a\nb", "a\r\nb",
    "'; touch pwned; '", "\\", "\\'", "$HOME", "%s%n", "'@\n$x = 1\n@'", "\"; $x", "${x}",
    "caf\xc3\xa9 \xf0\x9f\x98\x80", "\xe2\x80\x98; touch pwned; \xe2\x80\x99",
    "\x01\x1b[2J\x7f", "-n", "*", "~", "#", "!", "<%sh:key%>", "END_OF_UNINSTALL_SCRIPT",
    "a\nEND_OF_UNINSTALL_SCRIPT\ntouch pwned\n",
};
#define HOSTILE (sizeof(hostile) / sizeof(hostile[0]))

/* What a shell makes of a text. */
static void
run_sh(const char *script, struct mg_str *out)
{
    char buffer[4096];
    FILE *to = fopen("script", "w");
    fputs(script, to);
    fclose(to);
    FILE *in = popen("sh ./script --dry-run 2>&1", "r") /* which asks nobody */;
    for (size_t n; (n = fread(buffer, 1, sizeof(buffer), in)) > 0;)
        mg_str_add(out, buffer, n);
    pclose(in);
}

static void
test_sh(void)
{
    for (size_t i = 0; i < HOSTILE; i++) {
        struct mg_str script, said;
        mg_str_init(&script, 1 << 16);
        mg_str_init(&said, 1 << 16);
        mg_str_addz(&script, "printf '%s' ");
        mg_escape(MG_SETUP_SH, hostile[i], &script);
        run_sh(script.p, &said);
        is_str(said.p, hostile[i], "a shell reads the value back");
        mg_str_free(&script);
        mg_str_free(&said);
    }
    ok(access("pwned", F_OK) != 0, "and carries nothing out");
}

static void
test_json(void)
{
    for (size_t i = 0; i < HOSTILE; i++) {
        struct mg_str text;
        struct json_object *tree = NULL;
        mg_str_init(&text, 1 << 16);
        mg_str_addz(&text, "[");
        mg_escape(MG_SETUP_JSON, hostile[i], &text);
        mg_str_addz(&text, "]");
        if (!ok(mg_json_parse(text.p, text.len, &tree, &err) == 0, "JSON parses"))
            printf("# %s\n", text.p);
        is_str(json_object_get_string(json_object_array_get_idx(tree, 0)), hostile[i],
               "and reads the value back");
        json_object_put(tree);
        mg_str_free(&text);
    }
}

static void
is_escaped(enum mg_setup_language language, const char *value, const char *wanted)
{
    struct mg_str text;
    mg_str_init(&text, 1 << 16);
    mg_escape(language, value, &text);
    is_str(text.p, wanted, wanted);
    mg_str_free(&text);
}

static void
test_others(void)
{
    is_escaped(MG_SETUP_PS, "it's $x `n", "'it''s $x `n'");
    is_escaped(MG_SETUP_PS, "\xe2\x80\x98\xe2\x80\x99\xe2\x80\x9a\xe2\x80\x9b",
               "'\xe2\x80\x98\xe2\x80\x98\xe2\x80\x99\xe2\x80\x99\xe2\x80\x9a\xe2\x80\x9a"
               "\xe2\x80\x9b\xe2\x80\x9b'");
    is_escaped(MG_SETUP_PS, "\xe2\x80\x9c\xe2\x82\xac", "'\xe2\x80\x9c\xe2\x82\xac'");
    is_escaped(MG_SETUP_TOML, "a\"b\\c\n\x7f\xc3\xa9", "\"a\\\"b\\\\c\\u000A\\u007F\xc3\xa9\"");
    is_escaped(MG_SETUP_COMMENT, "a\nb\r\x1b[2J", "a b  [2J");
    is_escaped(MG_SETUP_URL, "a/b?c=\xc3\xa9 &", "a%2Fb%3Fc%3D%C3%A9%20%26");
    is_escaped(MG_SETUP_SH, "not UTF-8: \xff", "''");
}

static void
test_template(void)
{
    static const struct mg_setup_value values[] = {
        {"a", "it's"}, {"b", "<%sh:a%>"}, {NULL, NULL}};
    struct mg_str out;
    mg_str_init(&out, 200);
    is_int(mg_template_fill("x=<%sh:a%> y=<%sh.json:a%> z=<%text:b%>.", values, &out, &err), 0,
           "a template is filled");
    is_str(out.p, "x='it'\\''s' y='\"it'\\''s\"' z=<%sh:a%>.", "each place once, in its languages");
    static const char *const wrong[] = {"<%sh:c%>", "<%a%>", "<%sh:a", "<%perl:a%>",
                                        "<%sh.perl:a%>", "<%:a%>"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        is_int(mg_template_fill(wrong[i], values, &out, &err), -1, wrong[i]);
        mg_err_free(&err);
    }
    mg_str_free(&out);
}

/* Every script with every hostile value in every place: nothing of it is carried out. */
static void
test_scripts(void)
{
    size_t count;
    const struct mg_setup_target *targets = mg_setup_targets(&count);
    static const struct mg_upstream upstream = {.name = "up"};
    setenv("HOME", ".", 1);
    for (size_t i = 0; i < HOSTILE; i++) {
        struct mg_model model = {.id = hostile[i], .label = hostile[i], .upstream = &upstream};
        struct mg_catalogue catalogue = {.models = &model, .model_count = 1};
        struct mg_setup_facts facts = {
            .base_url = hostile[i], .vip_base_url = hostile[i], .username = hostile[i],
            .key = hostile[i], .model = hostile[i], .catalogue = &catalogue, .now_ms = 1};
        int made = 0;
        for (size_t t = 0; t < count; t++) {
            struct mg_str script, said;
            mg_str_init(&script, MG_SETUP_SCRIPT_MAX);
            mg_str_init(&said, 1 << 16);
            made += mg_setup_script(&targets[t], &facts, false, &script, &err) == 0;
            if (targets[t].kind == MG_SETUP_POSIX) {
                mg_str_addz(&script, "\n");
                run_sh(script.p, &said);
            }
            mg_str_free(&script);
            mg_str_free(&said);
        }
        is_int(made, (int)count, "all scripts are made");
    }
    ok(access("pwned", F_OK) != 0, "and nothing of the values is carried out");
}

static void
test_refusal(void)
{
    struct mg_str text, said;
    mg_str_init(&text, 4096);
    mg_str_init(&said, 4096);
    mg_setup_refusal(NULL, "it's over", &text);
    run_sh(text.p, &said);
    is_str(said.p, "it's over\n", "a refusal is what a shell says");
    mg_str_free(&text);
    mg_str_free(&said);
}

int
main(void)
{
    char dir[] = "/tmp/mg-setup-XXXXXX", command[64];
    plan(0);
    if (mkdtemp(dir) == NULL || chdir(dir) != 0)
        return 1;
    test_sh();
    test_json();
    test_others();
    test_template();
    test_scripts();
    test_refusal();
    snprintf(command, sizeof(command), "rm -rf '%s'", dir);
    mg_err_free(&err);
    return system(command) != 0 ? 1 : done();
}
