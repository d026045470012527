#include "setup/compose.h"

#include "base/clock.h"
#include "json/writer.h"
#include "setup/escape.h"
#include "setup/template.h"
#include "setup/templates.h"
#include "setup/windows.h"

#include <string.h>

/* A part of a script: what it sets up and how that is undone. */
static const struct step {
    const char *name;
    const char *undo, *setup; /* templates; undo NULL: it is with another's */
    const char *file;         /* what it writes, for people */
    const char *next;         /* what to do then; NULL = nothing more */
} steps[] = {
    {"codex", mg_setup_posix_codex_undo_sh, mg_setup_posix_codex_sh,
     "~/.codex/config.toml          model, provider and key for Codex",
     "Codex:       codex"},
    {"claude", mg_setup_posix_claude_undo_sh, mg_setup_posix_claude_sh,
     "~/.claude/settings.json       address, key and models for Claude Code",
     "Claude Code: claude"},
    {"opencode", mg_setup_posix_opencode_undo_sh, mg_setup_posix_opencode_sh,
     "~/.config/opencode/opencode.json   a provider and the default model",
     "opencode:    opencode"},
    {"continue", mg_setup_posix_continue_undo_sh, mg_setup_posix_continue_sh,
     "~/.continue/config.yaml       a model for Continue (VS Code and its relatives, JetBrains)",
     "VS Code:     choose Model Gateway in Continue's list of models; the extensions of Codex and"
     " Claude Code are set up, too"},
    {"librechat", mg_setup_posix_librechat_undo_sh, mg_setup_posix_librechat_sh,
     "librechat.yaml in LibreChat's folder   an endpoint with its models",
     "LibreChat:   start it again; with Docker, librechat.yaml must be mounted in"
     " docker-compose.override.yml"},
    {"librechat_env", NULL, mg_setup_posix_librechat_env_sh,
     ".env in LibreChat's folder             the key", NULL},
};

/* The step at *at in a list with spaces, which moves on; NULL at the end. */
static const struct step *
next_step(const char **at)
{
    *at += strspn(*at, " ");
    struct mg_span name = {*at, strcspn(*at, " ")};
    *at += name.n;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        if (mg_span_is(name, steps[i].name))
            return &steps[i];
    return NULL;
}

enum { /* the strings that are made for one script */
    FILES, NEXT, MODELS, MODEL_IDS, OPENAI_URL, OPENCODE_MODEL, CODEX_TOP, CODEX_PROVIDER,
    OPENCODE, CONTINUE, LIBRECHAT, UNINSTALLER, STRINGS
};

struct script {
    const struct mg_setup_target *target;
    const struct mg_setup_facts *facts;
    char generated[MG_RFC3339_SIZE];
    struct mg_str s[STRINGS];
    struct mg_setup_value values[32];
};

static void
write_model(struct mg_jw *w, bool named, const char *id, const char *name)
{
    if (!named) {
        mg_jw_string(w, NULL, id);
        return;
    }
    mg_jw_object(w, id);
    mg_jw_string(w, "name", name);
    mg_jw_end(w);
}

/* The models for a client's own list: the chosen one first, then the others that have a label. As
 * an object with their names, or as an array of their ids. */
static void
write_models(const struct mg_setup_facts *f, bool named, struct mg_str *out)
{
    const struct mg_model *chosen = mg_catalogue_find(f->catalogue, f->model);
    bool own = chosen != NULL && strcmp(chosen->id, f->model) == 0 && *chosen->label != '\0';
    struct mg_jw w;
    mg_jw_init(&w, out);
    if (named)
        mg_jw_object(&w, NULL);
    else
        mg_jw_array(&w, NULL);
    write_model(&w, named, f->model, own ? chosen->label : f->model);
    for (size_t i = 0; i < f->catalogue->model_count; i++) {
        const struct mg_model *m = &f->catalogue->models[i];
        if (*m->label != '\0' && strcmp(m->id, f->model) != 0)
            write_model(&w, named, m->id, m->label);
    }
    mg_jw_end(&w);
}

static void
write_steps(struct script *x)
{
    const struct step *step;
    for (const char *at = x->target->steps; (step = next_step(&at)) != NULL;) {
        mg_str_addf(&x->s[FILES], "%s#   %s", x->s[FILES].len > 0 ? "\n" : "", step->file);
        if (step->next == NULL)
            continue;
        if (x->s[NEXT].len > 0)
            mg_str_addc(&x->s[NEXT], ' ');
        mg_escape(MG_SETUP_SH, step->next, &x->s[NEXT]);
    }
}

static void
set(struct script *x, size_t *n, const char *name, const char *value)
{
    x->values[(*n)++] = (struct mg_setup_value){name, value};
    x->values[*n] = (struct mg_setup_value){NULL, NULL};
}

/* The values that every template may name. */
static size_t
set_values(struct script *x)
{
    const struct mg_setup_facts *f = x->facts;
    size_t n = 0, key_length = strlen(f->key);
    const char *base = x->target->vip ? f->vip_base_url : f->base_url;
    mg_str_addf(&x->s[OPENAI_URL], "%s/v1", base);
    mg_str_addf(&x->s[OPENCODE_MODEL], "model-gateway/%s", f->model);
    write_models(f, true, &x->s[MODELS]);
    write_models(f, false, &x->s[MODEL_IDS]);
    write_steps(x);
    set(x, &n, "id", x->target->id);
    set(x, &n, "title", x->target->title);
    set(x, &n, "what", x->target->what);
    set(x, &n, "steps", x->target->steps);
    set(x, &n, "generated", mg_rfc3339(f->now_ms, x->generated));
    set(x, &n, "username", f->username);
    set(x, &n, "last4", f->key + (key_length > 4 ? key_length - 4 : 0));
    set(x, &n, "key", f->key);
    set(x, &n, "model", f->model);
    set(x, &n, "base_url", base);
    set(x, &n, "openai_base_url", x->s[OPENAI_URL].p);
    set(x, &n, "opencode_model", x->s[OPENCODE_MODEL].p);
    set(x, &n, "models", x->s[MODELS].p);
    set(x, &n, "json_awk", mg_setup_posix_json_awk);
    set(x, &n, "toml_awk", mg_setup_posix_toml_awk);
    set(x, &n, "yaml_awk", mg_setup_posix_yaml_awk);
    set(x, &n, "model_ids", x->s[MODEL_IDS].p);
    set(x, &n, "files", x->s[FILES].p);
    set(x, &n, "next", x->s[NEXT].p);
    return n;
}

/* What is written into foreign files, in their own languages. */
static int
fill_pieces(struct script *x, size_t *n, struct mg_err *err)
{
    static const struct {
        int string;
        const char *name, *text;
    } pieces[] = {
        {CODEX_TOP, "codex_top", mg_setup_posix_codex_top_toml},
        {CODEX_PROVIDER, "codex_provider", mg_setup_posix_codex_provider_toml},
        {OPENCODE, "opencode_provider", mg_setup_posix_opencode_json},
        {CONTINUE, "continue_model", mg_setup_posix_continue_yaml},
        {LIBRECHAT, "librechat_endpoint", mg_setup_posix_librechat_yaml},
    };
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        struct mg_str *s = &x->s[pieces[i].string];
        if (mg_template_fill(pieces[i].text, x->values, s, err) != 0)
            return -1;
        if (s->len > 0 && s->p[s->len - 1] == '\n')
            s->p[--s->len] = '\0';
        set(x, n, pieces[i].name, s->p);
    }
    return 0;
}

static int
fill_steps(const struct script *x, bool undo, struct mg_str *out, struct mg_err *err)
{
    const struct step *step;
    for (const char *at = x->target->steps; (step = next_step(&at)) != NULL;)
        if ((!undo || step->undo != NULL) &&
            mg_template_fill(undo ? step->undo : step->setup, x->values, out, err) != 0)
            return -1;
    return 0;
}

static int
fill_uninstaller(struct script *x, size_t n, struct mg_str *out, struct mg_err *err)
{
    set(x, &n, "act", "uninstall");
    if (mg_template_fill(mg_setup_posix_head_undo_sh, x->values, out, err) != 0 ||
        mg_template_fill(mg_setup_posix_common_sh, x->values, out, err) != 0 ||
        fill_steps(x, true, out, err) != 0 ||
        mg_template_fill(mg_setup_posix_undo_sh, x->values, out, err) != 0)
        return -1;
    return mg_template_fill(mg_setup_posix_main_sh, x->values, out, err);
}

static int
fill_installer(struct script *x, size_t n, struct mg_str *out, struct mg_err *err)
{
    if (fill_uninstaller(x, n, &x->s[UNINSTALLER], err) != 0)
        return -1;
    x->s[UNINSTALLER].p[--x->s[UNINSTALLER].len] = '\0'; /* the template has the line end */
    set(x, &n, "act", "install");
    set(x, &n, "uninstaller", x->s[UNINSTALLER].p);
    if (mg_template_fill(mg_setup_posix_head_sh, x->values, out, err) != 0 ||
        mg_template_fill(mg_setup_posix_common_sh, x->values, out, err) != 0 ||
        fill_steps(x, true, out, err) != 0 || fill_steps(x, false, out, err) != 0 ||
        mg_template_fill(mg_setup_posix_undo_sh, x->values, out, err) != 0 ||
        mg_template_fill(mg_setup_posix_tail_sh, x->values, out, err) != 0)
        return -1;
    return mg_template_fill(mg_setup_posix_main_sh, x->values, out, err);
}

int
mg_setup_compose(const struct mg_setup_target *target, const struct mg_setup_facts *facts,
               bool uninstall, struct mg_str *out, struct mg_err *err)
{
    struct script x = {.target = target, .facts = facts};
    for (int i = 0; i < STRINGS; i++)
        mg_str_init(&x.s[i], MG_SETUP_SCRIPT_MAX);
    size_t n = set_values(&x);
    int rc = fill_pieces(&x, &n, err);
    if (rc == 0 && target->kind == MG_SETUP_POWERSHELL)
        rc = mg_setup_windows(x.values, n, uninstall, out, err);
    else if (rc == 0)
        rc = uninstall ? fill_uninstaller(&x, n, out, err) : fill_installer(&x, n, out, err);
    for (int i = 0; i < STRINGS; i++)
        mg_str_free(&x.s[i]);
    return rc;
}
