/* A database of its own for a test program: a private server in a temporary folder, with the
 * tables of chosen migration files, started through t/mariadb.sh and gone at the end.
 *
 *   struct scratch s;
 *   scratch_start(&s);                       skips the whole program without MariaDB
 *   scratch_tables(&s, "0003-ledger.sql");
 *   … &s.conf …
 *   scratch_stop(&s);
 */
#ifndef MG_SCRATCH_H
#define MG_SCRATCH_H

#include "base/alloc.h"
#include "base/conf.h"
#include "base/err.h"
#include "db/db.h"
#include "tap.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct scratch {
    char dir[64];       /* holds the server and the state folder */
    int alive;          /* a pipe that the guard sees closed when the program ends, however */
    pid_t guard;
    struct mg_conf conf;
};

static inline const char *
scratch_source(void)
{
    const char *dir = getenv("MG_SRCDIR");
    return dir != NULL ? dir : ".";
}

/* Runs a verb of t/mariadb.sh on the server; its exit status. */
static inline int
scratch_server(const struct scratch *s, const char *verb)
{
    char command[512];
    snprintf(command, sizeof(command), "'%s/t/mariadb.sh' %s '%s/db' >> '%s/server.log' 2>&1",
             scratch_source(), verb, s->dir, s->dir);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline void
scratch_set(char **field, const char *text)
{
    free(*field);
    *field = mg_strdup(text);
}

/* Points a configuration at the server: as the service and as the owner of the schema. */
static inline void
scratch_conf(struct mg_conf *conf, const char *dir)
{
    struct mg_err err = MG_ERR_INIT;
    char text[128];
    if (mg_conf_load(conf, NULL, &err) != 0) {
        printf("Bail out! %s\n", err.detail);
        exit(1);
    }
    snprintf(text, sizeof(text), "unix:%s/db/db.sock", dir);
    scratch_set(&conf->db_hosts, text);
    snprintf(text, sizeof(text), "%s/state", dir);
    scratch_set(&conf->state_dir, text);
    scratch_set(&conf->db_name, "scratch");
    scratch_set(&conf->db_user, getpwuid(geteuid())->pw_name);
    scratch_set(&conf->db_admin_user, getpwuid(geteuid())->pw_name);
}

/* A process that outlives this one, if need be, to stop the server and remove the folder. */
static inline void
scratch_guard(struct scratch *s)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0 || (s->guard = fork()) < 0) {
        printf("Bail out! no guard\n");
        exit(1);
    }
    s->alive = ends[1];
    if (s->guard > 0) {
        close(ends[0]);
        return;
    }
    char byte, command[128];
    setsid();
    close(ends[1]);
    while (read(ends[0], &byte, 1) != 0)
        continue;
    scratch_server(s, "kill");
    snprintf(command, sizeof(command), "rm -rf '%s'", s->dir);
    _exit(system(command) != 0);
}

static inline void
scratch_start(struct scratch *s)
{
    snprintf(s->dir, sizeof(s->dir), "%s", "/tmp/mg-scratch-XXXXXX");
    if (mkdtemp(s->dir) == NULL || chmod(s->dir, 0755) != 0) {
        printf("Bail out! no temporary folder\n");
        exit(1);
    }
    scratch_conf(&s->conf, s->dir);
    mkdir(s->conf.state_dir, 0700);
    scratch_guard(s);
    int status = scratch_server(s, "start");
    if (status == 77)
        skip_all("MariaDB server is not installed");
    if (status != 0) {
        char command[128];
        snprintf(command, sizeof(command), "sed 's/^/# /' '%s/server.log'", s->dir);
        fflush(stdout);
        if (system(command) == 0)
            printf("Bail out! t/mariadb.sh start: status %d\n", status);
        exit(1);
    }
}

/* Runs SQL as the owner; the program ends when it fails. */
static inline void
scratch_sql(const struct scratch *s, const char *sql)
{
    struct mg_err err = MG_ERR_INIT;
    struct mg_db *db = mg_db_open(&s->conf, MG_DB_ADMIN, &err);
    if (db == NULL || mg_db_script(db, sql, strlen(sql), &err) != 0) {
        printf("Bail out! %s\n", err.detail);
        exit(1);
    }
    mg_db_close(&db);
}

/* One number from a constant query, as the owner. */
static inline long long
scratch_number(const struct scratch *s, const char *sql)
{
    struct mg_err err = MG_ERR_INIT;
    long long number = -1;
    struct mg_db *db = mg_db_open(&s->conf, MG_DB_ADMIN, &err);
    if (db != NULL && mg_db_query(db, sql, NULL, 0, &err) == 0 && mg_db_next(db, &err) == 1)
        number = mg_db_get_i64(db, 0);
    else
        printf("# %s: %s\n", sql, err.detail);
    mg_db_close(&db);
    mg_err_free(&err);
    return number;
}

/* Makes the database and the tables of one migration file. */
static inline void
scratch_tables(const struct scratch *s, const char *file)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/sql/%s", scratch_source(), file);
    FILE *in = fopen(path, "r");
    if (in == NULL) {
        printf("Bail out! %s is missing\n", path);
        exit(1);
    }
    static char sql[1 << 17];
    size_t n = fread(sql, 1, sizeof(sql) - 1, in);
    fclose(in);
    sql[n] = '\0';
    scratch_sql(s, "CREATE DATABASE IF NOT EXISTS scratch");
    scratch_sql(s, sql);
}

/* The tables of the ledger room. */
static inline void
scratch_ledger_tables(const struct scratch *s)
{
    scratch_tables(s, "0003-ledger.sql");
    scratch_tables(s, "0007-benefit.sql");
    scratch_tables(s, "0010-key-month.sql");
}

/* The tables that a key is looked up with. */
static inline void
scratch_identity_tables(const struct scratch *s)
{
    scratch_tables(s, "0001-account.sql");
    scratch_tables(s, "0002-catalogue.sql");
    scratch_ledger_tables(s);
    scratch_tables(s, "0004-session.sql");
    scratch_tables(s, "0005-key-options.sql");
}

static inline void
scratch_stop(struct scratch *s)
{
    close(s->alive);
    waitpid(s->guard, NULL, 0);
    mg_conf_free(&s->conf);
}

#endif
