/* What a command of mgctl is: a row of a table, and what its function is given.
 *
 * A command is added by writing one row and one function. The row says everything that the
 * dispatcher checks and the help prints; the function only reads checked arguments, calls lib
 * once, and shows the result. */
#ifndef MG_CTL_COMMAND_H
#define MG_CTL_COMMAND_H

#include "base/conf.h"
#include "base/err.h"
#include "base/pool.h"
#include "base/vault.h"
#include "db/db.h"

#include <stdbool.h>

/* Exit statuses. */
enum {
    MG_CTL_OK = 0,
    MG_CTL_FAILED = 1, /* refused, not found, or the books are wrong */
    MG_CTL_USAGE = 2,  /* the command line is wrong; nothing was done */
    MG_CTL_AWAY = 3    /* the database or an upstream cannot be reached */
};

#define MG_CTL_OPTIONS 16

/* An option of a command. A row without a name ends the list. */
struct mg_option {
    const char *name;  /* without its dashes */
    const char *value; /* what stands for the value in the help; NULL = a flag */
    const char *help;
    bool required;
};

/* What the dispatcher prepares before the function runs (bits). */
enum {
    MG_NEEDS_CONF = 1,
    MG_NEEDS_DB = 2,    /* connected as the owner of the schema; implies the settings */
    MG_NEEDS_VAULT = 4, /* the master key is read; implies the settings */
    MG_NEEDS_RAW = 8    /* parses its own arguments: `raw` is called instead of `run` */
};

struct mg_ctl;

struct mg_command {
    const char *area;     /* "model"; NULL ends a table */
    const char *verb;     /* "add"; NULL when the area is a command itself */
    const char *operands; /* for the help: "MODEL", "" for none */
    int least, most;      /* how many operands */
    unsigned needs;
    int (*run)(struct mg_ctl *ctl); /* 0, -1 with ctl->err, or an exit status */
    int (*raw)(int argc, char **argv, const struct mg_conf *conf);
    const struct mg_option *options; /* NULL = none */
    const char *summary;  /* one line */
    const char *help;     /* paragraphs; NULL = the summary says it all */
};

/* One run of mgctl. */
struct mg_ctl {
    const struct mg_command *command;
    const char *config; /* path of the configuration file; NULL = none */
    bool json;
    int operands;
    const char **operand;                /* `operands` texts */
    const char *values[MG_CTL_OPTIONS];  /* by row of command->options; a flag has "" */
    struct mg_conf conf;
    struct mg_vault vault;
    struct mg_db *db;
    struct mg_pool *pool;
    struct mg_err err;
};

/* Value of an option ("" for a flag), NULL when it was not given. The name must be in the row. */
const char *mg_ctl_option(const struct mg_ctl *ctl, const char *name) __attribute__((nonnull));
/* Prints a line for people; nothing with --json. */
void mg_ctl_say(const struct mg_ctl *ctl, const char *fmt, ...)
    __attribute__((nonnull, format(printf, 2, 3)));
/* Reads a whole number of an option into *value, which stays when the option is absent. 0, or
 * MG_CTL_USAGE with a message on standard error. */
int mg_ctl_number(const struct mg_ctl *ctl, const char *name, int64_t *value)
    __attribute__((nonnull, warn_unused_result));
/* "mgctl area verb: text" on standard error; returns MG_CTL_USAGE. */
int mg_ctl_misuse(const struct mg_ctl *ctl, const char *fmt, ...)
    __attribute__((nonnull, format(printf, 2, 3)));

/* The tables, in the order of the help; the list ends with NULL. */
extern const struct mg_command *const mg_commands[];
extern const struct mg_command mg_schema_commands[], mg_upstream_commands[], mg_model_commands[],
    mg_account_commands[], mg_signin_commands[], mg_key_commands[], mg_mail_commands[],
    mg_benefit_commands[], mg_order_commands[], mg_serve_commands[];

#endif
