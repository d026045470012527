#include "ctl/args.h"

#include "base/money.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct mg_command *
mg_args_find(const char *area, const char *verb)
{
    if (area == NULL)
        return NULL;
    for (const struct mg_command *const *table = mg_commands; *table != NULL; table++)
        for (const struct mg_command *c = *table; c->area != NULL; c++)
            if (strcmp(c->area, area) == 0 &&
                (verb == NULL || (c->verb != NULL && strcmp(c->verb, verb) == 0)))
                return c;
    return NULL;
}

static void
complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void
complain(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fputs("mgctl: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
}

static void
list_verbs(const char *area)
{
    fprintf(stderr, "mgctl: 'mgctl %s' needs one of:", area);
    for (const struct mg_command *const *table = mg_commands; *table != NULL; table++)
        for (const struct mg_command *c = *table; c->area != NULL; c++)
            if (strcmp(c->area, area) == 0)
                fprintf(stderr, " %s", c->verb);
    fputc('\n', stderr);
}

/* Finds the row that words[0] (and words[1]) mean; *used is how many words that took. */
static const struct mg_command *
choose(char **words, int count, int *used)
{
    const struct mg_command *first = mg_args_find(words[0], NULL);
    *used = 1;
    if (first == NULL) {
        complain("unknown command '%s'; `mgctl help` lists them", words[0]);
        return NULL;
    }
    if (first->verb == NULL)
        return first;
    const struct mg_command *c = count > 1 ? mg_args_find(words[0], words[1]) : NULL;
    if (c == NULL)
        list_verbs(words[0]);
    *used = 2;
    return c;
}

/* The global options stand anywhere. 1: taken, *i moved to its last word; 0: none; -1: wrong. */
static int
global(char **argv, int argc, int *i, struct mg_ctl *ctl)
{
    const char *word = argv[*i];
    if (strcmp(word, "--json") == 0) {
        ctl->json = true;
        return 1;
    }
    if (strncmp(word, "--config=", 9) == 0) {
        ctl->config = word + 9;
        return 1;
    }
    if (strcmp(word, "--config") != 0)
        return 0;
    if (*i + 1 >= argc) {
        complain("--config needs the path of a file");
        return -1;
    }
    ctl->config = argv[++*i];
    return 1;
}

/* Takes the option at argv[*i]. 0, or -1 with a complaint. */
static int
option(char **argv, int argc, int *i, struct mg_ctl *ctl)
{
    const char *name = argv[*i] + 2, *equals = strchr(name, '=');
    size_t n = equals ? (size_t)(equals - name) : strlen(name);
    const struct mg_option *o = ctl->command->options;
    int row = 0;
    while (o != NULL && o->name != NULL && (strlen(o->name) != n || strncmp(o->name, name, n) != 0))
        o++, row++;
    if (o == NULL || o->name == NULL) {
        mg_ctl_misuse(ctl, "unknown option --%.*s", (int)n, name);
        return -1;
    }
    if (ctl->values[row] != NULL) {
        mg_ctl_misuse(ctl, "--%s is there twice", o->name);
        return -1;
    }
    if (o->value == NULL && equals != NULL) {
        mg_ctl_misuse(ctl, "--%s takes no value", o->name);
        return -1;
    }
    if (o->value == NULL)
        ctl->values[row] = "";
    else if (equals != NULL)
        ctl->values[row] = equals + 1;
    else if (*i + 1 < argc && strncmp(argv[*i + 1], "--", 2) != 0)
        ctl->values[row] = argv[++*i];
    else {
        mg_ctl_misuse(ctl, "--%s needs a value: %s", o->name, o->value);
        return -1;
    }
    return 0;
}

static int
check(const struct mg_ctl *ctl)
{
    const struct mg_command *c = ctl->command;
    if (ctl->operands < c->least)
        return mg_ctl_misuse(ctl, "this is missing: %s", c->operands);
    if (ctl->operands > c->most)
        return mg_ctl_misuse(ctl, "'%s' is one word too many", ctl->operand[c->most]);
    for (int i = 0; c->options != NULL && c->options[i].name != NULL; i++)
        if (c->options[i].required && ctl->values[i] == NULL)
            return mg_ctl_misuse(ctl, "--%s %s is needed (%s)", c->options[i].name,
                                 c->options[i].value, c->options[i].help);
    return 0;
}

/* Options and operands of an ordinary command, from argv[i] on. */
static enum mg_asked
arguments(int argc, char **argv, int i, struct mg_ctl *ctl)
{
    bool only_operands = false;
    for (; i < argc; i++) {
        const char *word = argv[i];
        int taken = only_operands ? 0 : global(argv, argc, &i, ctl);
        if (taken < 0)
            return MG_ASKED_WRONG;
        if (taken > 0)
            continue;
        if (!only_operands && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0))
            return MG_ASKED_HELP;
        if (!only_operands && strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (!only_operands && strncmp(word, "--", 2) == 0) {
            if (option(argv, argc, &i, ctl) != 0)
                return MG_ASKED_WRONG;
        } else if (!only_operands && word[0] == '-' && !isdigit((unsigned char)word[1]) &&
                   word[1] != '.' && word[1] != '\0') { /* -5 is an amount */
            mg_ctl_misuse(ctl, "unknown option %s", word);
            return MG_ASKED_WRONG;
        } else {
            ctl->operand[ctl->operands++] = word;
        }
    }
    return check(ctl) == 0 ? MG_ASKED_RUN : MG_ASKED_WRONG;
}

static enum mg_asked
raw_arguments(int argc, char **argv, int i, struct mg_ctl *ctl)
{
    ctl->operand[ctl->operands++] = ctl->command->area;
    for (; i < argc; i++) {
        int taken = global(argv, argc, &i, ctl);
        if (taken < 0)
            return MG_ASKED_WRONG;
        if (taken == 0 && (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0))
            return MG_ASKED_HELP;
        if (taken == 0)
            ctl->operand[ctl->operands++] = argv[i];
    }
    return MG_ASKED_RUN;
}

enum mg_asked
mg_args_read(int argc, char **argv, struct mg_ctl *ctl, const char **area, const char **verb)
{
    int i = 1, used, taken = 0;
    *area = *verb = NULL;
    for (; i < argc && (taken = global(argv, argc, &i, ctl)) == 1; i++)
        continue;
    if (taken < 0)
        return MG_ASKED_WRONG;
    if (i >= argc || strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
        return MG_ASKED_HELP;
    if (strcmp(argv[i], "--version") == 0)
        return MG_ASKED_VERSION;
    if (strcmp(argv[i], "help") == 0) {
        *area = i + 1 < argc ? argv[i + 1] : NULL;
        *verb = i + 2 < argc ? argv[i + 2] : NULL;
        return MG_ASKED_HELP;
    }
    ctl->command = choose(argv + i, argc - i, &used);
    if (ctl->command == NULL)
        return MG_ASKED_WRONG;
    *area = ctl->command->area;
    *verb = ctl->command->verb;
    ctl->operand = mg_pool_alloc(ctl->pool, (size_t)(argc + 4) * sizeof(*ctl->operand));
    return ctl->command->needs & MG_NEEDS_RAW ? raw_arguments(argc, argv, i + used, ctl)
                                              : arguments(argc, argv, i + used, ctl);
}

const char *
mg_ctl_option(const struct mg_ctl *ctl, const char *name)
{
    for (int i = 0; ctl->command->options[i].name != NULL; i++)
        if (strcmp(ctl->command->options[i].name, name) == 0)
            return ctl->values[i];
    abort(); /* a row that lacks an option its own function reads */
}

int
mg_ctl_number(const struct mg_ctl *ctl, const char *name, int64_t *value)
{
    const char *text = mg_ctl_option(ctl, name);
    if (text == NULL)
        return 0;
    if (mg_money_parse(text, 0, value) != 0 || *value < 0)
        return mg_ctl_misuse(ctl, "--%s: '%s' is no whole number", name, text);
    return 0;
}
