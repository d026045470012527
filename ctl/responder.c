#include "ctl/responder.h"

#include "base/alloc.h"
#include "base/log.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* What a responder may inherit by name: where to find programs and libraries, time zone and
 * language, certificates of upstreams, switches of the sanitizers. */
static const char *const passed[] = {
    "PATH",           "LANG",          "LC_ALL",       "TZ",           "TMPDIR",
    "SSL_CERT_FILE",  "SSL_CERT_DIR",  "ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS",
    "LD_LIBRARY_PATH", "LLVM_PROFILE_FILE",
};
/* Settings (MG_<NAME>) are inherited too, but not what by its name is a secret: settings keep
 * secrets in files, so such a variable is meant for somebody else. */
static const char *const secret_endings[] = {"KEY", "SECRET", "TOKEN", "PASSWORD"};

static bool
ends_with(const char *text, size_t len, const char *ending)
{
    size_t n = strlen(ending);
    return len >= n && memcmp(text + len - n, ending, n) == 0;
}

/* `entry` is NAME=value. */
static bool
may_pass(const char *entry)
{
    size_t len = strcspn(entry, "=");
    for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++)
        if (strlen(passed[i]) == len && memcmp(passed[i], entry, len) == 0)
            return true;
    if (strncmp(entry, "MG_", 3) != 0)
        return false;
    for (size_t i = 0; i < sizeof(secret_endings) / sizeof(secret_endings[0]); i++)
        if (ends_with(entry, len, secret_endings[i]))
            return false;
    return true;
}

static char **
clean_environment(void)
{
    size_t count = 0, kept = 0;
    while (environ[count] != NULL)
        count++;
    char **clean = mg_calloc(count + 1, sizeof(*clean));
    for (size_t i = 0; i < count; i++)
        if (may_pass(environ[i]))
            clean[kept++] = environ[i];
    return clean;
}

/* In the child: descriptors, signals, the tie to the supervisor's life, the program. */
static void __attribute__((noreturn))
become(const struct mg_responder *responder, char **argv, char **env, pid_t supervisor)
{
    sigset_t early;
    sigemptyset(&early);
    sigaddset(&early, SIGTERM);
    for (int signo = 1; signo < NSIG; signo++) /* what a shell made us ignore is our affair */
        signal(signo, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != supervisor) /* it died before the line above */
        _exit(0);
    setpgid(0, 0); /* Ctrl-C at a terminal is for the supervisor alone */
    if (dup2(responder->listen_fd, 0) == 0 && dup2(2, 1) == 1) {
        close_range(3, ~0U, 0);
        sigprocmask(SIG_SETMASK, &early, NULL); /* waits until the responder can heed it */
        execve(responder->program, argv, env);
    }
    mg_error("%s: %s", responder->program, strerror(errno));
    _exit(127);
}

pid_t
mg_responder_start(const struct mg_responder *responder, struct mg_err *err)
{
    char *program = mg_strdup(responder->program), *option = mg_strdup("--config");
    char *config = responder->config == NULL ? NULL : mg_strdup(responder->config);
    char *argv[] = {program, config == NULL ? NULL : option, config, NULL};
    char **env = clean_environment();
    pid_t supervisor = getpid(), pid = fork();
    if (pid == 0)
        become(responder, argv, env, supervisor);
    if (pid < 0)
        mg_err_internal(err, "fork: %s", strerror(errno));
    free(env);
    free(config);
    free(option);
    free(program);
    return pid;
}
