#include "script.h"

#include "buf.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { USES_MAX = 4096 };

/* How often one set of commands, told by its exact text, was used. */
struct use {
    char *text;
    int64_t count;
};

static struct {
    pthread_mutex_t lock;
    char *initial;
    char *now; /* NULL: none */
    struct use use[USES_MAX];
    size_t uses;
} script = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void forget_uses(void)
{
    size_t i;

    for (i = 0; i < script.uses; i++) {
        free(script.use[i].text);
    }
    script.uses = 0;
}

static void set_now(const char *text)
{
    free(script.now);
    script.now = text && *text ? sim_strdup(text) : NULL;
    forget_uses();
}

const char *sim_script_defaults(struct sim_pool *pool, const char *text, bool initial)
{
    struct sim_cmd probe;
    const char *err;

    sim_cmd_init(&probe);
    err = sim_cmd_read(&probe, pool, text, strlen(text));
    if (err) {
        return err;
    }
    pthread_mutex_lock(&script.lock);
    set_now(text);
    if (initial) {
        free(script.initial);
        script.initial = sim_strdup(text);
    }
    pthread_mutex_unlock(&script.lock);
    return NULL;
}

void sim_script_reset(void)
{
    pthread_mutex_lock(&script.lock);
    set_now(script.initial);
    pthread_mutex_unlock(&script.lock);
}

const char *sim_script_show(struct sim_pool *pool)
{
    const char *s;

    pthread_mutex_lock(&script.lock);
    s = script.now ? sim_pool_copy(pool, script.now, strlen(script.now)) : "";
    pthread_mutex_unlock(&script.lock);
    return s;
}

/* The number of this use of the text, from 1 on. A full table forgets everything. */
static int64_t count_use(const char *text)
{
    int64_t n;
    size_t i;

    pthread_mutex_lock(&script.lock);
    for (i = 0; i < script.uses && strcmp(script.use[i].text, text) != 0; i++) {
    }
    if (i == script.uses) {
        if (script.uses == USES_MAX) {
            forget_uses();
            i = 0;
        }
        script.use[i].text = sim_strdup(text);
        script.use[i].count = 0;
        script.uses = i + 1;
    }
    n = ++script.use[i].count;
    pthread_mutex_unlock(&script.lock);
    return n;
}

/* Reads one layer over cmd unless its skip= and times= say that it does not count now. */
static const char *read_layer(struct sim_cmd *cmd, struct sim_pool *pool, const char *s, size_t n)
{
    const char *end = memmem(s, n, "]]", 2);
    const char *text = sim_pool_copy(pool, s, end ? (size_t)(end - s) : n);

    if (strstr(text, "times=") || strstr(text, "skip=")) {
        struct sim_cmd probe;
        const char *err;
        int64_t use, skip;

        sim_cmd_init(&probe);
        err = sim_cmd_read(&probe, pool, text, strlen(text));
        if (err) {
            return err;
        }
        use = count_use(text);
        skip = probe.skip > 0 ? probe.skip : 0;
        if (use <= skip || (probe.times >= 0 && use > skip + probe.times)) {
            return NULL;
        }
    }
    return sim_cmd_read(cmd, pool, text, strlen(text));
}

const char *sim_script_read(struct sim_cmd *cmd, struct sim_pool *pool, const char *text,
                            const char *header)
{
    const char *defaults = sim_script_show(pool);
    const char *err = NULL;

    sim_cmd_init(cmd);
    if (*defaults) {
        err = read_layer(cmd, pool, defaults, strlen(defaults));
    }
    if (!err && text) {
        err = read_layer(cmd, pool, text, strlen(text));
    }
    if (!err && header) {
        err = read_layer(cmd, pool, header, strlen(header));
    }
    return err;
}
