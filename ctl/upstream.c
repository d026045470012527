/* mgctl upstream: the destinations behind the models. */
#include "base/digest.h"
#include "catalogue/destination.h"
#include "catalogue/words.h"
#include "ctl/command.h"
#include "ctl/probe.h"
#include "ctl/sheet.h"
#include "wire/family.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct mg_option add_options[] = {
    {"formats", "LIST", "what it speaks: chat, responses, completions, messages; the first is "
                        "preferred", true},
    {"url", "URL", "base address, e.g. https://api.example.com/v1", true},
    {"key-file", "FILE", "file with the credential toward it (none: it needs none)", false},
    {0},
};

static const struct mg_option set_options[] = {
    {"formats", "LIST", "what it speaks, the preferred one first", false},
    {"url", "URL", "base address", false},
    {"key-file", "FILE", "file with the new credential; an empty one takes it away", false},
    {0},
};

/* Says where requests will go, so that a wrong base is seen at once. */
static int
show(struct mg_ctl *ctl, const struct mg_destination *spec)
{
    static const struct mg_column columns[] = {{"upstream", "upstream"}, {"url", "url"}};
    char url[MG_WORDS_URL] = "";
    unsigned formats = 0;
    enum mg_family preferred = MG_CHAT;
    struct mg_sheet t;
    if (spec->url != NULL && mg_words_url(spec->url, url, &ctl->err) != 0)
        return -1;
    if (spec->formats != NULL &&
        mg_words_formats(spec->formats, &formats, &preferred, &ctl->err) != 0)
        return -1;
    if (ctl->json) {
        mg_sheet_init(&t, ctl, columns, 2);
        mg_sheet_text(&t, spec->name);
        mg_sheet_text(&t, *url != '\0' ? url : NULL);
        return mg_sheet_print_record(&t);
    }
    mg_ctl_say(ctl, "upstream %s is set", spec->name);
    for (int f = 0; f < MG_FAMILIES && *url != '\0'; f++)
        if (formats & 1u << f)
            mg_ctl_say(ctl, "  %-12s %s%s", mg_family_name((enum mg_family)f), url,
                       mg_family_path((enum mg_family)f));
    if (strncmp(url, "http://", 7) == 0 && spec->key != NULL && *spec->key != '\0')
        fprintf(stderr, "mgctl: the credential will travel unencrypted to %s\n", url);
    return 0;
}

static int
change(struct mg_ctl *ctl, int (*act)(struct mg_db *, const struct mg_vault *,
                                      const struct mg_destination *, struct mg_err *))
{
    const char *key_file = mg_ctl_option(ctl, "key-file");
    char *key = NULL;
    if (key_file != NULL) {
        key = mg_conf_secret(key_file, MG_DESTINATION_KEY, &ctl->err);
        if (key == NULL)
            return -1;
    }
    const struct mg_destination spec = {ctl->operand[0], mg_ctl_option(ctl, "url"),
                                        mg_ctl_option(ctl, "formats"), key};
    int rc = act(ctl->db, &ctl->vault, &spec, &ctl->err);
    if (rc == 0)
        rc = show(ctl, &spec);
    if (key != NULL)
        mg_wipe(key, strlen(key));
    free(key);
    return rc;
}

static int
add(struct mg_ctl *ctl)
{
    return change(ctl, mg_destination_add);
}

static int
set(struct mg_ctl *ctl)
{
    return change(ctl, mg_destination_set);
}

static int
list(struct mg_ctl *ctl)
{
    static const struct mg_column columns[] = {{"upstream", "UPSTREAM"}, {"formats", "FORMATS"},
                                               {"url", "URL"},           {"key", "KEY"},
                                               {"models", "MODELS"},     {"created", "CREATED"}};
    struct mg_destination_row *rows;
    struct mg_sheet t;
    size_t count;
    if (mg_destination_list(ctl->db, ctl->pool, &rows, &count, &ctl->err) != 0)
        return -1;
    mg_sheet_init(&t, ctl, columns, 6);
    for (size_t i = 0; i < count; i++) {
        mg_sheet_text(&t, rows[i].name);
        mg_sheet_text(&t, rows[i].formats);
        mg_sheet_text(&t, rows[i].url);
        mg_sheet_bool(&t, rows[i].has_key);
        mg_sheet_int(&t, rows[i].models);
        mg_sheet_time(&t, rows[i].created_ms);
    }
    return mg_sheet_print(&t);
}

static int
drop(struct mg_ctl *ctl)
{
    if (mg_destination_remove(ctl->db, ctl->operand[0], &ctl->err) != 0)
        return -1;
    mg_ctl_say(ctl, "upstream %s is removed", ctl->operand[0]);
    return 0;
}

static const struct mg_option test_options[] = {
    {"model", "ID", "also ask this model (the upstream's id) for one short answer", false},
    {"timeout", "SECONDS", "how long to wait (default: 30)", false},
    {0},
};

static void
add_probe(struct mg_sheet *t, const struct mg_probe *p)
{
    mg_sheet_text(t, p->what);
    mg_sheet_text(t, p->good ? "ok" : "FAILED");
    mg_sheet_int(t, p->status);
    mg_sheet_int(t, p->ms);
    mg_sheet_text(t, p->text);
}

static int
test(struct mg_ctl *ctl)
{
    static const struct mg_column columns[] = {{"request", "REQUEST"},
                                               {"result", "RESULT"},
                                               {"status", "STATUS"},
                                               {"ms", "MS"},
                                               {"says", "SAYS"}};
    const char *model = mg_ctl_option(ctl, "model");
    struct mg_upstream *all;
    struct mg_probe probes[1 + MG_FAMILIES];
    struct mg_sheet t;
    size_t count, done = 0, u = 0;
    int64_t seconds = 30;
    if (mg_ctl_number(ctl, "timeout", &seconds) != 0)
        return MG_CTL_USAGE;
    if (mg_destination_read(ctl->db, &ctl->vault, ctl->pool, &all, &count, &ctl->err) != 0)
        return -1;
    while (u < count && strcmp(all[u].name, ctl->operand[0]) != 0)
        u++;
    int rc = u < count ? 0 : mg_err_set(&ctl->err, 404, "not_found", "there is no upstream '%.63s'",
                                        ctl->operand[0]);
    if (rc == 0)
        mg_probe_run(&all[u], model, seconds, ctl->pool, probes, &done);
    mg_destination_wipe(all, count);
    if (rc != 0)
        return -1;
    mg_sheet_init(&t, ctl, columns, 5);
    bool good = true;
    for (size_t i = 0; i < done; i++) {
        add_probe(&t, &probes[i]);
        good = good && probes[i].good;
    }
    mg_sheet_print(&t);
    return good ? MG_CTL_OK : MG_CTL_FAILED;
}

const struct mg_command mg_upstream_commands[] = {
    {"upstream", "add", "NAME", 1, 1, MG_NEEDS_DB | MG_NEEDS_VAULT, add, NULL, add_options,
     "add a destination",
     "The formats' paths (/chat/completions, /responses, /completions, /messages) are appended\n"
     "to the URL. A URL without a path gets /v1; one with a path is used as it is. The command\n"
     "prints where requests will go. The credential is sealed under the master key."},
    {"upstream", "set", "NAME", 1, 1, MG_NEEDS_DB | MG_NEEDS_VAULT, set, NULL, set_options,
     "change a destination; what is not named stays", NULL},
    {"upstream", "list", "", 0, 0, MG_NEEDS_DB, list, NULL, NULL, "list the destinations", NULL},
    {"upstream", "remove", "NAME", 1, 1, MG_NEEDS_DB, drop, NULL, NULL,
     "remove a destination that serves no model", NULL},
    {"upstream", "test", "NAME", 1, 1, MG_NEEDS_DB | MG_NEEDS_VAULT, test, NULL, test_options,
     "ask a destination for its models, and one of them for an answer",
     "Sends GET URL/models with the stored credential. With --model it also sends one short\n"
     "request in each of its formats, which the provider may charge. Exit status 1 when one of\n"
     "them failed."},
    {0},
};
