/* Whatever is killed, and whenever: what was acknowledged is in the ledger, once, and the books
 * are right. Two processes work on the same wallets all the time; MG_KILLS sets how often. */
#include "base/clock.h"
#include "books.h"
#include "db/list.h"
#include "ledger/ledger.h"
#include "scratch.h"

#include <dirent.h>
#include <signal.h>
#include <sys/random.h>

#define WALLETS 5
#define THREADS 16

static struct scratch s;
static struct mg_err err = MG_ERR_INIT;
static char socket_path[128], acked_path[128];

static unsigned
random_below(unsigned n)
{
    unsigned r;
    mg_random(&r, sizeof(r));
    return r % n;
}

static pid_t
start_load(void)
{
    const char *dir = getenv("MG_BUILDDIR");
    char program[512], wallets[16], threads[16];
    snprintf(program, sizeof(program), "%s/t/ledger-load", dir != NULL ? dir : ".");
    snprintf(wallets, sizeof(wallets), "%d", WALLETS);
    snprintf(threads, sizeof(threads), "%d", THREADS);
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    if (freopen("/dev/null", "w", stderr) == NULL)
        _exit(126);
    execl(program, program, socket_path, s.conf.state_dir, acked_path, wallets, threads, "60",
          (char *)NULL);
    _exit(127);
}

static void
end_load(pid_t pid, int signal)
{
    int status;
    kill(pid, signal);
    waitpid(pid, &status, 0);
    if (WIFEXITED(status))
        printf("# the load ended by itself: %d\n", WEXITSTATUS(status));
}

static int
kills(int otherwise)
{
    const char *text = getenv("MG_KILLS");
    return text != NULL ? (int)strtol(text, NULL, 10) : otherwise;
}

static int
journals(void)
{
    int n = 0;
    DIR *dir = opendir(s.conf.state_dir);
    for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;)
        n += strstr(e->d_name, ".journal") != NULL;
    closedir(dir);
    return n;
}

/* Rows of processes that were killed; the cleaner's own may not be there yet. */
static long long
dead(void)
{
    return scratch_number(&s, "SELECT COUNT(*) FROM proc WHERE role <> 'cleaner'");
}

/* A fresh process of this host: replays what was journalled and sweeps the dead. */
static void
clean_up(void)
{
    struct mg_ledger *ledger = mg_ledger_start(&s.conf, "cleaner", &err);
    int64_t until = mg_mono_ms() + 20000;
    while (mg_mono_ms() < until && (journals() > 0 || dead() > 0))
        usleep(50000);
    is_int(journals(), 0, "every journal is replayed");
    is_int(dead(), 0, "every dead process is swept");
    mg_ledger_stop(&ledger);
    is_int(scratch_number(&s, "SELECT COUNT(*) FROM hold"), 0, "no hold is left");
}

struct acked {
    uint8_t id[MG_ID_BYTES];
    unsigned long long wallet;
    long long charge;
};

static struct acked *
read_acked(size_t *count)
{
    FILE *in = fopen(acked_path, "r");
    struct acked *list = NULL;
    char hex[40];
    size_t n = 0, room = 0;
    struct acked a;
    while (in != NULL && fscanf(in, "%32s %llu %lld\n", hex, &a.wallet, &a.charge) == 3) {
        if (n == room)
            list = mg_realloc(list, (room = room > 0 ? 2 * room : 4096) * sizeof(*list));
        if (mg_unhex(hex, strlen(hex), a.id, MG_ID_BYTES) == 0)
            list[n++] = a;
    }
    if (in != NULL)
        fclose(in);
    *count = n;
    return list;
}

static int
by_id(const void *a, const void *b)
{
    return memcmp(a, b, MG_ID_BYTES);
}

/* How many of the acknowledged are in the ledger with their wallet and charge. */
static size_t
count_landed(struct mg_db *db, struct acked *list, size_t count)
{
    struct mg_str sql;
    size_t landed = 0;
    mg_str_init(&sql, 1 << 16);
    qsort(list, count, sizeof(*list), by_id);
    for (size_t at = 0; at < count; at += MG_LIST_MOST) {
        size_t n = count - at < MG_LIST_MOST ? count - at : MG_LIST_MOST;
        struct mg_db_value v[MG_LIST_MOST];
        for (size_t i = 0; i < n; i++)
            v[i] = mg_db_bytes(list[at + i].id, MG_ID_BYTES);
        mg_list_sql(&sql, "SELECT ref, wallet_id, amount FROM ledger WHERE kind = 1 AND ref IN (",
                    "?", n, ")");
        if (mg_db_query(db, sql.p, v, n, &err) != 0)
            printf("# %s\n", err.detail);
        while (mg_db_next(db, &err) == 1) {
            const struct acked *a = bsearch(mg_db_get_bytes(db, 0, NULL), list, count,
                                            sizeof(*list), by_id);
            landed += a != NULL && a->wallet == mg_db_get_u64(db, 1) &&
                      a->charge == -mg_db_get_i64(db, 2);
        }
    }
    mg_str_free(&sql);
    return landed;
}

static void
check_books(const char *when)
{
    size_t count;
    struct acked *list = read_acked(&count);
    struct mg_db *db = mg_db_open(&s.conf, MG_DB_ADMIN, &err);
    clean_up();
    size_t landed = count_landed(db, list, count);
    ok(count > 100 && landed == count, "all %zu acknowledged settles are in the ledger %s", count,
       when);
    if (landed != count)
        printf("# only %zu\n", landed);
    struct mg_audit_result r = books_audit(db, when);
    long long unknown = (long long)(r.rows - WALLETS) - (long long)count;
    printf("# %lld more landed without their acknowledgement being written\n", unknown);
    ok(unknown >= 0, "none of them twice");
    printf("# late: %lld\n",
           scratch_number(&s, "SELECT COUNT(*) FROM ledger WHERE flags & 8 <> 0"));
    mg_db_close(&db);
    free(list);
}

int
main(void)
{
    plan(0);
    scratch_start(&s);
    s.conf.heartbeat_ms = 200;
    scratch_ledger_tables(&s);
    snprintf(socket_path, sizeof(socket_path), "%s/db/db.sock", s.dir);
    snprintf(acked_path, sizeof(acked_path), "%s/acked", s.dir);
    struct mg_db *db = mg_db_open(&s.conf, MG_DB_SERVICE, &err);
    for (uint64_t id = 1; id <= WALLETS; id++)
        books_wallet(db, id, 1000000000000);
    mg_db_close(&db);

    for (int i = 0, n = kills(6); i < n; i++) {
        pid_t a = start_load(), b = start_load();
        usleep(150000 + random_below(300000));
        end_load(a, SIGKILL);
        usleep(random_below(100000));
        end_load(b, SIGKILL);
    }
    check_books("after responders were killed");

    pid_t a = start_load(), b = start_load();
    for (int i = 0, n = kills(4); i < n; i++) {
        usleep(300000 + random_below(300000));
        scratch_server(&s, "kill");
        usleep(random_below(500000));
        scratch_server(&s, "start");
    }
    usleep(1500000);
    end_load(a, SIGKILL);
    end_load(b, SIGKILL);
    check_books("after the database was killed");

    a = start_load();
    b = start_load();
    usleep(500000);
    scratch_server(&s, "kill");
    usleep(300000);
    end_load(a, SIGKILL);
    end_load(b, SIGKILL);
    printf("# %d journals are left by the dead\n", journals());
    ok(journals() > 0, "processes killed during an outage leave journals");
    scratch_server(&s, "start");
    check_books("after both were killed");
    scratch_stop(&s);
    return done();
}
