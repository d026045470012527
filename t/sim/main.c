/* mg-sim: a simulated model provider for tests and demonstrations. See README.md. */
#include "js.h"
#include "listen.h"
#include "loop.h"
#include "options.h"
#include "recorder.h"
#include "script.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { THREADS_MAX = 64 };

static void on_signal(int sig)
{
    (void)sig;
    sim_loop_stop = 1;
}

static void catch_signals(void)
{
    struct sigaction act;

    memset(&act, 0, sizeof act);
    act.sa_handler = on_signal;
    sigaction(SIGTERM, &act, NULL);
    sigaction(SIGINT, &act, NULL);
    act.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &act, NULL);
}

/* Thousands of streams need as many descriptors. */
static void raise_files(void)
{
    struct rlimit lim;

    if (getrlimit(RLIMIT_NOFILE, &lim) == 0) {
        lim.rlim_cur = lim.rlim_max;
        setrlimit(RLIMIT_NOFILE, &lim);
    }
}

/* Written beside and renamed, so that a reader never sees half a number. */
static int write_port(const char *file, int port)
{
    char tmp[4096];
    FILE *f;
    int n = snprintf(tmp, sizeof tmp, "%s.new", file);

    f = n > 0 && (size_t)n < sizeof tmp ? fopen(tmp, "w") : NULL;
    if (!f || fprintf(f, "%d\n", port) < 0 || fclose(f) || rename(tmp, file)) {
        perror(file);
        return -1;
    }
    return 0;
}

static void *run(void *listener)
{
    sim_loop_run(*(int *)listener);
    sim_js_end();
    return NULL;
}

static int set_up(int *fd, char *shown, size_t size)
{
    struct sim_pool pool = {0};
    const char *err = NULL;
    int port;

    if (sim_options.defaults) {
        err = sim_script_defaults(&pool, sim_options.defaults, true);
    }
    if (err) {
        fprintf(stderr, "mg-sim: %s\n", err);
    }
    sim_pool_free(&pool);
    if (err) {
        return -1;
    }
    sim_recorder_setup((size_t)sim_options.record, (size_t)sim_options.record_bytes);
    port = sim_listen(sim_options.listen, fd, sim_options.threads, shown, size);
    if (port < 0) {
        return -1;
    }
    return sim_options.port_file ? write_port(sim_options.port_file, port) : 0;
}

int main(int argc, char **argv)
{
    int fd[THREADS_MAX];
    pthread_t thread[THREADS_MAX];
    char shown[256];
    int rc = sim_options_read(argc, argv);
    int i;

    if (rc) {
        return rc - 1;
    }
    catch_signals();
    raise_files();
    if (set_up(fd, shown, sizeof shown)) {
        return 1;
    }
    printf("listening %s\n", shown);
    fflush(stdout);
    for (i = 1; i < sim_options.threads; i++) {
        if (pthread_create(&thread[i], NULL, run, &fd[i])) {
            perror("thread");
            return 1;
        }
    }
    run(&fd[0]);
    for (i = 1; i < sim_options.threads; i++) {
        pthread_join(thread[i], NULL);
    }
    if (strncmp(sim_options.listen, "unix:", 5) == 0) {
        unlink(sim_options.listen + 5);
    }
    return 0;
}
