/* How fast the money path is: durable reserve + durable settle pairs per second.
 *
 *   ledger-bench SOCKET [SECONDS]
 *
 * SOCKET is of a private server (t/mariadb.sh start DIR); the database `bench` is made anew.
 * For one wallet and for 1,000, with 1, 32 and 256 threads that each reserve, then settle, then
 * begin again: pairs per second, latency of a reserve, and the CPU time of this process and of
 * the server for one pair. Figures, not a test. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/id.h"
#include "base/money.h"
#include "db/db.h"
#include "ledger/grant.h"
#include "ledger/ledger.h"
#include "ledger/wallet.h"

#include <pthread.h>
#include <pwd.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define WALLETS 1000
#define SAMPLES 200000

static struct mg_ledger *ledger;
static int64_t until_us;
static int wallets;

struct client {
    pthread_t thread;
    unsigned seed;
    long pairs;
    sem_t done;
    int64_t *samples;
    long sampled;
};

static void
settled(void *arg, const struct mg_settled *result)
{
    struct client *c = arg;
    (void)result;
    sem_post(&c->done);
}

static void *
work(void *arg)
{
    struct client *c = arg;
    struct mg_reserve r = {.want = 3000, .least = 3000};
    struct mg_settle s = {.charge = 1000, .model = "vendor/some-model", .served_by = "some-model",
                          .label = "Fast", .family = "responses", .input = 1234, .output = 567,
                          .cache_read = 89, .price_version = 3, .status = 200, .first_ms = 321,
                          .total_ms = 4321, .api_key_id = 99};
    struct mg_reserved got;
    sem_init(&c->done, 0, 0);
    while (mg_mono_us() < until_us) {
        int64_t begun = mg_mono_us();
        mg_id_new(r.request_id);
        r.wallet_id = s.wallet_id = 1 + (uint64_t)rand_r(&c->seed) % (unsigned)wallets;
        mg_ledger_reserve(ledger, &r, &got);
        if (c->sampled < SAMPLES)
            c->samples[c->sampled++] = mg_mono_us() - begun;
        memcpy(s.request_id, r.request_id, MG_ID_BYTES);
        mg_ledger_settle(ledger, &s, settled, c);
        sem_wait(&c->done);
        c->pairs += got.outcome == MG_RESERVE_GRANTED;
    }
    return NULL;
}

static int
by_size(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* CPU time of the process behind a unix socket in µs, -1 when it cannot be told. */
static long
server_cpu(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    struct ucred peer;
    socklen_t n = sizeof(peer);
    char text[64], line[1024];
    snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    long ticks = -1;
    if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0 &&
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0) {
        snprintf(text, sizeof(text), "/proc/%d/stat", peer.pid);
        FILE *in = fopen(text, "r");
        long user, system;
        if (in != NULL && fgets(line, sizeof(line), in) != NULL &&
            sscanf(strrchr(line, ')') + 2, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %ld %ld",
                   &user, &system) == 2)
            ticks = user + system;
        if (in != NULL)
            fclose(in);
    }
    close(fd);
    return ticks < 0 ? -1 : ticks * (1000000 / sysconf(_SC_CLK_TCK));
}

static long
own_cpu(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000L + u.ru_utime.tv_usec +
           u.ru_stime.tv_usec;
}

static void
measure(const char *socket, int threads, int seconds)
{
    struct client *clients = mg_calloc((size_t)threads, sizeof(*clients));
    int64_t *all = mg_malloc(sizeof(*all) * SAMPLES * 2);
    long pairs = 0, n = 0, own = own_cpu(), server = server_cpu(socket);
    int64_t begun = mg_mono_us();
    until_us = begun + seconds * 1000000LL;
    for (int i = 0; i < threads; i++) {
        clients[i].seed = (unsigned)i + 1;
        clients[i].samples = mg_malloc(sizeof(int64_t) * SAMPLES);
        pthread_create(&clients[i].thread, NULL, work, &clients[i]);
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(clients[i].thread, NULL);
        pairs += clients[i].pairs;
        for (long k = 0; k < clients[i].sampled && n < SAMPLES * 2; k++)
            all[n++] = clients[i].samples[k];
        free(clients[i].samples);
    }
    long us = (long)(mg_mono_us() - begun);
    own = own_cpu() - own;
    server = server_cpu(socket) - server;
    qsort(all, (size_t)n, sizeof(*all), by_size);
    printf("%7d %8d %9ld %8.2f %8.2f %8ld %8ld %8ld\n", wallets, threads,
           pairs * 1000000L / us, (double)all[n / 2] / 1000, (double)all[n - 1 - n / 100] / 1000,
           own / (pairs + 1), server / (pairs + 1), (own + server) / (pairs + 1));
    fflush(stdout);
    free(all);
    free(clients);
}

static void
fail(const struct mg_err *err)
{
    fprintf(stderr, "%s %s\n", err->message, err->detail);
    exit(1);
}

static void
fill(const struct mg_conf *conf, struct mg_err *err)
{
    static char sql[1 << 17] = "DROP DATABASE IF EXISTS bench; CREATE DATABASE bench; USE bench;";
    static const char *const files[] = {"0003-ledger.sql", "0007-benefit.sql",
                                        "0010-key-month.sql"};
    const char *source = getenv("MG_SRCDIR");
    char path[512];
    struct mg_db *db = mg_db_open(conf, MG_DB_ADMIN, err);
    size_t n = strlen(sql);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        snprintf(path, sizeof(path), "%s/sql/%s", source != NULL ? source : ".", files[i]);
        FILE *in = fopen(path, "r");
        if (in == NULL)
            fail(err);
        n += fread(sql + n, 1, sizeof(sql) - n, in);
        fclose(in);
    }
    if (db == NULL || mg_db_script(db, sql, n, err) != 0)
        fail(err);
    for (uint64_t id = 1; id <= WALLETS; id++) {
        struct mg_grant g = {.wallet_id = id, .kind = MG_GRANT_TOPUP,
                             .amount = 1000000 * MG_NANO_PER_CREDIT};
        mg_id_new(g.ref);
        if (mg_wallet_create(db, id, err) != 0 || mg_grant_apply(db, &g, NULL, err) != 0)
            fail(err);
    }
    mg_db_close(&db);
}

int
main(int argc, char **argv)
{
    static const int threads[] = {1, 32, 256}, counts[] = {1, WALLETS};
    struct mg_conf conf;
    struct mg_err err = MG_ERR_INIT;
    char hosts[200], state[] = "/tmp/ledger-bench-XXXXXX";
    if (argc < 2 || mkdtemp(state) == NULL || mg_conf_load(&conf, NULL, &err) != 0) {
        fprintf(stderr, "usage: %s SOCKET [SECONDS]\n", argv[0]);
        return 64;
    }
    snprintf(hosts, sizeof(hosts), "unix:%s", argv[1]);
    conf.db_hosts = mg_strdup(hosts);
    conf.db_user = conf.db_admin_user = mg_strdup(getpwuid(geteuid())->pw_name);
    conf.db_name = mg_strdup("bench");
    conf.state_dir = state;
    fill(&conf, &err);
    ledger = mg_ledger_start(&conf, "bench", &err);
    if (ledger == NULL)
        fail(&err);
    printf("wallets  threads    pairs/s  res p50  res p99   own us    db us  both us\n");
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) {
            wallets = counts[i];
            measure(argv[1], threads[k], argc > 2 ? (int)strtol(argv[2], NULL, 10) : 3);
        }
    mg_ledger_stop(&ledger);
    rmdir(state);
    return 0;
}
