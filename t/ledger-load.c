/* Load on a ledger that may be killed at any instant, to prove that nothing acknowledged is lost.
 *
 *   ledger-load SOCKET STATE-DIR ACKED-FILE WALLETS THREADS SECONDS
 *
 * Every thread reserves, sometimes extends, settles with a charge made from the request id, and
 * after the acknowledgement appends "<request id> <wallet> <charge>\n" to ACKED-FILE in one
 * write. Works on database `scratch` and wallets 1 … WALLETS. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/id.h"
#include "ledger/ledger.h"

#include <fcntl.h>
#include <pthread.h>
#include <pwd.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct mg_ledger *ledger;
static int acked, wallets;
static int64_t until_ms;

struct answer {
    sem_t done;
    struct mg_reserved reserved;
    struct mg_settled settled;
};

static void
on_reserved(void *arg, const struct mg_reserved *result)
{
    struct answer *a = arg;
    a->reserved = *result;
    sem_post(&a->done);
}

static void
on_settled(void *arg, const struct mg_settled *result)
{
    struct answer *a = arg;
    a->settled = *result;
    sem_post(&a->done);
}

static void
extend(const struct mg_reserve *base, struct answer *a)
{
    struct mg_reserve more = *base;
    more.want = more.least = 500;
    mg_ledger_extend(ledger, &more, on_reserved, a);
    sem_wait(&a->done);
}

static void
settle(const struct mg_reserve *r, struct answer *a)
{
    char hex[MG_ID_HEX], line[128];
    struct mg_settle s = {.wallet_id = r->wallet_id,
                          .api_key_id = 10 * r->wallet_id + r->request_id[12] % 4,
                          .charge = 1 + r->request_id[15] * 10, .model = "load", .family = "chat",
                          .output = 1};
    memcpy(s.request_id, r->request_id, MG_ID_BYTES);
    s.release = r->request_id[14] % 16 == 0;
    mg_ledger_settle(ledger, &s, on_settled, a);
    sem_wait(&a->done);
    if (s.release || !a->settled.durable)
        return;
    int n = snprintf(line, sizeof(line), "%s %llu %lld\n", mg_hex(s.request_id, MG_ID_BYTES, hex),
                     (unsigned long long)s.wallet_id, (long long)s.charge);
    if (write(acked, line, (size_t)n) != n)
        _exit(1);
}

static void *
work(void *arg)
{
    struct answer a;
    struct mg_reserve r = {.want = 1000, .least = 1000};
    unsigned seed = (unsigned)(size_t)arg;
    sem_init(&a.done, 0, 0);
    while (mg_mono_ms() < until_ms) {
        mg_id_new(r.request_id);
        r.wallet_id = 1 + (uint64_t)rand_r(&seed) % (unsigned)wallets;
        mg_ledger_reserve(ledger, &r, &a.reserved);
        if (a.reserved.outcome != MG_RESERVE_GRANTED) {
            usleep(1000);
            continue;
        }
        if (r.request_id[13] % 3 == 0)
            extend(&r, &a);
        settle(&r, &a);
    }
    return NULL;
}

int
main(int argc, char **argv)
{
    struct mg_conf conf;
    struct mg_err err = MG_ERR_INIT;
    char hosts[200];
    if (argc != 7 || mg_conf_load(&conf, NULL, &err) != 0)
        return 64;
    snprintf(hosts, sizeof(hosts), "unix:%s", argv[1]);
    conf.db_hosts = mg_strdup(hosts);
    conf.db_user = mg_strdup(getpwuid(geteuid())->pw_name);
    conf.db_name = mg_strdup("scratch");
    conf.state_dir = argv[2];
    conf.heartbeat_ms = 200;
    acked = open(argv[3], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    wallets = (int)strtol(argv[4], NULL, 10);
    int threads = (int)strtol(argv[5], NULL, 10);
    until_ms = mg_mono_ms() + strtol(argv[6], NULL, 10) * 1000;
    ledger = mg_ledger_start(&conf, "load", &err);
    if (acked < 0 || ledger == NULL || threads < 1 || wallets < 1)
        return 1;
    pthread_t *t = mg_calloc((size_t)threads, sizeof(*t));
    for (int i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, work, (void *)(size_t)(i + getpid()));
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    mg_ledger_stop(&ledger);
    free(t);
    return 0;
}
