/* mgctl: the operator's command. Reads the command line, prepares what the row asks for, runs
 * its function and turns the outcome into a message and an exit status. */
#include "config.h"

#include "base/log.h"
#include "ctl/args.h"
#include "ctl/command.h"
#include "ctl/help.h"
#include "ctl/serve.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_CONFIG MG_SYSCONFDIR "/gateway.conf"

const struct mg_command mg_serve_commands[] = {
    {.area = "serve",
     .operands = "[OPTION ...]",
     .needs = MG_NEEDS_CONF | MG_NEEDS_RAW,
     .raw = mg_ctl_serve,
     .summary = "run the responders and replace those that die",
     .help = "  --libexecdir DIR           where the responders are (default: the installed ones)\n"
             "  --only FAMILY,...          auth, account, models, responses, chat, messages\n\n"
             "SIGHUP starts new responders with the configuration as it is then and lets the old\n"
             "ones finish; SIGTERM and SIGINT end the service in order."},
    {0},
};

const struct mg_command *const mg_commands[] = {
    mg_schema_commands,  mg_upstream_commands, mg_model_commands,
    mg_account_commands, mg_signin_commands,   mg_key_commands,
    mg_benefit_commands, mg_mail_commands,     mg_order_commands,
    mg_serve_commands,   NULL,
};

void
mg_ctl_say(const struct mg_ctl *ctl, const char *fmt, ...)
{
    if (ctl->json)
        return;
    va_list ap;
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
}

int
mg_ctl_misuse(const struct mg_ctl *ctl, const char *fmt, ...)
{
    const char *verb = ctl->command->verb;
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, "mgctl %s%s%s: ", ctl->command->area, verb ? " " : "", verb ? verb : "");
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    mg_help_usage(ctl->command, stderr);
    return MG_CTL_USAGE;
}

/* What went wrong, for the operator: unlike a client he may read the detail. */
static int
report(const struct mg_ctl *ctl)
{
    const struct mg_err *err = &ctl->err;
    bool inner = err->status >= 500 && err->detail[0] != '\0';
    fprintf(stderr, "mgctl: %s\n", inner ? err->detail : err->message);
    for (size_t i = 1; i < err->fields; i++)
        fprintf(stderr, "mgctl: %s: %s\n", err->field[i].loc, err->field[i].msg);
    if (err->status == 503)
        return MG_CTL_AWAY;
    return err->status == 422 ? MG_CTL_USAGE : MG_CTL_FAILED;
}

/* Fills ctl->conf. 0 or -1. */
static int
load_conf(struct mg_ctl *ctl)
{
    if (ctl->config == NULL)
        ctl->config = getenv("MG_CONFIG");
    if (ctl->config == NULL && access(DEFAULT_CONFIG, F_OK) == 0)
        ctl->config = DEFAULT_CONFIG;
    return mg_conf_load(&ctl->conf, ctl->config, &ctl->err);
}

/* The arguments of a raw command, with the configuration file that was found. */
static int
run_raw(struct mg_ctl *ctl)
{
    char **argv = mg_pool_alloc(ctl->pool, (size_t)(ctl->operands + 3) * sizeof(*argv));
    int argc = 0;
    for (int i = 0; i < ctl->operands; i++) {
        argv[argc++] = mg_pool_strdup(ctl->pool, ctl->operand[i]);
        if (i > 0 || ctl->config == NULL)
            continue;
        argv[argc++] = mg_pool_strdup(ctl->pool, "--config");
        argv[argc++] = mg_pool_strdup(ctl->pool, ctl->config);
    }
    return ctl->command->raw(argc, argv, &ctl->conf);
}

static int
run(struct mg_ctl *ctl)
{
    unsigned needs = ctl->command->needs;
    if (load_conf(ctl) != 0) {
        report(ctl);
        return MG_CTL_USAGE;
    }
    if (needs & MG_NEEDS_RAW)
        return run_raw(ctl);
    if ((needs & MG_NEEDS_VAULT) && mg_vault_open(&ctl->vault, &ctl->conf, &ctl->err) != 0)
        return report(ctl);
    if (needs & MG_NEEDS_DB) {
        ctl->db = mg_db_open(&ctl->conf, MG_DB_ADMIN, &ctl->err);
        if (ctl->db == NULL)
            return report(ctl);
    }
    int status = ctl->command->run(ctl);
    return status < 0 ? report(ctl) : status;
}

static int
dispatch(int argc, char **argv, struct mg_ctl *ctl)
{
    const char *area, *verb;
    switch (mg_args_read(argc, argv, ctl, &area, &verb)) {
    case MG_ASKED_VERSION:
        puts("mgctl " PACKAGE_VERSION);
        return MG_CTL_OK;
    case MG_ASKED_HELP:
        if (mg_help_print(area, verb, stdout) == 0)
            return MG_CTL_OK;
        fprintf(stderr, "mgctl: no help for '%s%s%s'; `mgctl help` lists the commands\n", area,
                verb ? " " : "", verb ? verb : "");
        return MG_CTL_USAGE;
    case MG_ASKED_WRONG:
        return MG_CTL_USAGE;
    case MG_ASKED_RUN:
        break;
    }
    return run(ctl);
}

int
main(int argc, char **argv)
{
    struct mg_ctl ctl = {.pool = mg_pool_new(), .err = MG_ERR_INIT};
    mg_log_init("mgctl", MG_LOG_WARN);
    int status = dispatch(argc, argv, &ctl);
    mg_db_close(&ctl.db);
    mg_vault_close(&ctl.vault);
    mg_conf_free(&ctl.conf);
    mg_err_free(&ctl.err);
    mg_pool_free(&ctl.pool);
    if (fflush(stdout) != 0) {
        perror("mgctl: standard output");
        return status != 0 ? status : MG_CTL_FAILED;
    }
    return status;
}
