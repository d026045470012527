#include "ctl/migrate.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/digest.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST "0000-migration.sql"
#define FILE_MOST ((size_t)1 << 20)
#define LOCK_SECONDS 60

enum query { SCHEMA, LOCK, UNLOCK, FIND, RECORD, HOSTS };

static const char *const sql[] = {
    [SCHEMA] = "SELECT DATABASE()",
    [LOCK] = "SELECT GET_LOCK(CONCAT('migrate ', ?), ?)",
    [UNLOCK] = "SELECT RELEASE_LOCK(CONCAT('migrate ', ?))",
    [FIND] = "SELECT sha256 FROM schema_migration WHERE name = ?",
    [RECORD] = "INSERT INTO schema_migration (name, sha256, applied_ms) VALUES (?, ?, ?)",
    [HOSTS] = "SELECT Host FROM mysql.user WHERE User = ? ORDER BY Host",
};

/* Runs a query for the first column of its first row: 1 with a copy in *text (NULL for SQL
 * NULL), 0 no row, -1. */
static int
one_text(struct mg_ctl *ctl, enum query query, const struct mg_db_value *values, size_t count,
         const char **text)
{
    if (mg_db_query(ctl->db, sql[query], values, count, &ctl->err) != 0)
        return -1;
    int found = mg_db_next(ctl->db, &ctl->err);
    *text = NULL;
    if (found == 1 && !mg_db_is_null(ctl->db, 0)) {
        size_t n;
        const char *bytes = mg_db_get_bytes(ctl->db, 0, &n);
        *text = mg_pool_strndup(ctl->pool, bytes, n);
    }
    mg_db_done(ctl->db);
    return found;
}

/* Names go into statements that take no parameters (CREATE DATABASE, GRANT). */
static int
check_name(struct mg_ctl *ctl, const char *what, const char *name, const char *also)
{
    bool good = *name != '\0' && strlen(name) <= 80;
    for (const char *c = name; *c != '\0'; c++)
        good = good && ((isalnum((unsigned char)*c) && (unsigned char)*c < 0x80) ||
                        strchr(also, *c) != NULL);
    if (good)
        return 0;
    return mg_err_internal(&ctl->err, "%s '%s' may only hold letters, digits and %s", what, name,
                           also);
}

static int
make_database(struct mg_ctl *ctl)
{
    const char *name = ctl->conf.db_name, *schema;
    if (one_text(ctl, SCHEMA, NULL, 0, &schema) < 0)
        return -1;
    if (schema != NULL)
        return 0;
    if (check_name(ctl, "db_name", name, "_-") != 0)
        return -1;
    const char *statement = mg_pool_printf(
        ctl->pool, "CREATE DATABASE IF NOT EXISTS `%s` CHARACTER SET utf8mb4", name);
    if (mg_db_script(ctl->db, statement, strlen(statement), &ctl->err) != 0)
        return -1;
    mg_ctl_say(ctl, "made the database %s", name);
    mg_db_close(&ctl->db);
    ctl->db = mg_db_open(&ctl->conf, MG_DB_ADMIN, &ctl->err);
    return ctl->db != NULL ? 0 : -1;
}

static char *
read_file(struct mg_ctl *ctl, const char *dir, const char *name, size_t *n)
{
    const char *path = mg_pool_printf(ctl->pool, "%s/%s", dir, name);
    FILE *in = fopen(path, "re");
    if (in == NULL) {
        mg_err_internal(&ctl->err, "%s: %s", path, strerror(errno));
        return NULL;
    }
    char *text = mg_pool_alloc(ctl->pool, FILE_MOST + 1);
    *n = fread(text, 1, FILE_MOST + 1, in);
    bool broken = ferror(in) || *n > FILE_MOST;
    fclose(in);
    if (broken)
        mg_err_internal(&ctl->err, "%s: cannot be read, or is larger than %zu bytes", path,
                        FILE_MOST);
    return broken ? NULL : text;
}

static int
is_migration(const struct dirent *entry)
{
    const char *name = entry->d_name;
    size_t n = strlen(name);
    return n > 9 && n <= 100 && strspn(name, "0123456789") == 4 && name[4] == '-' &&
           strcmp(name + n - 4, ".sql") == 0;
}

/* Applies one file, or finds that it has been. */
static int
apply(struct mg_ctl *ctl, const char *dir, struct mg_migration *m)
{
    uint8_t hash[MG_SHA256_BYTES];
    size_t n;
    const char *text = read_file(ctl, dir, m->name, &n), *known;
    if (text == NULL)
        return -1;
    mg_sha256(text, n, hash);
    const struct mg_db_value values[] = {mg_db_text(m->name), mg_db_bytes(hash, sizeof(hash)),
                                         mg_db_i64(mg_now_ms())};
    bool first = strcmp(m->name, FIRST) == 0; /* makes the table that FIND looks into */
    if (first && mg_db_script(ctl->db, text, n, &ctl->err) != 0)
        return mg_err_internal(&ctl->err, "%s: %s", m->name, ctl->err.detail);
    int found = one_text(ctl, FIND, values, 1, &known);
    if (found < 0)
        return -1;
    m->state = found == 0 ? "applied" : memcmp(known, hash, sizeof(hash)) == 0 ? "done" : "changed";
    if (found == 1)
        return 0;
    if (!first && mg_db_script(ctl->db, text, n, &ctl->err) != 0)
        return mg_err_internal(&ctl->err, "%s: %s", m->name, ctl->err.detail);
    return mg_db_exec(ctl->db, sql[RECORD], values, 3, &ctl->err);
}

static int
apply_all(struct mg_ctl *ctl, const char *dir, struct mg_migration *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (apply(ctl, dir, &list[i]) != 0)
            return -1;
    return 0;
}

/* The files in order; -1 when there are none. */
static int
list_files(struct mg_ctl *ctl, const char *dir, struct mg_migration **list, size_t *count)
{
    struct dirent **entries;
    int n = scandir(dir, &entries, is_migration, alphasort);
    if (n < 0)
        return mg_err_internal(&ctl->err, "%s: %s", dir, strerror(errno));
    *list = mg_pool_alloc(ctl->pool, (size_t)(n + 1) * sizeof(**list));
    *count = (size_t)n;
    for (int i = 0; i < n; i++) {
        (*list)[i].name = mg_pool_strdup(ctl->pool, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    if (n == 0 || strcmp((*list)[0].name, FIRST) != 0)
        return mg_err_internal(&ctl->err, "%s: holds no migrations (%s is missing)", dir, FIRST);
    return 0;
}

int
mg_migrate_run(struct mg_ctl *ctl, const char *dir, struct mg_migration **list, size_t *count)
{
    const struct mg_db_value lock[] = {mg_db_text(ctl->conf.db_name), mg_db_i64(LOCK_SECONDS)};
    const char *got, *released;
    if (list_files(ctl, dir, list, count) != 0 || make_database(ctl) != 0 ||
        one_text(ctl, LOCK, lock, 2, &got) < 0)
        return -1;
    if (got == NULL || strcmp(got, "1") != 0)
        return mg_err_internal(&ctl->err, "another migration of %s has been running for %d s",
                               ctl->conf.db_name, LOCK_SECONDS);
    int rc = apply_all(ctl, dir, *list, *count);
    struct mg_err first = MG_ERR_INIT;
    mg_err_move(&first, &ctl->err);
    if (one_text(ctl, UNLOCK, lock, 1, &released) < 0 && rc == 0)
        rc = -1;
    if (mg_err_is(&first))
        mg_err_move(&ctl->err, &first);
    return rc;
}

/* A copy of `text` with {db} and {user} filled in. */
static struct mg_str
fill_in(const char *text, const char *db, const char *user, const char *host)
{
    struct mg_str out;
    mg_str_init(&out, 2 * FILE_MOST);
    for (const char *p = text; *p != '\0';) {
        if (strncmp(p, "{db}", 4) == 0) {
            mg_str_addf(&out, "`%s`", db);
            p += 4;
        } else if (strncmp(p, "{user}", 6) == 0) {
            mg_str_addf(&out, "'%s'@'%s'", user, host);
            p += 6;
        } else {
            mg_str_addc(&out, *p++);
        }
    }
    return out;
}

static int
list_hosts(struct mg_ctl *ctl, const char ***hosts, size_t *count)
{
    struct mg_db_value user = mg_db_text(ctl->conf.db_user);
    const char **list = NULL;
    size_t n = 0;
    if (mg_db_query(ctl->db, sql[HOSTS], &user, 1, &ctl->err) != 0)
        return -1;
    int more;
    while ((more = mg_db_next(ctl->db, &ctl->err)) == 1) {
        list = mg_pool_grow(ctl->pool, list, n, sizeof(*list));
        list[n++] = mg_pool_strdup(ctl->pool, mg_db_get_bytes(ctl->db, 0, NULL));
    }
    mg_db_done(ctl->db);
    *hosts = list;
    *count = n;
    return more;
}

int
mg_migrate_grant(struct mg_ctl *ctl, const char *dir, int *granted)
{
    const char *user = ctl->conf.db_user, *db = ctl->conf.db_name, **hosts = NULL;
    size_t n, count;
    *granted = 0;
    if (*ctl->conf.db_admin_user == '\0' || strcmp(ctl->conf.db_admin_user, user) == 0)
        return 0;
    const char *text = read_file(ctl, dir, "grants.sql", &n);
    if (text == NULL || check_name(ctl, "db_user", user, "_.-") != 0 ||
        check_name(ctl, "db_name", db, "_-") != 0 || list_hosts(ctl, &hosts, &count) != 0)
        return -1;
    if (count == 0)
        return mg_err_internal(&ctl->err,
                               "the database server knows no user '%s' (db_user); make it first: "
                               "CREATE USER '%s'@'localhost' IDENTIFIED BY '…'",
                               user, user);
    for (size_t i = 0; i < count; i++) {
        if (check_name(ctl, "host", hosts[i], "_.-%:/") != 0)
            return -1;
        struct mg_str script = fill_in(text, db, user, hosts[i]);
        int rc = mg_db_script(ctl->db, script.p, script.len, &ctl->err);
        mg_str_free(&script);
        if (rc != 0)
            return mg_err_internal(&ctl->err, "grants.sql for '%s'@'%s': %s", user, hosts[i],
                                   ctl->err.detail);
        ++*granted;
    }
    return 0;
}
