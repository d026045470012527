/* The desk: many threads ask at once, everybody gets the answer to his own question. */
#include "identity/account.h"
#include "identity/desk.h"
#include "identity/keyring.h"
#include "scratch.h"
#include "tap.h"

#include <pthread.h>
#include <stdatomic.h>

#define ACCOUNTS 20
#define THREADS 48
#define ROUNDS 100

static struct scratch scratch;
static struct mg_db *db;
static const struct mg_vault vault = {.key = "0123456789abcdef0123456789abcde", .mark = "mark"};
static struct mg_account account[ACCOUNTS];
static char secret[ACCOUNTS][MG_KEY_SIZE];
static struct mg_desk *desk;
static atomic_int wrong;

static void
make_accounts(void)
{
    struct mg_err err = MG_ERR_INIT;
    char name[32];
    int made = 0;
    for (int i = 0; i < ACCOUNTS; i++) {
        snprintf(name, sizeof(name), "desk%d", i);
        struct mg_account_spec spec = {.username = name};
        made += mg_account_create(db, &vault, &spec, &account[i], secret[i], &err) == 0;
    }
    is_int(made, ACCOUNTS, "accounts are made");
    mg_err_free(&err);
}

/* Asks for a key, a missing one, a malformed one and one that nobody has, over and over. */
static void *
visit(void *arg)
{
    int self = *(int *)arg;
    char nobody[MG_KEY_SIZE];
    mg_key_make(nobody);
    for (int i = 0; i < ROUNDS; i++) {
        int n = (self + i) % ACCOUNTS;
        const char *shown[] = {secret[n], NULL, "sk-mg-nonsense", nobody};
        struct mg_principal who = {0};
        struct mg_err err = MG_ERR_INIT;
        int kind = (self + i * 7) % 8;
        int found = mg_desk_ask(desk, shown[kind < 4 ? kind : 0], &who, &err);
        bool good = kind == 0 || kind >= 4;
        if (found != good || (good ? who.account_id != account[n].id : err.status != 401))
            wrong++;
        mg_err_free(&err);
    }
    return NULL;
}

static void
test_crowd(void)
{
    pthread_t thread[THREADS];
    int number[THREADS];
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        pthread_create(&thread[i], NULL, visit, &number[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    is_int(wrong, 0, "among 48 threads everybody gets the answer to his own question");
}

static void
test_revoked(void)
{
    struct mg_err err = MG_ERR_INIT;
    struct mg_principal who;
    struct mg_key key;
    char mine[MG_KEY_SIZE];
    static const struct mg_key_options app = {.name = "app"};
    bool fine = mg_keyring_create(db, account[0].id, &app, &key, mine, &err) == 0;
    ok(fine && mg_desk_ask(desk, mine, &who, &err) == 1 && !who.system_key,
       "a new key is known at once");
    ok(mg_keyring_revoke(db, account[0].id, key.id, &err) == 1 &&
       mg_desk_ask(desk, mine, &who, &err) == 0 && err.status == 401 && err.no_retry,
       "a revoked one is refused at the very next question");
    mg_err_free(&err);
}

static void
test_away(void)
{
    struct mg_err err = MG_ERR_INIT;
    struct mg_principal who;
    struct mg_conf conf = scratch.conf;
    char nowhere[] = "unix:/nonexistent/mariadb.sock";
    conf.db_hosts = nowhere;
    struct mg_desk *lost = mg_desk_new(&conf);
    is_int(mg_desk_ask(lost, secret[0], &who, &err), -1, "without a database nobody is let in");
    is_int(err.status, 503, "and told to come back");
    mg_desk_free(&lost);
    mg_err_free(&err);
}

int
main(void)
{
    struct mg_err err = MG_ERR_INIT;
    plan(0);
    scratch_start(&scratch);
    scratch_identity_tables(&scratch);
    db = mg_db_open(&scratch.conf, MG_DB_SERVICE, &err);
    if (db == NULL) {
        printf("Bail out! %s\n", err.detail);
        return 1;
    }
    make_accounts();
    desk = mg_desk_new(&scratch.conf);
    test_crowd();
    test_revoked();
    test_away();
    mg_desk_free(&desk);
    mg_db_close(&db);
    scratch_stop(&scratch);
    return done();
}
