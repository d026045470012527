#include "ledger/sweep.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "ledger/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 100 /* holds of one transaction */

enum query { LIST, LOCK, HOLDS, FORGET };
static const char *const sql[] = {
    /* Holds whose process has no row (it was swept while it lived, and died later) count as a
     * process that never gives a sign of life. */
    [LIST] = "SELECT owner, host, place, pid, birth, beat FROM proc"
             " UNION ALL SELECT DISTINCT h.owner, '', '', 0, 0, 0"
             " FROM hold h LEFT JOIN proc p ON p.owner = h.owner WHERE p.owner IS NULL",
    [LOCK] = "SELECT beat FROM proc WHERE owner = ? FOR UPDATE SKIP LOCKED",
    /* Reads the whole table: it holds what runs now, and an index on the owner would cost every
     * request more than this ever does. */
    [HOLDS] = "SELECT request_id, wallet_id FROM hold WHERE owner = ? LIMIT 100",
    [FORGET] = "DELETE FROM proc WHERE owner = ?",
};
static const char take_head[] = "DELETE FROM hold WHERE request_id IN (";
static const char take_tail[] = ") LIMIT ? RETURNING wallet_id, amount, unlimited";

/* A process as it was seen last. */
struct watch {
    struct mg_proc proc;
    uint64_t beat;
    int64_t since_ms; /* monotonic: its row is as it is since then at least */
    bool listed;      /* it has a row */
    bool seen;        /* in this pass */
};

struct mg_sweeper {
    struct mg_proc self;
    int64_t stale_ms;
    struct watch *watch;
    size_t count, room;
};

struct mg_sweeper *
mg_sweeper_new(const struct mg_proc *self, int64_t stale_ms)
{
    struct mg_sweeper *sweeper = mg_calloc(1, sizeof(*sweeper));
    sweeper->self = *self;
    sweeper->stale_ms = stale_ms;
    return sweeper;
}

void
mg_sweeper_free(struct mg_sweeper **sweeper)
{
    if (*sweeper == NULL)
        return;
    free((*sweeper)->watch);
    free(*sweeper);
    *sweeper = NULL;
}

void
mg_sweeper_restart(struct mg_sweeper *sweeper)
{
    sweeper->count = 0;
}

static void
note(struct mg_sweeper *sweeper, const struct mg_proc *proc, uint64_t beat)
{
    struct watch *w = sweeper->watch, *end = w + sweeper->count;
    bool listed = proc->pid != 0;
    while (w < end && w->proc.owner != proc->owner)
        w++;
    if (w == end) {
        if (sweeper->count == sweeper->room) {
            sweeper->room = sweeper->room > 0 ? 2 * sweeper->room : 16;
            sweeper->watch = mg_realloc(sweeper->watch, sweeper->room * sizeof(*w));
        }
        w = &sweeper->watch[sweeper->count++];
        *w = (struct watch){.since_ms = mg_mono_ms()};
    } else if (w->beat != beat || w->listed != listed) {
        w->since_ms = mg_mono_ms();
    }
    w->proc = *proc;
    w->beat = beat;
    w->listed = listed;
    w->seen = true;
}

static int
look(struct mg_sweeper *sweeper, struct mg_db *db, struct mg_err *err)
{
    struct mg_proc proc;
    int more;
    if (mg_db_query(db, sql[LIST], NULL, 0, err) != 0)
        return -1;
    for (size_t i = 0; i < sweeper->count; i++)
        sweeper->watch[i].seen = false;
    while ((more = mg_db_next(db, err)) == 1) {
        memset(&proc, 0, sizeof(proc));
        proc.owner = mg_db_get_u64(db, 0);
        snprintf(proc.host, sizeof(proc.host), "%s", mg_db_get_bytes(db, 1, NULL));
        snprintf(proc.place, sizeof(proc.place), "%s", mg_db_get_bytes(db, 2, NULL));
        proc.pid = mg_db_get_i64(db, 3);
        proc.birth = mg_db_get_u64(db, 4);
        if (proc.owner != sweeper->self.owner)
            note(sweeper, &proc, mg_db_get_u64(db, 5));
    }
    size_t kept = 0;
    for (size_t i = 0; i < sweeper->count; i++)
        if (sweeper->watch[i].seen)
            sweeper->watch[kept++] = sweeper->watch[i];
    sweeper->count = kept;
    return more;
}

/* One transaction of a sweep. */
struct broom {
    uint64_t owner;
    const struct watch *watch; /* NULL: sweep whatever it says */
    struct mg_table table;
    uint8_t requests[CHUNK][MG_ID_BYTES];
    uint64_t wallets[CHUNK];
    size_t count;
    bool stop;                 /* it lives after all, or somebody else is at it */
};

/* Locks the row of the process against other sweepers and against its own sign of life. */
static int
lock_row(struct broom *b, struct mg_db *db, struct mg_err *err)
{
    const struct mg_db_value owner = mg_db_u64(b->owner);
    b->stop = false;
    if (b->watch == NULL)
        return 0;
    if (mg_db_query(db, sql[LOCK], &owner, 1, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found < 0)
        return -1;
    b->stop = found == 1 ? !b->watch->listed || mg_db_get_u64(db, 0) != b->watch->beat
                         : b->watch->listed;
    mg_db_done(db);
    return 0;
}

static int
by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static int
list_holds(struct broom *b, struct mg_db *db, struct mg_err *err)
{
    const struct mg_db_value owner = mg_db_u64(b->owner);
    int more;
    b->count = 0;
    if (mg_db_query(db, sql[HOLDS], &owner, 1, err) != 0)
        return -1;
    while ((more = mg_db_next(db, err)) == 1) {
        memcpy(b->requests[b->count], mg_db_get_bytes(db, 0, NULL), MG_ID_BYTES);
        b->wallets[b->count++] = mg_db_get_u64(db, 1);
    }
    return more;
}

static int
release(struct broom *b, struct mg_db *db, struct mg_err *err)
{
    size_t length = mg_list_round(b->count);
    struct mg_db_value *v = mg_table_values(&b->table, length + 1);
    for (size_t i = 0; i < length; i++)
        v[i] = mg_db_bytes(b->requests[i < b->count ? i : b->count - 1], MG_ID_BYTES);
    v[length] = mg_db_u64(b->count);
    mg_list_sql(&b->table.sql, take_head, "?", length, take_tail);
    if (mg_db_query(db, b->table.sql.p, v, length + 1, err) != 0)
        return -1;
    int more;
    while ((more = mg_db_next(db, err)) == 1) {
        struct mg_book *book = mg_table_book(&b->table, mg_db_get_u64(db, 0));
        if (book == NULL)
            continue;
        mg_book_release(book, mg_db_get_i64(db, 1));
        if (mg_db_get_i64(db, 2) != 0)
            mg_book_disconnect(book);
    }
    return more;
}

/* Sweeps up to CHUNK holds. The wallets are locked before their holds are touched, in the order
 * that the writers keep; what is gone by then, its own settle has taken. */
static int
sweep_some(struct mg_db *db, void *arg, struct mg_err *err)
{
    struct broom *b = arg;
    const struct mg_db_value owner = mg_db_u64(b->owner);
    if (lock_row(b, db, err) != 0)
        return -1;
    if (b->stop)
        return 0;
    if (list_holds(b, db, err) != 0)
        return -1;
    if (b->count == 0)
        return mg_db_exec(db, sql[FORGET], &owner, 1, err);
    uint64_t ids[CHUNK];
    size_t n = 0;
    memcpy(ids, b->wallets, b->count * sizeof(ids[0]));
    qsort(ids, b->count, sizeof(ids[0]), by_number);
    for (size_t i = 0; i < b->count; i++)
        if (n == 0 || ids[n - 1] != ids[i])
            ids[n++] = ids[i];
    if (mg_table_load(&b->table, db, ids, n, err) != 0 || release(b, db, err) != 0)
        return -1;
    return mg_table_save(&b->table, db, err);
}

/* 0, also when there was nothing to do after all; -1. */
static int
sweep(struct mg_db *db, uint64_t owner, const struct watch *watch, struct mg_err *err)
{
    struct broom *b = mg_calloc(1, sizeof(*b));
    size_t released = 0;
    int rc;
    b->owner = owner;
    b->watch = watch;
    mg_table_init(&b->table);
    while ((rc = mg_db_txn(db, "ledger sweep", sweep_some, b, err)) == 0 && !b->stop &&
           b->count > 0)
        released += b->count;
    if (watch != NULL && rc == 0 && !b->stop)
        mg_warn("ledger: swept process %lld of '%s': %zu holds released",
                (long long)watch->proc.pid, watch->proc.host, released);
    mg_table_free(&b->table);
    free(b);
    return rc;
}

int
mg_sweep_owner(struct mg_db *db, uint64_t owner, struct mg_err *err)
{
    return sweep(db, owner, NULL, err);
}

int
mg_sweeper_pass(struct mg_sweeper *sweeper, struct mg_db *db, struct mg_err *err)
{
    if (look(sweeper, db, err) != 0)
        return -1;
    for (size_t i = 0; i < sweeper->count; i++) {
        const struct watch *w = &sweeper->watch[i];
        bool dead = w->listed && mg_proc_is_dead(&sweeper->self, &w->proc);
        bool stale = mg_mono_ms() - w->since_ms >= sweeper->stale_ms;
        if ((dead || stale) && sweep(db, w->proc.owner, w, err) != 0)
            return -1;
    }
    return 0;
}
