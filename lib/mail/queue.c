#include "mail/queue.h"

#include "base/clock.h"
#include "base/digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum query { LIST_ALL, LIST_OF, READ, DUE, TAKE, CLOSE, POSTPONE, TIDY };

static const char *const sql[] = {
    [LIST_ALL] = "SELECT id, account_id, recipient, subject, state, attempts, next_ms, created_ms,"
                 " done_ms, error FROM mail ORDER BY id DESC LIMIT ?",
    [LIST_OF] = "SELECT id, account_id, recipient, subject, state, attempts, next_ms, created_ms,"
                " done_ms, error FROM mail WHERE account_id = ? ORDER BY id DESC LIMIT ?",
    [READ] = "SELECT id, account_id, recipient, subject, state, attempts, next_ms, created_ms,"
             " done_ms, error, sealed, body FROM mail WHERE id = ?",
    [DUE] = "SELECT id FROM mail WHERE state = 'queued' AND next_ms <= ? ORDER BY next_ms LIMIT 1"
            " FOR UPDATE SKIP LOCKED",
    [TAKE] = "UPDATE mail SET next_ms = ?, attempts = attempts + 1 WHERE id = ?",
    [CLOSE] = "UPDATE mail SET state = ?, done_ms = ?, error = ?, body = '', sealed = 0"
              " WHERE id = ? AND state = 'queued'",
    [POSTPONE] = "UPDATE mail SET next_ms = ?, error = ? WHERE id = ? AND state = 'queued'",
    [TIDY] = "DELETE FROM mail WHERE state IN ('sent', 'failed') AND done_ms < ?",
};

static void
copy(struct mg_db *db, unsigned column, char *to, size_t size)
{
    snprintf(to, size, "%s", mg_db_get_bytes(db, column, NULL));
}

static void
read_row(struct mg_db *db, struct mg_mail_row *row)
{
    *row = (struct mg_mail_row){
        .id = mg_db_get_u64(db, 0),
        .account_id = mg_db_get_u64(db, 1),
        .attempts = (int)mg_db_get_i64(db, 5),
        .next_ms = mg_db_get_i64(db, 6),
        .created_ms = mg_db_get_i64(db, 7),
        .done_ms = mg_db_is_null(db, 8) ? 0 : mg_db_get_i64(db, 8),
    };
    copy(db, 2, row->to, sizeof(row->to));
    copy(db, 3, row->subject, sizeof(row->subject));
    copy(db, 4, row->state, sizeof(row->state));
    copy(db, 9, row->error, sizeof(row->error));
}

int
mg_mail_list(struct mg_db *db, uint64_t account_id, unsigned limit, struct mg_pool *pool,
             struct mg_mail_row **rows, size_t *count, struct mg_err *err)
{
    const struct mg_db_value values[] = {mg_db_u64(account_id), mg_db_u64(limit)};
    bool all = account_id == 0;
    struct mg_mail_row *list = NULL;
    size_t n = 0;
    if (mg_db_query(db, sql[all ? LIST_ALL : LIST_OF], values + all, all ? 1 : 2, err) != 0)
        return -1;
    int more;
    while ((more = mg_db_next(db, err)) == 1) {
        list = mg_pool_grow(pool, list, n, sizeof(*list));
        read_row(db, &list[n++]);
    }
    mg_db_done(db);
    *count = more == 0 ? n : 0;
    *rows = list;
    return more;
}

/* The text of the current row. */
static int
read_text(struct mg_db *db, const struct mg_vault *vault, const struct mg_mail_row *row,
          struct mg_pool *pool, const char **text, struct mg_err *err)
{
    size_t n;
    bool sealed = mg_db_get_i64(db, 10) != 0;
    const char *body = mg_db_get_bytes(db, 11, &n);
    if (!sealed) {
        *text = mg_pool_strndup(pool, body, n);
        return 0;
    }
    const struct mg_vault_place place = {"mail", row->account_id, (uint64_t)row->created_ms};
    char *plain = mg_vault_unseal(vault, place, body, n, err);
    if (plain == NULL)
        return -1;
    *text = mg_pool_strdup(pool, plain);
    mg_wipe(plain, strlen(plain));
    free(plain);
    return 0;
}

int
mg_mail_read(struct mg_db *db, const struct mg_vault *vault, uint64_t id, struct mg_pool *pool,
             struct mg_mail_row *row, const char **text, struct mg_err *err)
{
    const struct mg_db_value value = mg_db_u64(id);
    if (mg_db_query(db, sql[READ], &value, 1, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1) {
        read_row(db, row);
        if (read_text(db, vault, row, pool, text, err) != 0)
            found = -1;
    }
    mg_db_done(db);
    return found;
}

struct claim {
    int64_t lease_ms;
    uint64_t id; /* 0 = nothing was due */
};

static int
claim(struct mg_db *db, void *arg, struct mg_err *err)
{
    struct claim *c = arg;
    int64_t now = mg_now_ms();
    const struct mg_db_value due = mg_db_i64(now);
    c->id = 0;
    int found = mg_db_number(db, sql[DUE], &due, 1, &c->id, err);
    if (found <= 0)
        return found;
    const struct mg_db_value values[] = {mg_db_i64(now + c->lease_ms), mg_db_u64(c->id)};
    return mg_db_exec(db, sql[TAKE], values, 2, err);
}

int
mg_mail_claim(struct mg_db *db, int64_t lease_ms, uint64_t *id, struct mg_err *err)
{
    struct claim c = {.lease_ms = lease_ms};
    if (mg_db_txn(db, "mail claim", claim, &c, err) != 0)
        return -1;
    *id = c.id;
    return c.id != 0;
}

int
mg_mail_close(struct mg_db *db, uint64_t id, bool sent, const char *why, struct mg_err *err)
{
    const struct mg_db_value values[] = {mg_db_text(sent ? "sent" : "failed"),
                                         mg_db_i64(mg_now_ms()), mg_db_text(why), mg_db_u64(id)};
    return mg_db_exec(db, sql[CLOSE], values, 4, err);
}

int
mg_mail_postpone(struct mg_db *db, uint64_t id, int64_t wait_ms, const char *why,
                 struct mg_err *err)
{
    const struct mg_db_value values[] = {mg_db_i64(mg_now_ms() + wait_ms), mg_db_text(why),
                                         mg_db_u64(id)};
    return mg_db_exec(db, sql[POSTPONE], values, 3, err);
}

int
mg_mail_tidy(struct mg_db *db, int64_t before_ms, struct mg_err *err)
{
    const struct mg_db_value value = mg_db_i64(before_ms);
    return mg_db_exec(db, sql[TIDY], &value, 1, err);
}
