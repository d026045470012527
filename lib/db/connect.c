#include "db/connect.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/log.h"
#include "db/fault.h"
#include "db/statement.h"

#include <errmsg.h>
#include <mysqld_error.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONNECT_SECONDS 2
#define SERVICE_SECONDS 15
#define WRITER_SECONDS 2
#define WRITER_CONNECT_SECONDS 1
#define EARLIER_MS 30000
#define PACKET_BYTES (64UL << 20)
#define PASSWORD_BYTES 1024

/* A transaction of a process that stopped in the middle of it (or of a host that went away)
 * is ended by the server after idle_transaction_timeout, which frees the wallets it locked. */
#define SESSION_SETTINGS \
    "SET SESSION tx_isolation='READ-COMMITTED', autocommit=1, " \
    "sql_mode='STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO', " \
    "time_zone='+00:00'"
static const char *const session_sql[] = {
    [MG_DB_SERVICE] = SESSION_SETTINGS ", innodb_lock_wait_timeout=5, idle_transaction_timeout=10",
    [MG_DB_ADMIN] = SESSION_SETTINGS,
    [MG_DB_WRITER] = SESSION_SETTINGS ", innodb_lock_wait_timeout=1, idle_transaction_timeout=5",
};

/* What makes a server unfit to be written to, asked in a form that servers without Galera
 * understand. */
static const char fitness_sql[] =
    "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('read_only', 'wsrep_on') AND Value = 'ON'";
static const char ready_sql[] =
    "SHOW GLOBAL STATUS WHERE Variable_name = 'wsrep_ready' AND Value = 'ON'";

static pthread_once_t library_once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_key;

static void
end_thread(void *marker)
{
    (void)marker;
    mysql_thread_end();
}

static void
start_library(void)
{
    if (mysql_library_init(0, NULL, NULL) != 0) {
        mg_error("the MariaDB client library does not start");
        abort();
    }
    pthread_key_create(&thread_key, end_thread);
}

/* The client library wants to know every thread that uses it. */
static void
start_thread(void)
{
    static const char marker = 1;
    pthread_once(&library_once, start_library);
    if (pthread_getspecific(thread_key) == NULL) {
        mysql_thread_init();
        pthread_setspecific(thread_key, &marker);
    }
}

unsigned
mg_db_send(struct mg_db *db, const char *sql)
{
    return mysql_real_query(db->mysql, sql, strlen(sql)) == 0 ? 0 : mysql_errno(db->mysql);
}

/* First column of the rows of a constant statement, separated by spaces. */
static int
ask(MYSQL *mysql, const char *sql, char *names, size_t size)
{
    names[0] = '\0';
    if (mysql_real_query(mysql, sql, strlen(sql)) != 0)
        return -1;
    MYSQL_RES *rows = mysql_store_result(mysql);
    if (rows == NULL)
        return -1;
    size_t used = 0;
    MYSQL_ROW row;
    while ((row = mysql_fetch_row(rows)) != NULL && used < size)
        used += (size_t)snprintf(names + used, size - used, "%s ", row[0]);
    mysql_free_result(rows);
    return 0;
}

/* NULL when the server may be written to, else why not. */
static const char *
unfit(MYSQL *mysql, enum mg_db_role role)
{
    char names[128];
    if (mysql_real_query(mysql, session_sql[role], strlen(session_sql[role])) != 0 ||
        ask(mysql, fitness_sql, names, sizeof(names)) != 0)
        return mysql_error(mysql);
    if (strstr(names, "read_only") != NULL)
        return "the server is read-only";
    if (strstr(names, "wsrep_on") == NULL)
        return NULL;
    if (ask(mysql, ready_sql, names, sizeof(names)) != 0)
        return mysql_error(mysql);
    return names[0] != '\0' ? NULL : "the cluster node is not ready";
}

static void
set_options(MYSQL *mysql, enum mg_db_role role)
{
    unsigned connect = role == MG_DB_WRITER ? WRITER_CONNECT_SECONDS : CONNECT_SECONDS, off = 0;
    size_t packet = PACKET_BYTES;
    mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &connect);
    mysql_options(mysql, MYSQL_OPT_MAX_ALLOWED_PACKET, &packet);
    mysql_options(mysql, MYSQL_OPT_LOCAL_INFILE, &off);
    mysql_options(mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    if (role == MG_DB_ADMIN)
        return;
    unsigned patience = role == MG_DB_WRITER ? WRITER_SECONDS : SERVICE_SECONDS;
    mysql_options(mysql, MYSQL_OPT_READ_TIMEOUT, &patience);
    mysql_options(mysql, MYSQL_OPT_WRITE_TIMEOUT, &patience);
}

static const char *
user_of(const struct mg_db *db)
{
    bool owner = db->role == MG_DB_ADMIN && db->conf->db_admin_user[0] != '\0';
    return owner ? db->conf->db_admin_user : db->conf->db_user;
}

/* Connects to one host; NULL with the reason in `why`. */
static MYSQL *
try_host(const struct mg_db *db, const struct mg_db_host *host, const char *password, char *why,
         size_t size)
{
    MYSQL *mysql = mysql_init(NULL);
    if (mysql == NULL)
        abort();
    set_options(mysql, db->role);
    const char *name = host->socket[0] != '\0' ? "localhost" : host->name;
    const char *socket = host->socket[0] != '\0' ? host->socket : NULL;
    const char *schema = db->conf->db_name, *reason;
    bool up = mysql_real_connect(mysql, name, user_of(db), password, schema, host->port, socket,
                                 0) != NULL;
    if (!up && db->role == MG_DB_ADMIN && mysql_errno(mysql) == ER_BAD_DB_ERROR)
        up = mysql_real_connect(mysql, name, user_of(db), password, NULL, host->port, socket, 0)
            != NULL;
    reason = up ? unfit(mysql, db->role) : mysql_error(mysql);
    if (reason == NULL)
        return mysql;
    snprintf(why, size, "%s: %s", socket != NULL ? socket : host->name, reason);
    mysql_close(mysql);
    return NULL;
}

static int
read_password(const struct mg_db *db, char **password, struct mg_err *err)
{
    bool owner = db->role == MG_DB_ADMIN && db->conf->db_admin_user[0] != '\0';
    const char *file = owner ? db->conf->db_admin_password_file : db->conf->db_password_file;
    *password = NULL;
    if (file[0] == '\0')
        return 0;
    *password = mg_conf_secret(file, PASSWORD_BYTES, err);
    return *password != NULL ? 0 : -1;
}

int
mg_db_connect(struct mg_db *db, struct mg_err *err)
{
    char *password, why[300] = "";
    start_thread();
    db->why = MG_DB_LOST;
    if (read_password(db, &password, err) != 0)
        return -1;
    for (int i = 0; i < db->host_count && db->mysql == NULL; i++) {
        db->mysql = try_host(db, &db->hosts[i], password, why, sizeof(why));
        db->host = i;
    }
    if (password != NULL) {
        mg_wipe(password, strlen(password));
        free(password);
    }
    if (db->mysql == NULL)
        return mg_fault_away(err, why);
    if (db->host > 0)
        mg_warn("database: using host %d of the list (%s)", db->host + 1, why);
    db->earlier_ms = mg_mono_ms() + EARLIER_MS;
    db->why = MG_DB_FINE;
    return 0;
}

void
mg_db_disconnect(struct mg_db *db)
{
    /* First the connection: statements without one are freed without talking to the server. */
    if (db->mysql != NULL)
        mysql_close(db->mysql);
    db->mysql = NULL;
    mg_stmt_drop_all(db);
}

/* A healthy idle connection has nothing to say: bytes or an end of file waiting there mean that
 * the server has closed it. */
static bool
dead_while_idle(const struct mg_db *db)
{
    struct pollfd p = {.fd = mysql_get_socket(db->mysql), .events = POLLIN};
    return poll(&p, 1, 0) != 0;
}

int
mg_db_ensure(struct mg_db *db, struct mg_err *err)
{
    start_thread();
    mg_stmt_end_reading(db);
    if (db->in_txn) {
        if (!db->txn_dead)
            return 0;
        if (db->why == MG_DB_FINE)
            db->why = MG_DB_CONFLICT;
        return mg_fault_over(err);
    }
    if (db->mysql != NULL) {
        bool earlier = db->host > 0 && mg_mono_ms() >= db->earlier_ms;
        if (!earlier && !dead_while_idle(db))
            return 0;
        mg_db_disconnect(db);
    }
    return mg_db_connect(db, err);
}

int
mg_db_wake(struct mg_db *db, struct mg_err *err)
{
    return mg_db_ensure(db, err);
}

struct mg_db *
mg_db_open(const struct mg_conf *conf, enum mg_db_role role, struct mg_err *err)
{
    struct mg_db *db = mg_calloc(1, sizeof(*db));
    db->conf = conf;
    db->role = role;
    db->host_count = mg_db_host_parse(conf->db_hosts, db->hosts, err);
    if (db->host_count < 0 || mg_db_connect(db, err) != 0)
        mg_db_close(&db);
    return db;
}

void
mg_db_close(struct mg_db **db)
{
    if (*db == NULL)
        return;
    start_thread();
    mg_db_disconnect(*db);
    free(*db);
    *db = NULL;
}
