#include "ctl/help.h"

#include "ctl/args.h"

#include <string.h>

#define LINE 78

/* Prints a word, on a new line when it would pass the margin; returns the column behind it. */
static int
put_word(FILE *out, int column, int indent, const char *word)
{
    int n = (int)strlen(word);
    if (column + 1 + n > LINE) {
        fprintf(out, "\n%*s", indent, "");
        column = indent;
    }
    fprintf(out, " %s", word);
    return column + 1 + n;
}

void
mg_help_usage(const struct mg_command *c, FILE *out)
{
    char word[128];
    int column = fprintf(out, "usage: mgctl %s", c->area);
    if (c->verb != NULL)
        column += fprintf(out, " %s", c->verb);
    if (*c->operands != '\0')
        column = put_word(out, column, 8, c->operands);
    for (const struct mg_option *o = c->options; o != NULL && o->name != NULL; o++) {
        const char *open = o->required ? "" : "[", *close = o->required ? "" : "]";
        snprintf(word, sizeof(word), "%s--%s%s%s%s", open, o->name, o->value ? " " : "",
                 o->value ? o->value : "", close);
        column = put_word(out, column, 8, word);
    }
    fputc('\n', out);
}

static void
print_command(const struct mg_command *c, FILE *out)
{
    mg_help_usage(c, out);
    fprintf(out, "\n%s.\n", c->summary);
    if (c->help != NULL)
        fprintf(out, "\n%s\n", c->help);
    if (c->options != NULL)
        fputc('\n', out);
    for (const struct mg_option *o = c->options; o != NULL && o->name != NULL; o++) {
        char left[64];
        snprintf(left, sizeof(left), "--%s %s", o->name, o->value ? o->value : "");
        fprintf(out, "  %-26s %s\n", left, o->help);
    }
}

static void
print_line(const struct mg_command *c, FILE *out)
{
    char left[80];
    snprintf(left, sizeof(left), "%s%s%s %s", c->area, c->verb ? " " : "", c->verb ? c->verb : "",
             c->operands);
    fprintf(out, "  %-30s %s\n", left, c->summary);
}

static void
print_all(const char *area, FILE *out)
{
    for (const struct mg_command *const *table = mg_commands; *table != NULL; table++)
        for (const struct mg_command *c = *table; c->area != NULL; c++)
            if (area == NULL || strcmp(area, c->area) == 0)
                print_line(c, out);
}

int
mg_help_print(const char *area, const char *verb, FILE *out)
{
    const struct mg_command *c = mg_args_find(area, verb);
    if (area != NULL && c == NULL)
        return -1;
    if (c != NULL && (verb != NULL || c->verb == NULL)) {
        print_command(c, out);
        return 0;
    }
    fputs("usage: mgctl [--config FILE] [--json] COMMAND ...\n\n", out);
    print_all(area, out);
    if (area == NULL)
        fputs("\n  --config FILE                  settings (else $MG_CONFIG, else " MG_SYSCONFDIR
              "/gateway.conf)\n"
              "  --json                         print JSON instead of tables\n",
              out);
    fprintf(out, "\n`mgctl help %s` tells more about one of them.\n",
            area != NULL ? "COMMAND VERB" : "COMMAND");
    return 0;
}
