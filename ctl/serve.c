#include "ctl/serve.h"

#include "base/clock.h"
#include "base/log.h"
#include "ctl/crew.h"
#include "ctl/listener.h"
#include "ctl/notify.h"
#include "ctl/responder.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const all_families[] = {"auth",      "account", "models",
                                           "responses", "chat",    "messages"};
#define MOST_FAMILIES (int)(sizeof(all_families) / sizeof(all_families[0]))
/* Responders keep to shutdown_seconds themselves; they are killed only if they do not. */
#define GRACE_MARGIN_MS 10000

struct family {
    const char *name;
    char program[512];
    struct mg_listener listener;
};

struct supervisor {
    const char *config;     /* path, or NULL */
    const char *libexecdir;
    struct family families[MOST_FAMILIES];
    int count;
    struct mg_crew *crew;
    bool rolling;
    bool roll_again; /* SIGHUP came during a roll */
    bool stopping;
};

static int
usage(const char *complaint, const char *what)
{
    fprintf(stderr, "mgctl serve: %s%s\n"
                    "usage: mgctl serve [--config FILE] [--libexecdir DIR] [--only FAMILY,...]\n"
                    "families: auth account models responses chat messages\n",
            complaint, what);
    return 2;
}

/* Adds the families of a comma-separated list. 0, or the exit status for a wrong name. */
static int
choose(struct supervisor *s, const char *list)
{
    for (const char *name = list; *name != '\0';) {
        size_t len = strcspn(name, ",");
        int i = 0;
        while (i < MOST_FAMILIES && (strlen(all_families[i]) != len ||
                                     memcmp(all_families[i], name, len) != 0))
            i++;
        if (i == MOST_FAMILIES)
            return usage("unknown family in ", list);
        if (s->count == MOST_FAMILIES)
            return usage("too many families: ", list);
        s->families[s->count++].name = all_families[i];
        name += len + (name[len] == ',');
    }
    return s->count > 0 ? 0 : usage("no family given", "");
}

static int
read_options(struct supervisor *s, int argc, char **argv)
{
    static const struct option options[] = {{"config", required_argument, NULL, 'c'},
                                            {"libexecdir", required_argument, NULL, 'l'},
                                            {"only", required_argument, NULL, 'o'},
                                            {NULL, 0, NULL, 0}};
    const char *only = NULL;
    optind = 0; /* main has used getopt before */
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 'c')
            s->config = optarg;
        else if (c == 'l')
            s->libexecdir = optarg;
        else if (c == 'o')
            only = optarg;
        else
            return usage("unknown option, or one without its value", "");
    }
    if (optind < argc)
        return usage("unexpected argument ", argv[optind]);
    return choose(s, only != NULL ? only : "auth,account,models,responses,chat,messages");
}

/* All programs must be there before the first socket is opened. */
static int
find_programs(struct supervisor *s, struct mg_err *err)
{
    for (int i = 0; i < s->count; i++) {
        struct family *family = &s->families[i];
        snprintf(family->program, sizeof(family->program), "%s/mg-%s", s->libexecdir,
                 family->name);
        if (access(family->program, X_OK) != 0)
            return mg_err_internal(err, "%s: %s", family->program, strerror(errno));
    }
    return 0;
}

static int
open_listeners(struct supervisor *s, const char *run_dir, struct mg_err *err)
{
    for (int i = 0; i < s->count; i++)
        s->families[i].listener.fd = -1;
    for (int i = 0; i < s->count; i++)
        if (mg_listener_open(&s->families[i].listener, run_dir, s->families[i].name, err) != 0)
            return -1;
    return 0;
}

static void
close_listeners(struct supervisor *s)
{
    for (int i = 0; i < s->count; i++)
        mg_listener_close(&s->families[i].listener);
}

static const char *
family_name(void *self, int family)
{
    return ((struct supervisor *)self)->families[family].name;
}

static pid_t
start_responder(void *self, int family)
{
    struct supervisor *s = self;
    struct mg_err err = MG_ERR_INIT;
    struct mg_responder responder = {s->families[family].program, s->config,
                                     s->families[family].listener.fd};
    pid_t pid = mg_responder_start(&responder, &err);
    if (pid > 0)
        mg_info("%s[%d] started", s->families[family].name, (int)pid);
    else
        mg_error("%s: %s", s->families[family].name, err.detail);
    mg_err_free(&err);
    return pid;
}

static void
send_signal(void *self, pid_t pid, int signo)
{
    (void)self;
    kill(pid, signo);
}

static void
say(const char *line)
{
    printf("%s\n", line);
    fflush(stdout);
}

static void
fill(struct supervisor *s, const struct mg_conf *conf)
{
    mg_crew_fill(s->crew, (int)conf->processes,
                 conf->shutdown_seconds * 1000 + GRACE_MARGIN_MS, mg_mono_ms());
}

static void
roll(struct supervisor *s)
{
    struct mg_conf conf;
    struct mg_err err = MG_ERR_INIT;
    s->roll_again = s->rolling;
    if (s->rolling || s->stopping)
        return;
    mg_notify_reloading();
    if (mg_conf_load(&conf, s->config, &err) != 0) {
        mg_error("reload failed, all goes on as before: %s", err.detail);
        say("reload failed");
        mg_notify("READY=1\nSTATUS=serving; the last reload failed: see the log");
    } else {
        s->rolling = true;
        fill(s, &conf);
        mg_conf_free(&conf);
    }
    mg_err_free(&err);
}

static void
end_roll(struct supervisor *s, bool well)
{
    s->rolling = false;
    if (!well)
        mg_error("reload failed, the old responders stay: a new one did not last");
    say(well ? "reloaded" : "reload failed");
    mg_notify(well ? "READY=1\nSTATUS=serving"
                   : "READY=1\nSTATUS=serving; the last reload failed: see the log");
    if (s->roll_again)
        roll(s);
}

static void
stop(struct supervisor *s, int signo)
{
    mg_info("signal %d: %s", signo,
            s->stopping ? "killing the responders" : "telling the responders to drain");
    mg_notify("STOPPING=1\nSTATUS=draining");
    s->stopping = true;
    close_listeners(s);
    mg_crew_stop(s->crew, mg_mono_ms());
}

static void
reap(struct supervisor *s)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        mg_crew_died(s->crew, pid, status, mg_mono_ms());
}

static void
block_signals(sigset_t *set)
{
    static const int wanted[] = {SIGCHLD, SIGHUP, SIGTERM, SIGINT};
    sigemptyset(set);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        signal(wanted[i], SIG_DFL);
        sigaddset(set, wanted[i]);
    }
    sigprocmask(SIG_BLOCK, set, NULL);
}

/* Sleeps until a signal comes or something is due; the signal, or -1. */
static int
wait_for_signal(const struct supervisor *s, const sigset_t *set)
{
    int64_t due = mg_crew_next_due(s->crew), now = mg_mono_ms();
    int64_t ms = due <= now ? 0 : due - now > 3600000 ? 3600000 : due - now;
    struct timespec timeout = {ms / 1000, (long)(ms % 1000) * 1000000};
    return sigtimedwait(set, NULL, &timeout);
}

static void
run(struct supervisor *s, const struct mg_conf *conf, const sigset_t *set)
{
    fill(s, conf);
    say("ready");
    mg_notify("READY=1\nSTATUS=serving");
    while (!s->stopping || mg_crew_alive(s->crew) > 0) {
        int signo = wait_for_signal(s, set);
        if (signo == SIGCHLD)
            reap(s);
        else if (signo == SIGHUP)
            roll(s);
        else if (signo == SIGTERM || signo == SIGINT)
            stop(s, signo);
        enum mg_crew_roll rolled = mg_crew_work(s->crew, mg_mono_ms());
        if (rolled == MG_CREW_ROLLED || rolled == MG_CREW_ROLL_FAILED)
            end_roll(s, rolled == MG_CREW_ROLLED);
    }
}

int
mg_ctl_serve(int argc, char **argv, const struct mg_conf *conf)
{
    struct supervisor s = {.libexecdir = MG_LIBEXECDIR};
    struct mg_err err = MG_ERR_INIT;
    int rc = read_options(&s, argc, argv);
    if (rc != 0)
        return rc;
    sigset_t signals;
    block_signals(&signals);
    int level = mg_log_level_parse(conf->log_level);
    mg_log_init("serve", level < 0 ? MG_LOG_INFO : (enum mg_log_level)level);
    int lock = find_programs(&s, &err) == 0 ? mg_listener_lock(conf->run_dir, &err) : -1;
    if (lock >= 0 && open_listeners(&s, conf->run_dir, &err) == 0) {
        struct mg_crew_hands hands = {&s, start_responder, send_signal, family_name};
        s.crew = mg_crew_new(s.count, &hands);
        run(&s, conf, &signals);
        mg_crew_free(s.crew);
    } else {
        mg_error("%s", err.detail);
        rc = 1;
    }
    if (lock >= 0) {
        close_listeners(&s);
        close(lock);
    }
    mg_err_free(&err);
    return rc;
}
